"""Profiles and properties as kcat's `-X` options, and the effective settings from its own `-X dump`."""

from __future__ import annotations

from collections.abc import Mapping

from driver_runtime.library import Unsupported
from driver_runtime.librdkafka_settings import PROFILES, longest_backoff
from driver_runtime.profiles import acks_of, check_role

from kcat_driver.command import run_to_end
from probe.driver_contract import driver_pb2 as pb

REPORTED = {
    "request_timeout_ms": "request.timeout.ms",
    "socket_timeout_ms": "socket.timeout.ms",
    "refresh_ms": "topic.metadata.refresh.interval.ms",
    "retry_backoff_ms": "retry.backoff.ms",
}
OF_PRODUCERS = {
    "retries": "message.send.max.retries",
    "delivery_timeout_ms": "message.timeout.ms",
    "linger_ms": "queue.buffering.max.ms",
    "idempotence": "enable.idempotence",
    "compression": "compression.codec",
    "acks": "request.required.acks",
}
RESERVED = frozenset({"client.id", "group.id", "bootstrap.servers", "metadata.broker.list"})


def options(start: pb.Start) -> tuple[list[str], dict[str, str]]:
    """Return kcat's options, and the effective settings by the names of driver.proto.

    Raises Unsupported for a profile without a meaning for the role, and for settings that kcat rejects.
    """
    check_role(start)
    if ours := RESERVED & set(start.properties):
        raise Unsupported(f"{min(ours)} is set by the driver itself")
    chosen = {"client.id": start.client_id, **PROFILES[start.profile], **start.properties}
    given = [
        "-b",
        ",".join(start.bootstrap),
        *(word for key, value in chosen.items() for word in ("-X", f"{key}={value}")),
    ]
    code, text, errors = run_to_end(*given, "-X", "dump")
    if code:
        raise Unsupported(f"kcat rejects these settings: {(errors.strip().splitlines() or ['no reason given'])[-1]}")
    return given, _reported(_dumped(text), start.role)


def _dumped(text: str) -> dict[str, str]:
    """Parse `key = value` lines; the topic's settings follow the global ones, which they may repeat."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.partition(" = ")
        found.setdefault(key.strip(), value.strip())
    return found


def _reported(whole: Mapping[str, str], role: str) -> dict[str, str]:
    names = REPORTED | (OF_PRODUCERS if role == "producer" else {})
    found = {ours: whole[key] for ours, key in names.items() if whole.get(key)}
    if role == "producer":
        found["acks"] = acks_of(found["acks"])
        found["compression"] = found.get("compression", "none")
    found["longest_backoff_ms"] = longest_backoff(whole)
    return found
