"""Lengths of observations: patience, and a library's own limits that could rescue a client (docs/verdicts.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from probe.model import Header, OwnLimit

PATIENCE_FACTOR = 1.2
"""Patience is the client's own limit times this factor (docs/verdicts.md#patience)."""
MOST_AWAITED_MS = 900_000
"""Longest observation to the end. A limit that needs a longer one is not awaited."""
SELDOM_MS = 5000
"""Interval of work after the usual watch, where a client is observed to the end."""
LIMITS: Mapping[OwnLimit, tuple[str, ...]] = MappingProxyType(
    {
        OwnLimit.REFRESH: ("refresh_ms",),
        OwnLimit.DELIVERY: ("delivery_timeout_ms",),
        OwnLimit.SESSION: ("session_timeout_ms", "rebalance_timeout_ms"),
        OwnLimit.REQUEST: ("request_timeout_ms",),
        OwnLimit.CONNECTION: ("socket_timeout_ms",),
        OwnLimit.RETRY: ("longest_backoff_ms",),
    }
)
"""The settings (proto/driver.proto) that hold a limit after which a library does something else by itself."""


def patience_ms(header: Header) -> int:
    """Return how long after the fault a trial is observed before it is called stuck.

    It is max(watch, 1.2 x the client's own limit), plus the election where that takes longer than `prompt`. The minimum
    discovery age is an own limit, too, since a client that got the old leader does not ask again sooner. To the end it
    is at least `awaited_ms`.
    """
    return max(header.play.watch_ms, own_time_ms(header)) + _late_ms(header)


def usual_ms(header: Header) -> int:
    """Return patience where a trial is not observed to the end: what is judged on the usual watch ends with it."""
    return max(header.play.watch_ms, _reaction_ms(header)) + _late_ms(header)


def own_time_ms(header: Header) -> int:
    """Return the time within which the client's own limits let it react, from the moment at which it could."""
    return max(_reaction_ms(header), awaited_ms(header))


def awaited_ms(header: Header) -> int:
    """Return for how long a client is observed to the end, in milliseconds: 1.2 x the longest limit, at most 15 min.

    0 where it is not observed to the end.
    """
    if not header.limits.to_the_end:
        return 0
    _, longest_ms = longest_limit(header)
    return min(MOST_AWAITED_MS, round(PATIENCE_FACTOR * longest_ms))


def longest_limit(header: Header) -> tuple[OwnLimit, int]:
    """Return the longest limit of a client that could rescue it, with its length in milliseconds.

    No refresh counts for a client that is known to stand still with one every second.
    """
    found = [(ms, limit) for limit, ms in own_limits(header.settings) if limit is not OwnLimit.REFRESH or helps(header)]
    longest_ms, limit = max(found, default=(0, OwnLimit.NONE), key=lambda one: one[0])
    return limit, longest_ms


def helps(header: Header) -> bool:
    """Return whether a refresh may rescue the client."""
    return header.limits.refresh_helps


def own_limits(settings: Mapping[str, str]) -> Iterator[tuple[OwnLimit, int]]:
    """Yield the limits among effective settings, in milliseconds; a limit of several settings is their sum."""
    for limit, names in LIMITS.items():
        values = [_number(settings.get(name, "")) for name in names]
        if total := sum(value for value in values if value > 0):
            yield limit, total


def _reaction_ms(header: Header) -> int:
    return round(PATIENCE_FACTOR * max(header.limits.own_limit_ms, header.limits.min_discovery_age_ms))


def _late_ms(header: Header) -> int:
    election = header.play.election_ms or 0
    return election if election > header.play.prompt_ms else 0


def _number(text: str) -> int:
    try:
        return int(float(text))
    except ValueError:
        return 0
