"""Profiles and properties as aiokafka's arguments, and the effective settings by the names of driver.proto."""

from __future__ import annotations

import inspect
import ssl
from collections.abc import Callable, Mapping
from typing import Any

import aiokafka
from driver_runtime import keyword_settings
from driver_runtime.keyword_settings import chosen, of_roles, secured
from driver_runtime.library import Unsupported
from driver_runtime.profiles import PRODUCING, UNLIMITED, acks_of, check_role, text_of, value_like

from aiokafka_driver.token_function import TokenFunction
from probe.driver_contract import driver_pb2 as pb

QUICK_GROUP: Mapping[str, Any] = {"session_timeout_ms": 6000, "rebalance_timeout_ms": 6000}
"""Brokers reject a session below group.min.session.timeout.ms, 6 s by default."""
SHORT_GROUP: Mapping[str, Any] = {
    "session_timeout_ms": 6000,
    "max_poll_interval_ms": 8000,
    "rebalance_timeout_ms": 8000,
}
PROFILES = keyword_settings.PROFILES
OF_ROLES = of_roles(QUICK_GROUP, SHORT_GROUP)
REPORTED: Mapping[str, str] = {**keyword_settings.REPORTED, "longest_backoff_ms": "retry_backoff_ms"}
OF_GROUPS: Mapping[str, str] = {
    "session_timeout_ms": "session_timeout_ms",
    "rebalance_timeout_ms": "rebalance_timeout_ms",
    "heartbeat_ms": "heartbeat_interval_ms",
}
ACKS = "acks"
"""Its default is an object of aiokafka, which means all with idempotence and 1 without."""
REFUSALS = (AssertionError, ValueError, TypeError, RuntimeError)
"""Exceptions of a constructor for settings that exclude each other, or that need a codec which is missing."""


def build(kind: Callable[..., Any], start: pb.Start, role: Mapping[str, Any]) -> tuple[Any, dict[str, str]]:
    """Construct an AIOKafkaProducer or AIOKafkaConsumer in the running loop; return it and its effective settings.

    Raises Unsupported for a profile without a meaning for the role, an unknown key, and settings that aiokafka rejects.
    """
    check_role(start)
    name = f"aiokafka {aiokafka.__version__}"
    known = _defaults(kind)
    arguments = chosen(name, start, known, (role, PROFILES, OF_ROLES), _value, _secured(start))
    try:
        client = kind(bootstrap_servers=list(start.bootstrap), client_id=start.client_id, **arguments)
    except REFUSALS as error:
        raise Unsupported(f"{name} rejects these settings: {error}") from None
    return client, _reported({**known, **arguments}, start.role)


def _secured(start: pb.Start) -> dict[str, Any]:
    """Return the settings for the listener's security; certificates are in a context of the standard library's."""
    own: dict[str, Any] = {}
    if authority := start.security.authority:
        own["ssl_context"] = ssl.create_default_context(cadata=authority)
        if start.security.certificate_file:
            own["ssl_context"].load_cert_chain(start.security.certificate_file)
    if start.security.token_endpoint:
        own["sasl_oauth_token_provider"] = TokenFunction(start.security)
    return {**secured(start), **own}


def without_unknown(kind: Callable[..., Any], start: pb.Start) -> pb.Start:
    """Return the start without the properties that a constructor does not take: they are another client's."""
    mine = pb.Start()
    mine.CopyFrom(start)
    for key in set(start.properties) - set(_defaults(kind)):
        del mine.properties[key]
    return mine


def has_instance_id() -> bool:
    """Return whether a member of a group may be a static one (KIP-345)."""
    return "group_instance_id" in _defaults(aiokafka.AIOKafkaConsumer)


def _defaults(kind: Callable[..., Any]) -> dict[str, Any]:
    """Return a constructor's arguments with their defaults: the library has no other list of them."""
    found = inspect.signature(kind).parameters.values()
    return {item.name: item.default for item in found if item.kind is inspect.Parameter.KEYWORD_ONLY} | {
        item.name: item.default for item in found if item.default is not inspect.Parameter.empty
    }


def _value(key: str, text: str, default: object) -> object:
    if not isinstance(default, bool) and (text.isdigit() or (key == ACKS and text != "all")):
        return value_like("aiokafka", key, text, 0)
    if key == ACKS or default is None or isinstance(default, bool | int | float | str):
        return value_like("aiokafka", key, text, default)
    raise Unsupported(f"aiokafka setting {key} takes an object, which has no text form")


def _reported(config: Mapping[str, Any], role: str) -> dict[str, str]:
    names = {**REPORTED, **(OF_GROUPS if role == "group" else {})}
    found = {ours: text_of(config[key]) for ours, key in names.items() if key in config}
    if role == "group" and config["rebalance_timeout_ms"] is None:
        found["rebalance_timeout_ms"] = found["session_timeout_ms"]  # as in the constructor of its coordinator
    if role in PRODUCING:
        found |= _of_producers(config)
    return found


def _of_producers(config: Mapping[str, Any]) -> dict[str, str]:
    idempotent = bool(config["enable_idempotence"] or config["transactional_id"])
    acks = config["acks"] if config["acks"] in {0, 1, -1, "all"} else -1 if idempotent else 1
    found = {
        "acks": acks_of(acks),
        "idempotence": text_of(idempotent),
        "retries": str(UNLIMITED),
        "max_in_flight": "1",  # per broker: the sender has one task for each (sender.py, _sender_routine)
    }
    # A batch expires after this time, except with idempotence (_can_retry in sender.py).
    return found if idempotent else found | {"delivery_timeout_ms": str(config["request_timeout_ms"])}
