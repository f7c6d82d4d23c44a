"""The time for which work stood still, and its end, in words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from probe.model import Ender, Facts, OwnLimit
from probe.model.words import UNENDED
from probe.verdict.patience import MOST_AWAITED_MS, PATIENCE_FACTOR

NOTEWORTHY_MS = 3000
"""A shorter standstill is said only where a refresh ended it: that might have been long."""
NAMES: Mapping[OwnLimit, str] = MappingProxyType(
    {
        OwnLimit.REFRESH: "periodic refresh",
        OwnLimit.DELIVERY: "delivery limit",
        OwnLimit.SESSION: "session and rebalance time-out",
        OwnLimit.REQUEST: "request time-out",
        OwnLimit.CONNECTION: "connection time-out",
        OwnLimit.RETRY: "longest back-off",
    }
)
ENDED: Mapping[Ender, str] = MappingProxyType(
    {
        Ender.HINT: "an answer named the next broker",
        Ender.ERROR: "it asked because of an error answer",
        Ender.DISCONNECT: "it asked because a connection was lost",
        Ender.CONNECT: "it asked on a new connection",
        Ender.BOOTSTRAP: "it asked at its bootstrap addresses",
        Ender.RETRY: "it tried again",
        Ender.UNKNOWN: "it came back for a reason that the wire does not show",
        Ender.HEALED: "the fault ended by itself",
        Ender.PERIODIC: "its periodic refresh",
        Ender.STARTUP: "its start found a broker that answers",
    }
)


def standstill_text(facts: Facts) -> str:
    """Return the end of a sentence about a client that was observed to the end; empty where nothing is to be said.

    >>> standstill_text(Facts(still_ms=51_000, ended_by=Ender.PERIODIC, own_limit=OwnLimit.REFRESH, own_limit_ms=6e5))
    '; stood still 51 s, until its periodic refresh (every 10 min: up to 600 s)'
    """
    if not facts.ended_by or facts.still_ms is None:
        return ""
    if facts.ended_by is Ender.NOTHING:
        return f"; stood still {span(facts.still_ms)}: {_unended(facts)}"
    if facts.still_ms < NOTEWORTHY_MS and facts.ended_by is not Ender.PERIODIC:
        return ""
    return f"; stood still {span(facts.still_ms)}, until {ENDED[facts.ended_by]}{_bound(facts)}"


def span(ms: float) -> str:
    """Return a time as people say it.

    >>> span(1234), span(51_000), span(600_000), span(250_000)
    ('1.2 s', '51 s', '10 min', '250 s')
    """
    if ms >= 60_000 and round(ms) % 60_000 == 0:
        return f"{ms / 60_000:.0f} min"
    return f"{ms / 1000:.0f} s" if ms >= 10_000 or round(ms) % 1000 == 0 else f"{ms / 1000:.1f} s"


def _unended(facts: Facts) -> str:
    if facts.own_limit_ms is None or not facts.own_limit:
        return UNENDED
    name, length = NAMES[facts.own_limit], span(facts.own_limit_ms)
    if facts.own_limit_ms * PATIENCE_FACTOR > MOST_AWAITED_MS:
        return f"not within {span(MOST_AWAITED_MS)}, and its {name} of {length} was not awaited"
    return f"none of its own limits ended it, the longest of which is its {name} of {length}"


def _bound(facts: Facts) -> str:
    if facts.own_limit_ms is None or not facts.own_limit:
        return ""
    length = span(facts.own_limit_ms)
    if facts.ended_by is Ender.PERIODIC:
        return f" (every {length}: up to {facts.own_limit_ms / 1000:.0f} s)"
    return f" (its {NAMES[facts.own_limit]}: {length})"
