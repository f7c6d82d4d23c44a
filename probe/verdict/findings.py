"""From a history to everything the table asks."""

from __future__ import annotations

from dataclasses import dataclass, field

from probe.model import App, Cell, Expectation, Facts, History, Outcome, Reaction, Rescuer, Symptom
from probe.verdict.broker_delay import broker_delay_ms
from probe.verdict.facts import gather
from probe.verdict.progress import Progress, observe, reached, watched_enough
from probe.verdict.promises import find_promises
from probe.verdict.service import STAMP_US, declared_impossible, ended_unasked
from probe.verdict.wire_evidence import WireEvidence

STALL_MS = 250
"""A longer stall of the loop inside the window stamps wrong times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the rules look at: the facts, and a few plain answers beside them."""

    cell: Cell
    play: Expectation
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
    reading = WireEvidence(history)
    progress = observe(reading)
    promises = find_promises(reading)
    evidence = gather(progress, promises)
    impossible, ending = declared_impossible(reading), ended_unasked(reading)
    fatal = ending is not None and _after_hit(progress, ending)
    recovery_ms, waited_ms = progress.recovery.ms, broker_delay_ms(reading, progress.recovery)
    return Findings(
        cell=history.header.cell,
        play=reading.play,
        broken=_broken(reading, impossible, None if fatal else ending),
        impossible=impossible,
        provoked=bool(progress.hits),
        fatal=_reported_codes(ending) if fatal else "",
        promises=promises.broken,
        goal=reached(progress),
        enough=watched_enough(progress),
        only_soft=bool(progress.hits) and all(hit.soft for hit in progress.hits),
        by_cause=evidence.route.by_cause,
        slow=recovery_ms is not None and recovery_ms - waited_ms > reading.play.prompt_ms,
        kept_ms=waited_ms,
        rescuer=evidence.route.rescuer,
        facts=evidence.facts,
    )


def _after_hit(progress: Progress, ending: App) -> bool:
    """Say whether a client ended after the fault met it.

    One that is started while the fault stands may die of it without ever meeting it on the wire.
    """
    reading = progress.reading
    if reading.play.expects is Reaction.NOTHING and reading.play.kind is not Symptom.NONE:
        return reading.timeline.fault is not None and ending.at >= reading.timeline.fault
    return progress.first_hit is not None and ending.at + reading.clock_us + STAMP_US >= progress.first_hit


def _reported_codes(ending: App | None) -> str:
    """Return an instance's last words."""
    if ending is None:
        return ""
    label = ending.error.label() if ending.error else ""
    return " ".join(filter(None, (str(ending.kind), label, ending.text)))


def _broken(reading: WireEvidence, impossible: str, ending: App | None) -> str:
    """Say why the harness cannot be believed. What is impossible has neither a fault nor a clean control cell."""
    header, play = reading.header, reading.play
    reasons = (
        (bool(header.problems), "; ".join(header.problems)),
        (header.loop_lag_ms > STALL_MS, f"the harness stalled for {header.loop_lag_ms} ms inside the window"),
        (bool(impossible), ""),
        (header.steady not in {None, Outcome.CLEAN}, f"the steady cell of this client is {header.steady}, not clean"),
        (ending is not None, f"the client ended before the fault met it: {_reported_codes(ending)}"),
        (play.kind is not Symptom.NONE and reading.timeline.fault is None, "the fault was never put on"),
    )
    return next((reason for holds, reason in reasons if holds), "")
