"""From a history to everything the table asks."""

from __future__ import annotations

from dataclasses import dataclass, field

from probe.model import App, Cell, Expects, Facts, History, Kind, Outcome, Play, Rescuer
from probe.verdict.broker_delay import kept_ms
from probe.verdict.facts import gather
from probe.verdict.progress import Course, follow, reached, watched_enough
from probe.verdict.promises import find_promises
from probe.verdict.service import STAMP_US, declared_impossible, ended_unasked
from probe.verdict.wire_evidence import Reading

STALL_MS = 250
"""A longer stall of the loop inside the window stamps wrong times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the rules look at: the facts, and a few plain answers beside them."""

    cell: Cell
    play: Play
    broken: str = ""
    """Why the harness cannot be believed here; empty = it can."""
    impossible: str = ""
    """Why driver or engine declared the cell impossible."""
    provoked: bool = True
    """There was a hit."""
    fatal: str = ""
    """How the instance ended, unasked, after the hit."""
    promises: tuple[str, ...] = ()
    """Promises given and not kept."""
    goal: bool = True
    """Recovered; where surfacing is expected, one error, and the bystander serves; where nothing is, it serves."""
    enough: bool = True
    """Watched long enough to say that the goal was not reached."""
    only_soft: bool = False
    """Every hit was soft."""
    by_cause: bool = True
    """Rerouted by a hint, or by asking because of the fault."""
    slow: bool = False
    """Recovery took longer than prompt, without what brokers kept the client waiting."""
    kept_ms: float = 0.0
    """For how much of the recovery they did."""
    rescuer: Rescuer = Rescuer.NONE
    """What brought a late client to the target."""
    facts: Facts = field(default_factory=Facts)


def find(history: History) -> Findings:
    """Measure everything; judge nothing yet."""
    reading = Reading(history)
    course = follow(reading)
    promises = find_promises(reading)
    evidence = gather(course, promises)
    impossible, ending = declared_impossible(reading), ended_unasked(reading)
    fatal = ending is not None and _after_hit(course, ending)
    recovery_ms, waited_ms = course.recovery.ms, kept_ms(reading, course.recovery)
    return Findings(
        cell=history.header.cell,
        play=reading.play,
        broken=_broken(reading, impossible, None if fatal else ending),
        impossible=impossible,
        provoked=bool(course.hits),
        fatal=_told(ending) if fatal else "",
        promises=promises.broken,
        goal=reached(course),
        enough=watched_enough(course),
        only_soft=bool(course.hits) and all(hit.soft for hit in course.hits),
        by_cause=evidence.route.by_cause,
        slow=recovery_ms is not None and recovery_ms - waited_ms > reading.play.prompt_ms,
        kept_ms=waited_ms,
        rescuer=evidence.route.rescuer,
        facts=evidence.facts,
    )


def _after_hit(course: Course, ending: App) -> bool:
    """Say whether a client ended after the fault met it.

    One that is started while the fault stands may die of it without ever meeting it on the wire.
    """
    reading = course.reading
    if reading.play.expects is Expects.NOTHING and reading.play.kind is not Kind.NONE:
        return reading.moments.fault is not None and ending.at >= reading.moments.fault
    return course.first_hit is not None and ending.at + reading.clock_us + STAMP_US >= course.first_hit


def _told(ending: App | None) -> str:
    """Return an instance's last words."""
    if ending is None:
        return ""
    label = ending.error.label() if ending.error else ""
    return " ".join(filter(None, (str(ending.kind), label, ending.text)))


def _broken(reading: Reading, impossible: str, ending: App | None) -> str:
    """Say why the harness cannot be believed. What is impossible has neither a fault nor a clean control cell."""
    header, play = reading.header, reading.play
    reasons = (
        (bool(header.problems), "; ".join(header.problems)),
        (header.loop_lag_ms > STALL_MS, f"the harness stalled for {header.loop_lag_ms} ms inside the window"),
        (bool(impossible), ""),
        (header.steady not in {None, Outcome.CLEAN}, f"the steady cell of this client is {header.steady}, not clean"),
        (ending is not None, f"the client ended before the fault met it: {_told(ending)}"),
        (play.kind is not Kind.NONE and reading.moments.fault is None, "the fault was never put on"),
    )
    return next((reason for holds, reason in reasons if holds), "")
