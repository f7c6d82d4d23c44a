"""The verdict table (docs/verdicts.md#the-table): the first rule that holds decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from probe.model import Outcome, Reaction, Reroute
from probe.verdict.findings import Findings

RULES_VERSION = 21
"""It is raised whenever a rule, a definition or a bound changes the judgement of a stored history."""


class Rule(NamedTuple):
    """One line of the table."""

    row: int
    name: str
    when: str
    """The condition, as docs/verdicts.md shows it."""
    holds: Callable[[Findings], bool]
    outcome: Outcome
    reason: str
    """Template of the verdict's sentence. `probe.verdict.reason_text` returns its values."""


def _expects(expects: Reaction) -> Callable[[Findings], bool]:
    return lambda found: found.play.expects is expects


def _late(found: Findings) -> bool:
    return found.slow or not found.by_cause


def _surfaced(found: Findings) -> bool:
    return found.facts.errors_surfaced > 0


RULES: tuple[Rule, ...] = (
    Rule(
        1,
        "broken",
        "the harness failed (a loop stall over 250 ms, a fake cluster without a core for 400 ms, lost events, no "
        "read-back, no fault, a client that ended before the fault met it), or the "
        "[control cell](#the-control-cell) is neither `clean` nor settled",
        lambda found: bool(found.broken),
        Outcome.BROKEN,
        "{broken}",
    ),
    Rule(
        2,
        "impossible",
        "driver or engine declared it impossible, or the [control cell](#the-control-cell) shows that it is",
        lambda found: bool(found.impossible),
        Outcome.UNSUPPORTED,
        "{impossible}",
    ),
    Rule(
        3,
        "no hit",
        "something is expected, and there was no hit",
        lambda found: found.play.expects is not Reaction.NOTHING and not found.provoked,
        Outcome.NOT_PROVOKED,
        "no {fault} reached the client in {watched}",
    ),
    Rule(
        4,
        "ended",
        "the instance became unusable or its process went, unasked, after the hit (where that conforms, no promise was "
        "broken)",
        lambda found: bool(found.fatal) and not (found.promises and Outcome.FATAL in found.play.conforms),
        Outcome.FATAL,
        "the client ended unasked after {met}: {fatal}",
    ),
    Rule(
        5,
        "promise broken",
        "a promise was broken",
        lambda found: bool(found.promises),
        Outcome.VIOLATES,
        "a promise was broken: {promises}",
    ),
    Rule(
        6,
        "never served",
        "the client connected, and never served, although nothing was done to the brokers (control cell)",
        lambda found: bool(found.unserved),
        Outcome.STUCK,
        "{unserved}",
    ),
    Rule(
        6,
        "not yet",
        "the goal was not reached, and it was watched for less than patience",
        lambda found: not found.goal and not found.enough,
        Outcome.WAITING,
        "{missed} in {watched}, which is less than it is due",
    ),
    Rule(
        7,
        "goal missed",
        "the goal was not reached (recovered; where surfacing is expected: one error, and the bystander serves; where "
        "nothing is expected: it serves)",
        lambda found: not found.goal,
        Outcome.STUCK,
        "{missed} in {watched} after {met}{details}",
    ),
    Rule(
        8,
        "storm",
        "storm",
        lambda found: bool(found.facts.storm),
        Outcome.STORMS,
        "too much traffic: {storm}",
    ),
    Rule(
        9,
        "read again late",
        "the group has two members, and a partition was read again later than [it was due](#groups-of-two)",
        lambda found: found.taken is not None and found.taken.late,
        Outcome.LATE,
        "{taken}{details}",
    ),
    Rule(
        9,
        "nothing expected, no error",
        "nothing expected, no error",
        lambda found: found.play.expects is Reaction.NOTHING and not _surfaced(found),
        Outcome.CLEAN,
        "{served} without an error",
    ),
    Rule(
        9,
        "nothing expected, an error",
        "nothing expected, an error",
        _expects(Reaction.NOTHING),
        Outcome.SURFACES,
        "{errors}{unexpected}",
    ),
    Rule(
        10,
        "surfacing expected",
        "surfacing expected",
        _expects(Reaction.SURFACE),
        Outcome.SURFACES,
        "{errors} after {met}, as they should",
    ),
    Rule(
        11,
        "retrying expected, no error",
        "retrying expected, no error, recovered promptly, and left the connection where an [answer asks for it](#owed)",
        lambda found: found.play.expects is Reaction.RETRY and not _surfaced(found) and not _late(found),
        Outcome.RIDES,
        "recovered in {recovery} from {met}, without an error",
    ),
    Rule(
        11,
        "retrying expected, an error",
        "retrying expected, an error",
        lambda found: found.play.expects is Reaction.RETRY and _surfaced(found),
        Outcome.SURFACES,
        "{errors} after {met}; recovered in {recovery}",
    ),
    Rule(
        12,
        "only soft hits",
        "discovery expected, only soft hits, no error",
        lambda found: found.play.expects is Reaction.DISCOVER and found.only_soft and not _surfaced(found),
        Outcome.CLEAN,
        "served throughout, {soft} of them by a broker that is not the leader any more",
    ),
    Rule(
        13,
        "late",
        "discovery expected, and rerouted neither by a hint nor by a cause of this scenario; or retrying expected, and "
        "it asked again on a connection that an [answer asks it to leave](#owed); or recovered more slowly than "
        "prompt, without what brokers kept it waiting",
        _late,
        Outcome.LATE,
        "recovered in {recovery} from {met}, rescued by {rescuer}{details}",
    ),
    Rule(
        14,
        "an error",
        "an error reached the application",
        _surfaced,
        Outcome.SURFACES,
        "{errors} after {met}; {asked}, recovered in {recovery}",
    ),
    Rule(
        15,
        "hint",
        "rerouted by a hint",
        lambda found: found.facts.reroute is Reroute.HINT,
        Outcome.HINTED,
        "went where the answer pointed {reroute} after {met}; recovered in {recovery}",
    ),
    Rule(
        16,
        "refresh",
        "otherwise",
        lambda _: True,
        Outcome.REFRESHES,
        "met {met}; {asked}; recovered in {recovery}",
    ),
)


def decide(found: Findings) -> Rule:
    """Return the first rule that holds. The last one always holds."""
    return next(rule for rule in RULES if rule.holds(found))
