"""A library's own limits in its client.toml, for comparison with what drivers and trials report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from probe.catalogue.families import Family
from probe.model.words import OwnLimit

LATE_MS = 10_000
"""A refresh that no timer makes comes with the next operation: later by a long poll and two of their intervals."""


def limits_of(family: Family, version: str, role: str) -> Iterator[tuple[OwnLimit, int]]:
    """Yield the limits of a version in a role, in milliseconds."""
    for one in family.behaviour.own_limits:
        if one.covers(version) and (not one.roles or role in one.roles):
            yield one.limit, one.value


def unlisted(
    family: Family, version: str, role: str, seen: Iterable[tuple[OwnLimit, float]]
) -> list[tuple[OwnLimit, float]]:
    """Return which of these limits client.toml does not have. Waits between attempts are `back_off_ms` there."""
    listed = list(limits_of(family, version, role))
    return [
        (limit, ms)
        for limit, ms in seen
        if limit not in {OwnLimit.RETRY, OwnLimit.NONE}
        and not any(known is limit and value <= ms <= value + _late_ms(limit) for known, value in listed)
    ]


def _late_ms(limit: OwnLimit) -> int:
    return LATE_MS if limit is OwnLimit.REFRESH else 0
