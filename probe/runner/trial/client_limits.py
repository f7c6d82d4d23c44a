"""Limits of a client's own reactions, from its effective settings. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from probe.model import Expectation, Reaction, Symptom, Target
from probe.scenarios.steps.brokers import KeepAnswers
from probe.scenarios.steps.step import Step
from probe.verdict.patience import PATIENCE_FACTOR

LONGEST_DELIVERY_MS = 120_000
"""Longest delivery timeout that is waited for; Java's default."""
SILENCES = 4
"""Consecutive timeouts of a silence: of a request, then of ApiVersions, its old version and Metadata on a new
connection to the same broker (sarama)."""
LONGEST_SILENCES_MS = 150_000
"""Longest row of timeouts that is waited for, unless one of them is longer."""
CONNECTING_MS = 130_000
"""Time after which Linux gives up a connection that nobody answers (127 s: tcp_syn_retries = 6). Old clients with
timeouts of minutes have no shorter limit for a connection, and after one timeout they try the silent address again."""
TIMEOUTS = ("request_timeout_ms", "socket_timeout_ms")
"""Settings after which an unanswered request is given up."""
UNKNOWN_TIMEOUT_MS = 30_000
"""Taken for a client that has no request timeout: most have this one."""
SHORTEST_CLOSE_MS = 10_000
"""A client with short time-outs still needs some time on a busy machine."""
UNSENT = frozenset({Symptom.SILENCE, Symptom.CONNECTION})
"""Symptoms under which a request may wait for its whole timeout: for an answer, or for a connection to be sent on."""


def own_limit_ms(play: Expectation, settings: Mapping[str, str]) -> int:
    """Return the client's own limit for this kind of fault, in milliseconds (docs/verdicts.md#patience)."""
    limits = [_back_off_ms(settings)]
    if play.kind in UNSENT:
        limits.append(timeout_ms(settings))
    if play.kind is Symptom.SILENCE:
        once_ms = timeout_ms(settings)
        limits.append(min(SILENCES * once_ms, LONGEST_SILENCES_MS))
        if once_ms > LONGEST_SILENCES_MS:
            limits.append(once_ms + CONNECTING_MS)
    if play.target is Target.COORDINATOR:
        limits.append(_number(settings, "session_timeout_ms") + _number(settings, "rebalance_timeout_ms"))
    if play.expects is Reaction.SURFACE:
        limits.append(min(_number(settings, "delivery_timeout_ms"), LONGEST_DELIVERY_MS))
    return max(limits)


def close_limit_ms(settings: Mapping[str, str]) -> int:
    """Return the time within which a client ends that is asked to close, in milliseconds (docs/verdicts.md#closing).

    What is under way may take all its retries, or a session of the group.
    """
    once_ms = timeout_ms(settings)
    delivery_ms = _number(settings, "delivery_timeout_ms") or (_number(settings, "retries") + 1) * once_ms
    longest_ms = max(once_ms, min(delivery_ms, LONGEST_DELIVERY_MS), _number(settings, "session_timeout_ms"))
    return max(SHORTEST_CLOSE_MS, round(PATIENCE_FACTOR * longest_ms))


def timeout_ms(settings: Mapping[str, str]) -> int:
    """Return the time after which a client retries an unanswered request, in milliseconds."""
    return max(_number(settings, key) for key in TIMEOUTS) + _back_off_ms(settings)


def with_own_timeout(steps: Sequence[Step], settings: Mapping[str, str]) -> tuple[Step, ...]:
    """Return the steps with the whole time of answers that come after the client's own timeout."""
    own_ms = timeout_ms(settings) if any(_number(settings, key) for key in TIMEOUTS) else UNKNOWN_TIMEOUT_MS
    return tuple(
        replace(step, keep_ms=own_ms + step.beyond_own_ms) if isinstance(step, KeepAnswers) else step for step in steps
    )


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
