"""Profiles and properties as kafka-python's configuration, and back: what is in effect, under driver.proto's names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import kafka
import kafka.errors
from driving.library import Unsupported
from driving.looks import PatientSelector
from driving.reports import Reports

from probe.driver_contract import driver_pb2 as pb

NEVER_MS = 24 * 3600 * 1000
NEVER: Mapping[str, Any] = {"metadata_max_age_ms": NEVER_MS}
"""No periodic refresh within any trial; kafka-python has no value for never."""
QUICK_GROUP: Mapping[str, Any] = {"session_timeout_ms": 6000, "request_timeout_ms": 6001}
"""Brokers refuse a session below group.min.session.timeout.ms, by default 6 s; and up to 2.0 a member's request
timeout must exceed its session timeout (KafkaConsumer.__init__ in kafka/consumer/group.py)."""
PROFILES: Mapping[str, Mapping[str, Any]] = {
    "isolated": NEVER,
    "defaults": {},
    "idempotent": {**NEVER, "enable_idempotence": True},
    "no-retries": {**NEVER, "retries": 0},
    "acks-1": {**NEVER, "acks": 1},
    "zstd": {**NEVER, "compression_type": "zstd"},
    "oldest-protocol": {**NEVER, "api_version": (0, 11, 0)},
    "refresh-1s": {"metadata_max_age_ms": 1000},
    "quick-timeouts": {**NEVER, "request_timeout_ms": 5000},
}
PRODUCING = frozenset({"producer", "transactional"})
PRODUCERS_ONLY = frozenset({"idempotent", "no-retries", "acks-1", "zstd"})
"""Profiles that set what only a producer has."""
REPORTED: Mapping[str, str] = {
    "retries": "retries",
    "retry_backoff_ms": "retry_backoff_ms",
    "request_timeout_ms": "request_timeout_ms",
    "delivery_timeout_ms": "delivery_timeout_ms",
    "refresh_ms": "metadata_max_age_ms",
    "linger_ms": "linger_ms",
    "max_in_flight": "max_in_flight_requests_per_connection",
    "idempotence": "enable_idempotence",
    "compression": "compression_type",
    "acks": "acks",
    "protocol": "api_version",
    "isolation": "isolation_level",
}
OF_GROUPS: Mapping[str, str] = {
    "session_timeout_ms": "session_timeout_ms",
    "rebalance_timeout_ms": "max_poll_interval_ms",
    "heartbeat_ms": "heartbeat_interval_ms",
}
OF_PRODUCERS = frozenset(
    {"retries", "delivery_timeout_ms", "linger_ms", "max_in_flight", "idempotence", "compression", "acks"}
)
FOREVER = 2147483647
"""How settings are reported that kafka-python keeps as infinity."""
REFUSALS = (kafka.errors.KafkaConfigurationError, AssertionError, ValueError, TypeError)
"""What a constructor throws at settings that do not go together, or that need a codec that is not there."""


def build(
    kind: Callable[..., Any], start: pb.Start, reports: Reports, role: Mapping[str, Any]
) -> tuple[Any, dict[str, str]]:
    """Construct a KafkaProducer or KafkaConsumer; return it and its effective settings.

    Raises Unsupported for a profile that does not fit the role, for an unknown key and for what the library refuses.
    """
    if start.profile in PRODUCERS_ONLY and start.role not in PRODUCING:
        raise Unsupported(f"profile {start.profile} sets what only producers have; role {start.role} does not produce")
    known = kind.DEFAULT_CONFIG  # type: ignore[attr-defined]  # both classes have it
    quick_group = QUICK_GROUP if (start.profile, start.role) == ("quick-timeouts", "group") else {}
    chosen = {**role, **PROFILES[start.profile], **quick_group, **_typed(start.properties, known)}
    if absent := [key for key in chosen if key not in known]:
        raise Unsupported(f"kafka-python {kafka.__version__} has no setting {absent[0]!r} for role {start.role}")
    chosen.setdefault("selector", partial(PatientSelector, reports.notice))
    try:
        client = kind(bootstrap_servers=list(start.bootstrap), client_id=start.client_id, **chosen)
    except REFUSALS as error:
        if not _refused(error):
            raise
        raise Unsupported(f"kafka-python {kafka.__version__} refuses these settings: {error}") from None
    return client, _reported(client.config, start.role)


def _refused(error: BaseException) -> bool:
    """Tell a refused setting from a failure: the constructors connect, too, and fail below, in the standard library."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and str(last.tb_frame.f_globals.get("__name__", "")).split(".")[0] == "kafka"


def _typed(properties: Mapping[str, str], known: Mapping[str, Any]) -> dict[str, Any]:
    """Turn texts into what the defaults of the same key are."""
    for key in properties:
        if key not in known:
            raise Unsupported(f"kafka-python {kafka.__version__} has no setting {key!r}")
    return {key: _value(key, text, known[key]) for key, text in properties.items()}


def _value(key: str, text: str, default: object) -> object:
    try:
        if key == "api_version":
            return tuple(int(part) for part in text.split("."))
        if isinstance(default, bool):
            return {"true": True, "false": False}[text.lower()]
        if isinstance(default, int | float):
            return int(text)
    except (ValueError, KeyError):
        raise Unsupported(f"kafka-python setting {key} does not take {text!r}") from None
    return text


def _reported(config: Mapping[str, Any], role: str) -> dict[str, str]:
    names = {**REPORTED, **(OF_GROUPS if role == "group" else {})}
    if role not in PRODUCING:
        names = {ours: key for ours, key in names.items() if ours not in OF_PRODUCERS}
    found = {ours: _text(ours, config[key]) for ours, key in names.items() if key in config}
    found["longest_backoff_ms"] = str(max(config["retry_backoff_ms"], config["reconnect_backoff_max_ms"]))
    return found


def _text(name: str, value: object) -> str:
    if name == "acks":
        return {"-1": "all"}.get(str(value), str(value))
    if value is None:
        return "none"
    if value == float("inf"):
        return str(FOREVER)
    if isinstance(value, tuple):
        return ".".join(str(part) for part in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
