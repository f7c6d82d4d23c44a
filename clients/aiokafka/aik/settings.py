"""Profiles and properties as aiokafka's arguments, and back: what is in effect, under driver.proto's names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import aiokafka
from driving.library import Unsupported

from probe.driver_contract import driver_pb2 as pb

NEVER: Mapping[str, Any] = {"metadata_max_age_ms": 24 * 3600 * 1000}
"""No periodic refresh within any trial; aiokafka has no value for never."""
QUICK_GROUP: Mapping[str, Any] = {"session_timeout_ms": 6000, "rebalance_timeout_ms": 6000}
"""Brokers refuse a session below group.min.session.timeout.ms, by default 6 s."""
PROFILES: Mapping[str, Mapping[str, Any]] = {
    "isolated": NEVER,
    "defaults": {},
    "idempotent": {**NEVER, "enable_idempotence": True},
    "acks-1": {**NEVER, "acks": 1},
    "zstd": {**NEVER, "compression_type": "zstd"},
    "refresh-1s": {"metadata_max_age_ms": 1000},
    "quick-timeouts": {**NEVER, "request_timeout_ms": 5000},
}
PRODUCING = frozenset({"producer", "transactional"})
PRODUCERS_ONLY = frozenset({"idempotent", "acks-1", "zstd"})
"""Profiles that set what only a producer has."""
REPORTED: Mapping[str, str] = {
    "retry_backoff_ms": "retry_backoff_ms",
    "longest_backoff_ms": "retry_backoff_ms",
    "request_timeout_ms": "request_timeout_ms",
    "refresh_ms": "metadata_max_age_ms",
    "linger_ms": "linger_ms",
    "compression": "compression_type",
    "isolation": "isolation_level",
}
OF_GROUPS: Mapping[str, str] = {
    "session_timeout_ms": "session_timeout_ms",
    "rebalance_timeout_ms": "rebalance_timeout_ms",
    "heartbeat_ms": "heartbeat_interval_ms",
}
FOREVER = "2147483647"
"""How retries are reported: their number has no limit."""
MISSING = "acks"
"""Its default is an object of aiokafka's own, which stands for all with idempotence and for 1 without."""
REFUSALS = (AssertionError, ValueError, TypeError, RuntimeError)
"""What a constructor throws at settings that do not go together, or that need a codec that is not there."""


def build(kind: Callable[..., Any], start: pb.Start, role: Mapping[str, Any]) -> tuple[Any, dict[str, str]]:
    """Construct an AIOKafkaProducer or AIOKafkaConsumer in the running loop; return it and its effective settings.

    Raises Unsupported for a profile that does not fit the role, for an unknown key and for what the library refuses.
    """
    if start.profile in PRODUCERS_ONLY and start.role not in PRODUCING:
        raise Unsupported(f"profile {start.profile} sets what only producers have; role {start.role} does not produce")
    known = _defaults(kind)
    quick_group = QUICK_GROUP if (start.profile, start.role) == ("quick-timeouts", "group") else {}
    chosen = {**role, **PROFILES[start.profile], **quick_group, **_typed(start.properties, known)}
    if absent := [key for key in chosen if key not in known]:
        raise Unsupported(f"aiokafka {aiokafka.__version__} has no setting {absent[0]!r} for role {start.role}")
    try:
        client = kind(bootstrap_servers=list(start.bootstrap), client_id=start.client_id, **chosen)
    except REFUSALS as error:
        raise Unsupported(f"aiokafka {aiokafka.__version__} refuses these settings: {error}") from None
    return client, _reported({**known, **chosen}, start.role)


def _defaults(kind: Callable[..., Any]) -> dict[str, Any]:
    """Return a constructor's arguments with their defaults: the library keeps no other list of them."""
    found = inspect.signature(kind).parameters.values()
    return {item.name: item.default for item in found if item.kind is inspect.Parameter.KEYWORD_ONLY} | {
        item.name: item.default for item in found if item.default is not inspect.Parameter.empty
    }


def _typed(properties: Mapping[str, str], known: Mapping[str, Any]) -> dict[str, Any]:
    """Turn texts into what the defaults of the same key are."""
    for key in properties:
        if key not in known:
            raise Unsupported(f"aiokafka {aiokafka.__version__} has no setting {key!r}")
    return {key: _value(key, text, known[key]) for key, text in properties.items()}


def _value(key: str, text: str, default: object) -> object:
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False}[text.lower()]
        if isinstance(default, int | float) or (key == MISSING and text != "all") or text.isdigit():
            return int(text)
    except (ValueError, KeyError):
        raise Unsupported(f"aiokafka setting {key} does not take {text!r}") from None
    if default is None or isinstance(default, str) or key == MISSING:
        return text
    raise Unsupported(f"aiokafka setting {key} takes an object, which no property can be")


def _reported(config: Mapping[str, Any], role: str) -> dict[str, str]:
    names = {**REPORTED, **(OF_GROUPS if role == "group" else {})}
    found = {ours: _text(config[key]) for ours, key in names.items() if key in config}
    if role == "group" and config["rebalance_timeout_ms"] is None:
        found["rebalance_timeout_ms"] = found["session_timeout_ms"]  # as the constructor of its coordinator has it
    if role in PRODUCING:
        found |= _of_producers(config)
    return found


def _of_producers(config: Mapping[str, Any]) -> dict[str, str]:
    idempotent = bool(config["enable_idempotence"] or config["transactional_id"])
    acks = config["acks"] if config["acks"] in {0, 1, -1, "all"} else -1 if idempotent else 1
    found = {
        "acks": {"-1": "all"}.get(str(acks), str(acks)),
        "idempotence": _text(idempotent),
        "retries": FOREVER,
        "max_in_flight": "1",  # per broker: the sender has one task for each (sender.py, _sender_routine)
    }
    # A batch expires so long after it was made, unless idempotence forbids it (_can_retry in sender.py).
    return found if idempotent else found | {"delivery_timeout_ms": str(config["request_timeout_ms"])}


def _text(value: object) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
