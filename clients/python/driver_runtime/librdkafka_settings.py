"""Settings of librdkafka, for drivers that use it directly or inside a program."""

from __future__ import annotations

from collections.abc import Mapping

from probe.driver_contract import driver_pb2 as pb

NO_REFRESH = {"topic.metadata.refresh.interval.ms": "-1"}
"""No periodic refresh. metadata.max.age.ms keeps its default of 15 minutes, which is longer than any trial."""
QUICK = {"socket.timeout.ms": "5000", "request.timeout.ms": "5000"}
PROFILES: Mapping[str, Mapping[str, str]] = {
    "isolated": NO_REFRESH,
    "defaults": {},
    "idempotent": NO_REFRESH | {"enable.idempotence": "true"},
    "no-retries": NO_REFRESH | {"message.send.max.retries": "0"},
    "acks-1": NO_REFRESH | {"acks": "1"},
    "zstd": NO_REFRESH | {"compression.codec": "zstd"},
    "refresh-1s": {"topic.metadata.refresh.interval.ms": "1000", "metadata.max.age.ms": "3000"},
    "quick-timeouts": NO_REFRESH | QUICK,
}
BACK_OFFS = ("retry.backoff.ms", "retry.backoff.max.ms", "reconnect.backoff.max.ms", "fetch.error.backoff.ms")


def longest_backoff(effective: Mapping[str, str]) -> str:
    """Return the longest back-off in milliseconds; settings that a version lacks do not count."""
    return str(max(int(effective[key]) for key in BACK_OFFS if key in effective))


def secured(start: pb.Start) -> dict[str, str]:
    """Return the settings for the listener's security; the spelling of `sasl.mechanisms` is that of all versions."""
    asked = start.security
    found = {"security.protocol": asked.protocol} if asked.protocol else {}
    if asked.authority_file:
        found["ssl.ca.location"] = asked.authority_file
    if asked.certificate_file:
        found |= {"ssl.certificate.location": asked.certificate_file, "ssl.key.location": asked.certificate_file}
    if asked.token_endpoint:
        found |= {
            "sasl.mechanisms": asked.mechanism,
            "sasl.oauthbearer.method": "oidc",
            "sasl.oauthbearer.token.endpoint.url": asked.token_endpoint,
            "sasl.oauthbearer.client.id": asked.user,
            "sasl.oauthbearer.client.secret": asked.password,
        }
    elif asked.mechanism:
        found |= {
            "sasl.mechanisms": asked.mechanism,
            "sasl.username": asked.user,
            "sasl.password": asked.password,
        }
    return found
