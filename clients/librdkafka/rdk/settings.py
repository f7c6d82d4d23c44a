"""Profiles and properties as librdkafka's configuration, and back: what is in effect, under driver.proto's names."""

from __future__ import annotations

from collections.abc import Mapping

import confluent_kafka
from driving.library import Unsupported

from probe.driver_contract import driver_pb2 as pb
from rdk.native import ConfigurationError, Native
from rdk.origin import library_file

NEVER = {"topic.metadata.refresh.interval.ms": "-1"}
"""No periodic refresh. metadata.max.age.ms stays at its default of 15 minutes: nothing is sent because of it before."""
QUICK = {
    "socket.timeout.ms": "5000",
    "request.timeout.ms": "5000",
    "session.timeout.ms": "6000",  # brokers refuse less than their group.min.session.timeout.ms, by default 6 s
    "socket.connection.setup.timeout.ms": "5000",
}
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
NEWER = frozenset({"socket.connection.setup.timeout.ms"})
"""Settings that a profile does without in versions that do not have them."""
PRODUCING = frozenset({"producer", "transactional"})
PRODUCERS_ONLY = frozenset({"idempotent", "no-retries", "acks-1", "zstd"})
"""Profiles that set what only a producer has."""
REPORTED = {
    "retries": "message.send.max.retries",
    "retry_backoff_ms": "retry.backoff.ms",
    "request_timeout_ms": "request.timeout.ms",
    "delivery_timeout_ms": "message.timeout.ms",
    "socket_timeout_ms": "socket.timeout.ms",
    "refresh_ms": "topic.metadata.refresh.interval.ms",
    "linger_ms": "queue.buffering.max.ms",
    "max_in_flight": "max.in.flight.requests.per.connection",
    "idempotence": "enable.idempotence",
    "session_timeout_ms": "session.timeout.ms",
    "rebalance_timeout_ms": "max.poll.interval.ms",
    "heartbeat_ms": "heartbeat.interval.ms",
    "isolation": "isolation.level",
    "protocol": "group.protocol",
}
"""driver.proto's names and librdkafka's (CONFIGURATION.md of each version)."""
OF_PRODUCERS = {"retries", "request_timeout_ms", "delivery_timeout_ms", "linger_ms", "max_in_flight", "idempotence"}
OF_GROUPS = {"session_timeout_ms", "rebalance_timeout_ms", "heartbeat_ms", "protocol"}
BACK_OFFS = ("retry.backoff.ms", "retry.backoff.max.ms", "reconnect.backoff.max.ms", "fetch.error.backoff.ms")
IDEMPOTENT_IN_FLIGHT = 5
"""What librdkafka lowers max.in.flight to with idempotence (rd_kafka_conf_finalize in rdkafka_conf.c)."""

NATIVE = Native(library_file())
KNOWN = frozenset(NATIVE.effective({}))
"""Every setting of this version."""


def configure(start: pb.Start, role: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the settings to construct the client with, and those in effect as driver.proto names them.

    Raises Unsupported for a profile that does not fit the role, and for what librdkafka refuses.
    """
    if start.profile in PRODUCERS_ONLY and start.role not in PRODUCING:
        raise Unsupported(f"profile {start.profile} sets what only producers have; role {start.role} does not produce")
    ours = {"bootstrap.servers": ",".join(start.bootstrap), "client.id": start.client_id}
    chosen = ours | dict(role) | _settings(start.profile) | dict(start.properties)
    try:
        whole = NATIVE.effective(chosen)
    except ConfigurationError as error:
        raise Unsupported(f"librdkafka {confluent_kafka.libversion()[0]}: {error}") from None
    return chosen, _reported(whole, start.role)


def profiles() -> tuple[str, ...]:
    """Return the profiles that this version has all settings and values of."""
    return tuple(profile for profile in PROFILES if _takes(profile))


def _takes(profile: str) -> bool:
    try:
        NATIVE.effective(_settings(profile))
    except ConfigurationError:
        return False
    return True


def _settings(profile: str) -> dict[str, str]:
    return {key: value for key, value in PROFILES[profile].items() if key in KNOWN or key not in NEWER}


def _reported(whole: Mapping[str, str], role: str) -> dict[str, str]:
    left_out = (set() if role in PRODUCING else OF_PRODUCERS) | (set() if role == "group" else OF_GROUPS)
    left_out |= {"isolation"} if role in PRODUCING else set()
    found = {ours: whole[key] for ours, key in REPORTED.items() if key in whole and ours not in left_out}
    found["longest_backoff_ms"] = str(max(int(whole[key]) for key in BACK_OFFS if key in whole))
    if role in PRODUCING:
        found["acks"] = {"-1": "all"}.get(whole["request.required.acks"], whole["request.required.acks"])
        found["compression"] = whole["compression.codec"]
        if whole.get("enable.idempotence") == "true" or role == "transactional":
            found["idempotence"] = "true"
            found["max_in_flight"] = str(min(int(found["max_in_flight"]), IDEMPOTENT_IN_FLIGHT))
    return found
