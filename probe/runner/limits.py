"""What a client's effective settings say about how long it may take. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from probe.model import Expects, Kind, Play, Target

LONGEST_DELIVERY_MS = 120_000
"""Java's default. Who keeps a record for longer before it tells that it failed is not waited for."""


def own_limit_ms(play: Play, settings: Mapping[str, str]) -> int:
    """Return the client's own limit for this kind of fault (SEMANTICS 2, patience), in milliseconds."""
    back_off = max(_number(settings, "longest_backoff_ms"), _number(settings, "retry_backoff_ms"))
    if play.kind is Kind.SILENCE:
        return max(_number(settings, "request_timeout_ms"), _number(settings, "socket_timeout_ms")) + back_off
    if play.target is Target.COORDINATOR:
        return _number(settings, "session_timeout_ms") + _number(settings, "rebalance_timeout_ms")
    if play.expects is Expects.SURFACE:
        return max(back_off, min(_number(settings, "delivery_timeout_ms"), LONGEST_DELIVERY_MS))
    return back_off


def refresh_ms(settings: Mapping[str, str]) -> int:
    """Return the interval of periodic refresh; 0 where there is none."""
    return max(0, _number(settings, "refresh_ms"))


def _number(settings: Mapping[str, str], key: str) -> int:
    try:
        return int(float(settings.get(key, "0")))
    except ValueError:
        return 0
