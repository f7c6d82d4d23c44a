"""Profiles as keyword arguments: what aiokafka and kafka-python have in common, which name most settings alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from driver_runtime.library import Unsupported
from driver_runtime.profiles import AUTOCOMMIT, NO_REFRESH_MS, STATIC_MEMBER, typed
from probe.driver_contract import driver_pb2 as pb

QUICK_TIMEOUTS, SHORT_LIMITS = "quick-timeouts", "short-limits"
NO_REFRESH: Mapping[str, Any] = {"metadata_max_age_ms": NO_REFRESH_MS}
PROFILES: Mapping[str, Mapping[str, Any]] = {
    "isolated": NO_REFRESH,
    "defaults": {},
    "idempotent": {**NO_REFRESH, "enable_idempotence": True},
    "acks-1": {**NO_REFRESH, "acks": 1},
    "zstd": {**NO_REFRESH, "compression_type": "zstd"},
    "refresh-1s": {"metadata_max_age_ms": 1000},
    QUICK_TIMEOUTS: {**NO_REFRESH, "request_timeout_ms": 5000},
    SHORT_LIMITS: NO_REFRESH,
    STATIC_MEMBER: NO_REFRESH,
    AUTOCOMMIT: NO_REFRESH,
}
REPORTED: Mapping[str, str] = {
    "retry_backoff_ms": "retry_backoff_ms",
    "request_timeout_ms": "request_timeout_ms",
    "refresh_ms": "metadata_max_age_ms",
    "linger_ms": "linger_ms",
    "compression": "compression_type",
    "isolation": "isolation_level",
    "offset_reset": "auto_offset_reset",
}
"""Settings in READY by the names of driver.proto, and the library's keys."""
OfRoles = Mapping[tuple[str, str], Mapping[str, Any]]
"""Further settings, by profile and role."""


def of_roles(quick: Mapping[str, Any], short: Mapping[str, Any]) -> OfRoles:
    """Return the further settings, with those of members of a group with quick timeouts and with short limits.

    A static member also has the name of its instance.
    """
    return {
        (QUICK_TIMEOUTS, "group"): quick,
        (SHORT_LIMITS, "group"): short,
        (STATIC_MEMBER, "group"): short,
        (AUTOCOMMIT, "group"): {**short, "enable_auto_commit": True, "auto_commit_interval_ms": 1000},
        (SHORT_LIMITS, "transactional"): {"transaction_timeout_ms": 10000},
    }


def secured(start: pb.Start) -> dict[str, Any]:
    """Return the settings for the listener's security that aiokafka and kafka-python name alike."""
    asked = start.security
    if not asked.protocol:
        return {}
    found: dict[str, Any] = {"security_protocol": asked.protocol}
    if asked.mechanism:
        found["sasl_mechanism"] = asked.mechanism
    if asked.mechanism and not asked.token_endpoint:
        found |= {"sasl_plain_username": asked.user, "sasl_plain_password": asked.password}
    return found


def chosen(
    name: str,
    start: pb.Start,
    known: Mapping[str, Any],
    settings: tuple[Mapping[str, Any], Mapping[str, Any], OfRoles],
    convert: Callable[[str, str, object], object],
    secure: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the arguments of a constructor: those of the role, the profile, both, and the properties of the start.

    `name` is the library with its version, `known` its settings with their defaults, `settings` what the role sets, the
    profiles and the further settings, `secure` what the listener's security needs. Raises Unsupported for a key that
    the library does not know.
    """
    role, profiles, further = settings
    own = further.get((start.profile, start.role), {})
    if start.profile == STATIC_MEMBER:
        own = {**own, "group_instance_id": start.instance}
    found = {**role, **profiles[start.profile], **own, **secure, **typed(name, start.properties, known, convert)}
    if absent := [key for key in found if key not in known]:
        raise Unsupported(f"{name} has no setting {absent[0]!r} for role {start.role}")
    return found
