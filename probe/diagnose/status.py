"""The status of a client with one object, and its evidence: one table of rules, the first that holds decides.

Patience is that of docs/verdicts.md#patience for a client whose own limits are not known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from probe.diagnose.admission import admission
from probe.diagnose.cases import Case
from probe.diagnose.findings import ACKS_NONE, Status
from probe.diagnose.objects import ADMISSION, Kind
from probe.diagnose.spells import Spell


def _seconds(span: int) -> str:
    return f"{span / 1e6:.0f} s" if span >= 10_000_000 else f"{span / 1e6:.1f} s"


def _served(case: Case) -> str:
    """Return what is missing of a recovery."""
    if case.trouble.owed:
        return "it is served again, but no commit has succeeded since one was refused"
    return f"it is served again, but too few times before the input ends ({case.trouble.good})"


Rule = tuple[Callable[[Case], bool], Status, Callable[[Case], str]]

RULES: tuple[Rule, ...] = (
    (
        lambda case: (
            case.stopped
            and case.trouble.good_at is not None
            and not case.joined
            and case.open
            and not case.elsewhere
            and not case.gone
        ),
        Status.STUCK,
        lambda case: f"it served what had waited, and sent nothing about it in the last {_seconds(case.idle)}",
    ),
    (
        lambda case: case.works,
        Status.RECOVERED,
        lambda case: f"it works elsewhere, although it met {case.met}",
    ),
    (
        lambda case: case.trouble.recovered_at(case.now) is not None,
        Status.RECOVERED,
        lambda case: f"works again {_seconds(_recovered(case.trouble.longest) - case.trouble.longest.since)} after",
    ),
    (
        lambda case: case.moved and case.trouble.good_at is not None and not case.trouble.owed,
        Status.RECOVERED,
        lambda case: f"the broker that leads now has served it {case.trouble.good} times; then the input ends",
    ),
    (
        lambda case: case.state.unanswerable,
        Status.UNKNOWN,
        lambda _: ACKS_NONE,
    ),
    (
        lambda case: case.trouble.good_at is not None and not case.trouble.owed,
        Status.UNKNOWN,
        lambda _: "it works again, but the input ends within a second",
    ),
    (
        lambda case: case.final,
        Status.UNKNOWN,
        lambda case: f"{case.met} is final: what the application made of it is not on the wire",
    ),
    (
        lambda case: bool(case.elsewhere) and (case.item.kind is Kind.CLUSTER or not case.tries),
        Status.UNKNOWN,
        lambda case: case.elsewhere,
    ),
    (
        lambda case: case.gone,
        Status.UNKNOWN,
        lambda case: (
            f"other processes have its address and client id; nothing about it in the last {_seconds(case.idle)}"
        ),
    ),
    (
        lambda case: case.ended,
        Status.UNKNOWN,
        lambda case: f"it ended its connections after {case.met}: stopped, or given up",
    ),
    (
        lambda case: (
            case.trouble.good > 0 and (not case.trouble.owed or case.waited < case.patience * 3) and not case.stopped
        ),
        Status.UNKNOWN,
        _served,
    ),
    (
        lambda case: case.waited < case.patience,
        Status.UNKNOWN,
        lambda case: f"seen for only {_seconds(case.waited)} after {case.met}",
    ),
    (
        lambda case: not case.open,
        Status.UNKNOWN,
        lambda case: f"it sent nothing at all in the last {_seconds(case.now - case.client.last_request)}",
    ),
    (
        lambda case: case.idle < case.patience,
        Status.STUCK,
        lambda case: f"no success in {_seconds(case.waited)}, and it still tries",
    ),
    (
        lambda case: case.stopped and not case.joined,
        Status.STUCK,
        lambda case: f"it worked regularly, and sent nothing about it in the last {_seconds(case.idle)}",
    ),
    (
        lambda _: True,
        Status.UNKNOWN,
        lambda case: f"it sent nothing about it in the last {_seconds(case.idle)}: given up, or without need",
    ),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """The status of a client with one object."""

    status: Status
    reason: str
    """A clause."""
    since: int
    """Beginning of the spell that is meant."""
    recovered: int | None = None


def status_of(case: Case) -> Judged:
    """Return the status. A client that the rules do not call stuck was stuck if some spell met the same bounds."""
    if case.item.kind in ADMISSION:
        admitted, why = admission(case.item.kind, case.trouble, case.state.mismatch, case.now)
        recovered = case.trouble.good_at if admitted is Status.RECOVERED else None
        return Judged(admitted, why, case.trouble.since, recovered)
    status, reason = next((status, reason) for holds, status, reason in RULES if holds(case))
    found = case.trouble
    if status is not Status.STUCK and (was := _was_stuck(case)) is not None:
        return Judged(Status.WAS_STUCK, _ended(case, was), was.since, _recovered(was) if was.served else None)
    if status is Status.RECOVERED:
        longest = found.longest
        return Judged(status, reason(case), longest.since, _recovered(longest) if longest.served else found.good_at)
    return Judged(status, reason(case), found.again)


def _was_stuck(case: Case) -> Spell | None:
    """Return the longest spell in which the client met the bounds of `stuck` until something else ended it."""
    if case.item.kind is Kind.CLUSTER or case.state.unanswerable or case.final or not case.state.requests:
        return None
    found, group = case.trouble, case.item.kind is Kind.GROUP
    stuck = [
        one
        for one in (found.spell(), *found.spells)
        if one.is_stuck(
            regular=found.regular, joins=group and case.client.joined >= one.since, whole=not case.elsewhere
        )
    ]
    return max(stuck, key=lambda one: one.until - one.since, default=None)


def _ended(case: Case, was: Spell) -> str:
    """Return how long a client was stuck, and what is known of the end."""
    lasted = f"no success in {_seconds(was.until - was.since)}"
    if was.served:
        return f"{lasted}, and no question of its own ended that"
    if case.ended:
        return f"{lasted}, until it ended its connections"
    after = f"; {case.elsewhere}" if case.elsewhere else ""
    return f"{lasted}, and nothing about it in the {_seconds(case.now - was.until)} since{after}"


def _recovered(spell: Spell) -> int:
    """Return when a spell ended, by the success that completed the recovery if there is one."""
    return spell.until if spell.recovered is None else spell.recovered
