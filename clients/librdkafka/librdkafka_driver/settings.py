"""Profiles and properties as librdkafka's configuration, and the effective settings by the names of driver.proto."""

from __future__ import annotations

from collections.abc import Mapping

from driver_runtime import librdkafka_settings
from driver_runtime.library import Unsupported
from driver_runtime.profiles import (
    AUTOCOMMIT,
    CONSUMER_PROTOCOL,
    COOPERATIVE,
    PRODUCING,
    STATIC_MEMBER,
    acks_of,
    check_role,
)

from librdkafka_driver.configuration_table import ConfigurationError, Native
from librdkafka_driver.origin import library_file
from probe.driver_contract import driver_pb2 as pb

SINCE = {COOPERATIVE: 0x01060000, CONSUMER_PROTOCOL: 0x020C0000}
"""First versions of profiles whose values older ones accept, as librdkafka numbers itself. Before 1.6.0 the name of any
assignor is taken until the client is made; from 2.4.0 to 2.12.0 the new group protocol is a trial."""
INSTANCE_ID = "group.instance.id"
SHARE = "share"
QUICK = {
    "session.timeout.ms": "6000",  # brokers reject less than their group.min.session.timeout.ms, 6 s by default
    "socket.connection.setup.timeout.ms": "5000",
}
SHORT = {"session.timeout.ms": "6000", "max.poll.interval.ms": "8000", "transaction.timeout.ms": "10000"}
SHORT_LIMITS = {**librdkafka_settings.NO_REFRESH, **SHORT}
PROFILES: Mapping[str, Mapping[str, str]] = {
    **librdkafka_settings.PROFILES,
    "quick-timeouts": {**librdkafka_settings.PROFILES["quick-timeouts"], **QUICK},
    "short-limits": SHORT_LIMITS,
    STATIC_MEMBER: {**SHORT_LIMITS, INSTANCE_ID: "the name of the instance"},
    CONSUMER_PROTOCOL: {**librdkafka_settings.NO_REFRESH, "group.protocol": "consumer"},
    COOPERATIVE: {**SHORT_LIMITS, "partition.assignment.strategy": "cooperative-sticky"},
    AUTOCOMMIT: {**SHORT_LIMITS, "enable.auto.commit": "true", "auto.commit.interval.ms": "1000"},
}
NEWER = frozenset({"socket.connection.setup.timeout.ms", "max.poll.interval.ms", "transaction.timeout.ms"})
"""Settings that a profile omits in versions without them."""
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
    "offset_reset": "auto.offset.reset",
    "protocol": "group.protocol",
}
"""driver.proto's names and librdkafka's (CONFIGURATION.md of each version)."""
OF_PRODUCERS = {"retries", "request_timeout_ms", "delivery_timeout_ms", "linger_ms", "max_in_flight", "idempotence"}
OF_GROUPS = {"session_timeout_ms", "rebalance_timeout_ms", "heartbeat_ms", "protocol"}
OF_READERS = {"isolation", "offset_reset"}
RESETS = {"smallest": "earliest", "beginning": "earliest", "largest": "latest", "end": "latest"}
"""librdkafka's older words for the values of auto.offset.reset."""
IDEMPOTENT_IN_FLIGHT = 5
"""librdkafka's max.in.flight with idempotence (rd_kafka_conf_finalize in rdkafka_conf.c)."""

NATIVE = Native(library_file())
VERSION, NUMBER = NATIVE.version()
KNOWN = frozenset(NATIVE.effective({}))
"""Every setting of this version."""


def configure(start: pb.Start, role: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the settings of the client, and the effective settings by the names of driver.proto.

    Raises Unsupported for a profile without a meaning for the role, and for settings that librdkafka rejects.
    """
    check_role(start)
    ours = {"bootstrap.servers": ",".join(start.bootstrap), "client.id": start.client_id}
    chosen = ours | dict(role) | _settings(start.profile) | librdkafka_settings.secured(start)
    if start.profile == STATIC_MEMBER:
        chosen[INSTANCE_ID] = start.instance
    chosen |= dict(start.properties)
    try:
        whole = NATIVE.effective(chosen)
    except ConfigurationError as error:
        raise Unsupported(f"librdkafka {VERSION}: {error}") from None
    return chosen, _reported(whole, start.role)


def profiles() -> tuple[str, ...]:
    """Return the profiles whose settings and values this version accepts."""
    return tuple(profile for profile in PROFILES if _takes(profile))


def _takes(profile: str) -> bool:
    if SINCE.get(profile, 0) > NUMBER:
        return False
    try:
        NATIVE.effective(_settings(profile))
    except ConfigurationError:
        return False
    return True


def _settings(profile: str) -> dict[str, str]:
    return {key: value for key, value in PROFILES[profile].items() if key in KNOWN or key not in NEWER}


def _reported(whole: Mapping[str, str], role: str) -> dict[str, str]:
    left_out = (set() if role in PRODUCING else OF_PRODUCERS) | (set() if role == "group" else OF_GROUPS)
    left_out |= OF_READERS if role in {*PRODUCING, SHARE} else set()  # of a share group the broker decides them
    found = {ours: whole[key] for ours, key in REPORTED.items() if key in whole and ours not in left_out}
    if "offset_reset" in found:
        found["offset_reset"] = RESETS.get(found["offset_reset"], found["offset_reset"])
    found["longest_backoff_ms"] = librdkafka_settings.longest_backoff(whole)
    if role in PRODUCING:
        found["acks"] = acks_of(whole["request.required.acks"])
        found["compression"] = whole["compression.codec"]
        if whole.get("enable.idempotence") == "true" or role == "transactional":
            found["idempotence"] = "true"
            found["max_in_flight"] = str(min(int(found["max_in_flight"]), IDEMPOTENT_IN_FLIGHT))
    return found
