"""The meaning of a client's control cell for its other cells (docs/verdicts.md#the-control-cell). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile

from probe.model import CONTROL, Header, Outcome
from probe.model.outcomes import NO_ANSWER, OUTCOMES

CONTROL_TRIALS = 3
"""Trials of a control cell whose first one is neither `clean` nor `unsupported`."""
MAJORITY = CONTROL_TRIALS // 2 + 1


@dataclass(frozen=True, slots=True)
class ControlResult:
    """The outcome of a control cell, and how many of its trials agree on it."""

    outcome: Outcome
    trials: int


def settle_control(outcomes: Sequence[Outcome]) -> ControlResult | None:
    """Return the result of a control cell from its trials, in their order; None while further trials are needed.

    A first trial that is `clean`, `unsupported` or `broken` (no attempt of the harness succeeded) is the result. After
    any other outcome the majority of CONTROL_TRIALS is, or `flaky` where there is none. Broken trials before a judged
    one do not count: a resumed run has replaced them.

    >>> settle_control([Outcome.STORMS, Outcome.CLEAN, Outcome.STORMS]).outcome.value
    'storms'
    """
    if not outcomes:
        return None
    counting = [*dropwhile(Outcome.BROKEN.__eq__, outcomes)] or outcomes[:1]
    first = counting[0]
    if OUTCOMES[first].ends_control or first is Outcome.BROKEN:
        return ControlResult(first, 1)
    if len(counting) < CONTROL_TRIALS:
        return None
    most, agreeing = Counter(counting).most_common(1)[0]
    return ControlResult(most if agreeing >= MAJORITY else Outcome.FLAKY, agreeing)


def impossible_by_control(header: Header) -> str:
    """Return why the control cell of a client makes its other cells impossible; an empty text if it does not."""
    if header.steady is Outcome.UNSUPPORTED:
        return f"its control cell, {CONTROL}, is {header.steady} with Kafka {header.cell.broker}, too"
    if not unclean(header) or header.steady in NO_ANSWER or header.steady_trials < MAJORITY:
        return ""
    return f"its control cell, {CONTROL}, is {header.steady} in {header.steady_trials} of {CONTROL_TRIALS} trials"


def with_control(header: Header, result: ControlResult | None) -> Header:
    """Return the header of a trial with the result of its control cell, if that is known."""
    return header if result is None else replace(header, steady=result.outcome, steady_trials=result.trials)


def unclean(header: Header) -> bool:
    """Return whether the control cell of a client is known, and not clean."""
    return header.steady not in {None, Outcome.CLEAN}
