"""Profiles and properties: what is the same for all Python drivers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from driver_runtime.library import Unsupported
from probe.driver_contract import driver_pb2 as pb

PRODUCING = frozenset({"producer", "transactional"})
PRODUCER_PROFILES = frozenset({"idempotent", "no-retries", "acks-1", "zstd"})
"""Profiles with settings that only producers have."""
STATIC_MEMBER, COOPERATIVE, AUTOCOMMIT = "static-member", "cooperative", "autocommit"
CONSUMER_PROTOCOL = "consumer-protocol"
GROUP_PROFILES = frozenset({STATIC_MEMBER, COOPERATIVE, AUTOCOMMIT, CONSUMER_PROTOCOL})
"""Profiles with settings that only members of a group have."""
NO_REFRESH_MS = 24 * 3600 * 1000
"""A refresh interval longer than any trial, for libraries without a value for "never"."""
UNLIMITED = 2147483647
"""Reported for a setting without a limit."""


def check_role(start: pb.Start) -> None:
    """Raise Unsupported for a profile without a meaning for the role."""
    if start.profile in PRODUCER_PROFILES and start.role not in PRODUCING:
        raise Unsupported(f"profile {start.profile} sets what only producers have; role {start.role} does not produce")
    if start.profile in GROUP_PROFILES and start.role != "group":
        raise Unsupported(f"profile {start.profile} sets what only members of a group have; role {start.role} is none")


def typed(
    client: str,
    properties: Mapping[str, str],
    known: Mapping[str, object],
    convert: Callable[[str, str, object], object],
) -> dict[str, object]:
    """Convert properties by `convert(key, text, default)`; `known` are the library's settings with their defaults.

    Raises Unsupported for an unknown key.
    """
    for key in properties:
        if key not in known:
            raise Unsupported(f"{client} has no setting {key!r}")
    return {key: convert(key, text, known[key]) for key, text in properties.items()}


def value_like(family: str, key: str, text: str, default: object) -> object:
    """Convert a text to the type of a default: bool, a whole number, or text. Raises Unsupported if it is none."""
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False}[text.lower()]
        if isinstance(default, int | float):
            return int(text)
    except (ValueError, KeyError):
        raise Unsupported(f"{family} setting {key} does not take {text!r}") from None
    return text


def text_of(value: object) -> str:
    """Return a setting as driver.proto has it in READY."""
    if value is None:
        return "none"
    if value == float("inf"):
        return str(UNLIMITED)
    if isinstance(value, tuple):
        return ".".join(str(part) for part in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def acks_of(value: object) -> str:
    """Return acks as driver.proto has them: `all`, `1`, `0`."""
    return {"-1": "all"}.get(str(value), str(value))
