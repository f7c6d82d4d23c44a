"""The change of a cell from one version of a client to the next, as a sentence for its maintainers. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from types import MappingProxyType

from probe.cells.aggregate import SettledCell
from probe.cells.comparison import Answer, Compared
from probe.cells.comparison_steps import expectation
from probe.model import CONTROL, Cell, Facts, Outcome, Reaction, Symptom, Target, Trigger, Verdict
from probe.model.grades import worst_trial
from probe.verdict.standstill_text import span

WHEN: Mapping[Symptom, str] = MappingProxyType(
    {
        Symptom.ANSWER: "after an error answer",
        Symptom.CONNECTION: "after a lost connection",
        Symptom.SILENCE: "when a broker stops answering",
        Symptom.CHANGE: "after its broker changed",
        Symptom.ABSENCE: "after its application was away",
        Symptom.MEMBERSHIP: "after a change in its group",
        Symptom.NONE: "with healthy brokers",
    }
)
"""The fault as the client meets it."""
ASKED: Mapping[Target, str] = MappingProxyType(
    {
        Target.LEADER: "the leader",
        Target.FOLLOWER: "the leader",
        Target.COORDINATOR: "the coordinator",
        Target.CONTROLLER: "the controller",
        Target.CLUSTER: "the brokers",
        Target.NONE: "the brokers",
    }
)


def sentence(one: Compared) -> str:
    """Return what changed in a cell, with the role and the scenario.

    >>> sentence(compared)  # doctest: +SKIP
    'producer: after an error answer (disk/storage-error) it no longer asks for the leader: stuck for 34 s, was 0.3 s'
    """
    cell = one.step.after.cell
    before, after = _typical(one.step.before), worst_trial(one.step.after.verdicts)
    if one.answer is Answer.BETTER:
        before, after = worst_trial(one.step.before.verdicts), _typical(one.step.after)
    return f"{cell.role}: {_when(cell)} {_what(cell, before, after)}"


def _typical(settled: SettledCell) -> Verdict:
    """Return a trial with the commonest outcome."""
    commonest = settled.votes.most_common(1)[0][0]
    same = [one for one in settled.verdicts if one.outcome is commonest]
    return sorted(same, key=_cost_ms)[len(same) // 2]


def _when(cell: Cell) -> str:
    play = expectation(cell)
    if cell.scenario == CONTROL or play is None:
        return f"{WHEN[Symptom.NONE]} ({cell.scenario}{cell.unusual})"
    return f"{WHEN[play.kind]} ({cell.scenario}{cell.unusual})"


def _what(cell: Cell, before: Verdict, after: Verdict) -> str:
    asks = _asking(cell, before, after)
    cost = _cost(before, after)
    return ": ".join(filter(None, (asks, cost))) or f"it {after.outcome}, {before.outcome} before"


def _asking(cell: Cell, before: Verdict, after: Verdict) -> str:
    """Return whether the client began or ceased to ask for its new broker; empty if neither."""
    play = expectation(cell)
    if play is None or play.expects is not Reaction.DISCOVER:
        return ""
    asked, asks = (_asks(one.facts) for one in (before, after))
    if asked == asks:
        return ""
    return f"it {'asks' if asks else 'no longer asks'} for {ASKED[play.target]}"


def _asks(facts: Facts) -> bool:
    return facts.refresh_trigger not in {None, Trigger.NONE, Trigger.PERIODIC}


def _cost(before: Verdict, after: Verdict) -> str:
    was = _was(before, after)
    facts = after.facts
    if after.outcome is Outcome.FATAL:
        return f"unusable for good{_error(facts)}{was}"
    if after.outcome is Outcome.STUCK:
        return f"stands still for all of the {span(facts.watched_ms)} that it was watched{was}"
    if facts.storm or after.outcome is Outcome.VIOLATES:
        return f"{after.reason}{was}"
    if facts.recovery_ms is None:
        waits = f"still waits after {span(facts.watched_ms)}" if after.outcome is Outcome.LATE else ""
        return f"{waits}{was}" if waits else _errors(before, after)
    times = f"waits {span(_cost_ms(after))}{was}"
    return times if _differs(before, after) else _errors(before, after) or times


def _differs(before: Verdict, after: Verdict) -> bool:
    return before.facts.recovery_ms is None or abs(_cost_ms(after) - _cost_ms(before)) >= 0.2 * _cost_ms(after)


def _errors(before: Verdict, after: Verdict) -> str:
    counts = [one.facts.errors_surfaced or one.facts.failed_ops for one in (before, after)]
    if counts[0] == counts[1]:
        return ""
    return f"{counts[1] or 'no'} errors reach the application{_error(after.facts)}, {counts[0] or 'none'} before"


def _error(facts: Facts) -> str:
    return f" ({facts.first_error})" if facts.first_error else ""


def _was(before: Verdict, after: Verdict) -> str:
    """Return what the other side does in the same place, after a comma."""
    if before.facts.recovery_ms is not None:
        return f", was {span(_cost_ms(before))}"
    return "" if before.outcome is after.outcome else f", was {before.outcome}"


def _cost_ms(verdict: Verdict) -> float:
    own = verdict.facts.own_recovery_ms
    return float(verdict.facts.watched_ms if own is None else max(own, 0.0))


def middle_ms(settled: SettledCell) -> float | None:
    """Return the median time of recovery of a cell; None if no trial recovered."""
    times = [one.facts.own_recovery_ms for one in settled.verdicts if one.facts.own_recovery_ms is not None]
    return median(times) if times else None
