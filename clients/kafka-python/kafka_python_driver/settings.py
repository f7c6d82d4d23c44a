"""Profiles and properties as kafka-python's configuration, and the effective settings by the names of driver.proto."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import kafka
import kafka.errors
from driver_runtime import keyword_settings
from driver_runtime.busy_loop_guard import ThrottledSelector
from driver_runtime.keyword_settings import NO_REFRESH, OfRoles, chosen, of_roles, secured
from driver_runtime.library import Unsupported
from driver_runtime.profiles import COOPERATIVE, PRODUCING, acks_of, check_role, text_of, value_like
from driver_runtime.reports import Reports

from kafka_python_driver.token_function import token_provider
from probe.driver_contract import driver_pb2 as pb

QUICK_GROUP: Mapping[str, Any] = {"session_timeout_ms": 6000, "request_timeout_ms": 6001}
"""Brokers reject a session below group.min.session.timeout.ms, 6 s by default; up to 2.0 a member's request timeout
must exceed its session timeout (KafkaConsumer.__init__ in kafka/consumer/group.py)."""
try:
    from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
except ImportError:  # before 3.0
    COOPERATIVE_ASSIGNORS: tuple[object, ...] = ()
else:
    COOPERATIVE_ASSIGNORS = (CooperativeStickyAssignor,)
SHORT_GROUP: Mapping[str, Any] = {"session_timeout_ms": 6000, "max_poll_interval_ms": 8000}
OF_ROLES: OfRoles = {
    **of_roles(QUICK_GROUP, SHORT_GROUP),
    (COOPERATIVE, "group"): {**SHORT_GROUP, "partition_assignment_strategy": COOPERATIVE_ASSIGNORS},
}
PROFILES: Mapping[str, Mapping[str, Any]] = {
    **keyword_settings.PROFILES,
    "no-retries": {**NO_REFRESH, "retries": 0},
    "oldest-protocol": {**NO_REFRESH, "api_version": (0, 11, 0)},
    COOPERATIVE: NO_REFRESH,
}
REPORTED: Mapping[str, str] = {
    **keyword_settings.REPORTED,
    "retries": "retries",
    "delivery_timeout_ms": "delivery_timeout_ms",
    "max_in_flight": "max_in_flight_requests_per_connection",
    "idempotence": "enable_idempotence",
    "acks": "acks",
    "protocol": "api_version",
}
OF_GROUPS: Mapping[str, str] = {
    "session_timeout_ms": "session_timeout_ms",
    "rebalance_timeout_ms": "max_poll_interval_ms",
    "heartbeat_ms": "heartbeat_interval_ms",
}
OF_PRODUCERS = frozenset(
    {"retries", "delivery_timeout_ms", "linger_ms", "max_in_flight", "idempotence", "compression", "acks"}
)
REFUSALS = (kafka.errors.KafkaConfigurationError, AssertionError, ValueError, TypeError)
"""Exceptions of a constructor for settings that exclude each other, or that need a codec which is missing."""


def build(
    kind: Callable[..., Any], start: pb.Start, reports: Reports, role: Mapping[str, Any]
) -> tuple[Any, dict[str, str]]:
    """Construct a KafkaProducer or KafkaConsumer; return it and its effective settings.

    Raises Unsupported for a profile without a meaning for the role, an unknown key, and settings that kafka-python
    rejects.
    """
    check_role(start)
    name = f"kafka-python {kafka.__version__}"
    known = kind.DEFAULT_CONFIG  # type: ignore[attr-defined]  # both classes have it
    if start.profile == COOPERATIVE and not COOPERATIVE_ASSIGNORS:
        raise Unsupported(f"{name} has no cooperative assignor")
    arguments = chosen(name, start, known, (role, PROFILES, OF_ROLES), _value, _secured(start))
    arguments.setdefault("selector", partial(ThrottledSelector, reports.notice))
    try:
        client = kind(bootstrap_servers=list(start.bootstrap), client_id=start.client_id, **arguments)
    except REFUSALS as error:
        if not _refused(error):
            raise
        raise Unsupported(f"{name} rejects these settings: {error}") from None
    return client, _reported(client.config, start.role)


def _secured(start: pb.Start) -> dict[str, Any]:
    """Return the settings for the listener's security; certificates are files here, the token function an object."""
    own: dict[str, Any] = {}
    if start.security.authority_file:
        own["ssl_cafile"] = start.security.authority_file
    if start.security.certificate_file:
        own |= {"ssl_certfile": start.security.certificate_file, "ssl_keyfile": start.security.certificate_file}
    if start.security.token_endpoint:
        own["sasl_oauth_token_provider"] = token_provider(start.security)
    return {**secured(start), **own}


def _refused(error: BaseException) -> bool:
    """Return whether a setting was rejected: constructors also connect, and then fail in the standard library."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and str(last.tb_frame.f_globals.get("__name__", "")).split(".")[0] == "kafka"


def _value(key: str, text: str, default: object) -> object:
    if key != "api_version":
        return value_like("kafka-python", key, text, default)
    try:
        return tuple(int(part) for part in text.split("."))
    except ValueError:
        raise Unsupported(f"kafka-python setting {key} does not take {text!r}") from None


def _reported(config: Mapping[str, Any], role: str) -> dict[str, str]:
    names = {**REPORTED, **(OF_GROUPS if role == "group" else {})}
    if role not in PRODUCING:
        names = {ours: key for ours, key in names.items() if ours not in OF_PRODUCERS}
    found = {
        ours: acks_of(config[key]) if ours == "acks" else text_of(config[key])
        for ours, key in names.items()
        if key in config
    }
    found["longest_backoff_ms"] = str(max(config["retry_backoff_ms"], config["reconnect_backoff_max_ms"]))
    return found
