"""Profiles and properties as kcat's `-X` options, and what is in effect, asked of kcat's own `-X dump`."""

from __future__ import annotations

from collections.abc import Mapping

from driving.library import Unsupported

from kct.command import ask
from probe.driver_contract import driver_pb2 as pb

NEVER = {"topic.metadata.refresh.interval.ms": "-1"}
"""No periodic refresh."""
QUICK = {"socket.timeout.ms": "5000", "request.timeout.ms": "5000"}
PROFILES: Mapping[str, Mapping[str, str]] = {
    "isolated": NEVER,
    "defaults": {},
    "idempotent": NEVER | {"enable.idempotence": "true"},
    "no-retries": NEVER | {"message.send.max.retries": "0"},
    "acks-1": NEVER | {"acks": "1"},
    "zstd": NEVER | {"compression.codec": "zstd"},
    "refresh-1s": {"topic.metadata.refresh.interval.ms": "1000", "metadata.max.age.ms": "3000"},
    "quick-timeouts": NEVER | QUICK,
}
PRODUCERS_ONLY = frozenset({"idempotent", "no-retries", "acks-1", "zstd"})
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
BACK_OFFS = ("retry.backoff.ms", "retry.backoff.max.ms", "reconnect.backoff.max.ms", "fetch.error.backoff.ms")
RESERVED = frozenset({"client.id", "group.id", "bootstrap.servers", "metadata.broker.list"})


def options(start: pb.Start) -> tuple[list[str], dict[str, str]]:
    """Return kcat's options, and the settings in effect as driver.proto names them.

    Raises Unsupported for a profile that does not fit the role, and for what kcat refuses.
    """
    if start.profile in PRODUCERS_ONLY and start.role != "producer":
        raise Unsupported(f"profile {start.profile} sets what only producers have; role {start.role} does not produce")
    if ours := RESERVED & set(start.properties):
        raise Unsupported(f"{min(ours)} is set by the driver itself")
    chosen = {"client.id": start.client_id, **PROFILES[start.profile], **start.properties}
    given = [
        "-b",
        ",".join(start.bootstrap),
        *(word for key, value in chosen.items() for word in ("-X", f"{key}={value}")),
    ]
    code, text, errors = ask(*given, "-X", "dump")
    if code:
        raise Unsupported(f"kcat refuses these settings: {(errors.strip().splitlines() or ['no reason given'])[-1]}")
    return given, _reported(_dumped(text), start.role)


def _dumped(text: str) -> dict[str, str]:
    """Read `key = value` lines; the topic's settings come after the global ones, which they may repeat."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.partition(" = ")
        found.setdefault(key.strip(), value.strip())
    return found


def _reported(whole: Mapping[str, str], role: str) -> dict[str, str]:
    names = REPORTED | (OF_PRODUCERS if role == "producer" else {})
    found = {ours: whole[key] for ours, key in names.items() if whole.get(key)}
    if role == "producer":
        found["acks"] = {"-1": "all"}.get(found["acks"], found["acks"])
        found["compression"] = found.get("compression", "none")
    found["longest_backoff_ms"] = str(max(int(whole[key]) for key in BACK_OFFS if key in whole))
    return found
