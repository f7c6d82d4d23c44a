"""Limits of a client's own reactions, from its effective settings. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from probe.model import Expectation, Reaction, Symptom, Target

LONGEST_DELIVERY_MS = 120_000
"""Longest delivery timeout that is waited for; Java's default."""
SILENCES = 4
"""Consecutive timeouts of a silence: of a request, then of ApiVersions, its old version and Metadata on a new
connection to the same broker (sarama)."""
LONGEST_SILENCES_MS = 150_000
"""Longest row of timeouts that is waited for, unless one of them is longer."""
UNSENT = frozenset({Symptom.SILENCE, Symptom.CONNECTION})
"""Symptoms under which a request may wait for its whole timeout: for an answer, or for a connection to be sent on."""


def own_limit_ms(play: Expectation, settings: Mapping[str, str]) -> int:
    """Return the client's own limit for this kind of fault, in milliseconds (docs/verdicts.md#patience)."""
    limits = [_back_off_ms(settings)]
    if play.kind in UNSENT:
        limits.append(timeout_ms(settings))
    if play.kind is Symptom.SILENCE:
        limits.append(min(SILENCES * timeout_ms(settings), LONGEST_SILENCES_MS))
    if play.target is Target.COORDINATOR:
        limits.append(_number(settings, "session_timeout_ms") + _number(settings, "rebalance_timeout_ms"))
    if play.expects is Reaction.SURFACE:
        limits.append(min(_number(settings, "delivery_timeout_ms"), LONGEST_DELIVERY_MS))
    return max(limits)


def timeout_ms(settings: Mapping[str, str]) -> int:
    """Return the time after which a client retries an unanswered request, in milliseconds."""
    timeouts = (_number(settings, "request_timeout_ms"), _number(settings, "socket_timeout_ms"))
    return max(timeouts) + _back_off_ms(settings)


def _back_off_ms(settings: Mapping[str, str]) -> int:
    return max(_number(settings, "longest_backoff_ms"), _number(settings, "retry_backoff_ms"))


def refresh_ms(settings: Mapping[str, str]) -> int:
    """Return the interval of periodic refresh, in milliseconds; 0 if there is none."""
    return max(0, _number(settings, "refresh_ms"))


def _number(settings: Mapping[str, str], key: str) -> int:
    try:
        return int(float(settings.get(key, "0")))
    except ValueError:
        return 0
