"""Compute from a history everything that the verdict table needs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from probe.model import CONTROL, App, Cell, Expectation, Facts, History, Reaction, Rescuer, Symptom
from probe.verdict.calls import ended_at_limit, find_calls
from probe.verdict.closing import Closing, find_closing
from probe.verdict.control import impossible_by_control, unclean
from probe.verdict.facts import gather
from probe.verdict.followers import reads_at
from probe.verdict.members import Taken, find_taken
from probe.verdict.progress import Progress, observe, reached, watched_enough
from probe.verdict.promises import find_promises
from probe.verdict.records import find_records
from probe.verdict.service import STAMP_US, declared_impossible, ended_unasked
from probe.verdict.wire_evidence import WireEvidence

STALL_MS = 250
"""A longer stall of the event loop inside the window makes times wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The input of the rules: the facts, and a few plain answers."""

    cell: Cell
    play: Expectation
    broken: str = ""
    """Why the trial says nothing about the client. Empty = the harness worked."""
    impossible: str = ""
    """Why the driver or the engine declared the cell impossible."""
    provoked: bool = True
    """There was at least one hit."""
    fatal: str = ""
    """The end of the instance after the hit, without being asked to."""
    promises: tuple[str, ...] = ()
    """Promises that were given and not kept."""
    unserved: str = ""
    """The answer to a client that connected, and never served."""
    goal: bool = True
    """The goal is reached (docs/verdicts.md#goal)."""
    enough: bool = True
    """The observation was long enough to say that the goal was not reached."""
    owed: str = ""
    """Obligations of a client that is served again (docs/verdicts.md#owed)."""
    at_limit: bool = False
    """Every error that reached the application ended a call at the limit that the library promises."""
    only_soft: bool = False
    """All hits were soft."""
    by_cause: bool = True
    """The client was rerouted by a hint, or by a discovery because of the fault."""
    slow: bool = False
    """Recovery took longer than prompt, without the time in which brokers kept the client waiting."""
    closing: Closing | None = None
    """Its close(), where the scenario is about that."""
    taken: Taken | None = None
    """The course of a group of two, where the scenario is about that."""
    rescuer: Rescuer = Rescuer.NONE
    """The trigger that brought a late client to the target."""
    reads_at: str = ""
    """Who serves a reader after a fault of the follower that did (docs/verdicts.md#followers)."""
    facts: Facts = field(default_factory=Facts)


def find(history: History) -> Findings:
    """Compute all findings. The rules judge them later."""
    reading = WireEvidence(history)
    progress = observe(reading)
    promises = find_promises(reading)
    records = find_records(reading)
    closing = find_closing(reading) if reading.play.closes else None
    calls = find_calls(reading)
    evidence = gather(progress, promises, records, calls)
    by_control = impossible_by_control(history.header)
    impossible, ending = declared_impossible(reading) or by_control, ended_unasked(reading)
    fatal = ending is not None and _after_hit(progress, ending)
    recovery_ms, facts = progress.recovery.ms, _with_unreported(evidence.facts, closing)
    return Findings(
        cell=history.header.cell,
        play=reading.play,
        broken="" if by_control else _broken(reading, impossible, None if fatal else ending),
        impossible=impossible,
        provoked=bool(progress.hits),
        fatal=_reported_codes(ending) if fatal else "",
        promises=(*promises.broken, *records.broken, *calls.broken, *(closing.broken if closing else ())),
        unserved=history.header.unserved,
        goal=closing.ended if closing else reached(progress),
        enough=closing is not None or watched_enough(progress),
        closing=closing,
        taken=find_taken(reading),
        owed=progress.recovery.owed,
        at_limit=ended_at_limit(reading, progress.errors),
        only_soft=bool(progress.hits) and all(hit.soft for hit in progress.hits),
        by_cause=evidence.route.by_cause,
        slow=recovery_ms is not None and recovery_ms - (facts.kept_ms or 0) > reading.play.prompt_ms,
        rescuer=evidence.route.rescuer,
        reads_at=reads_at(reading, progress.recovery.at),
        facts=facts,
    )


def _with_unreported(facts: Facts, closing: Closing | None) -> Facts:
    """Return facts with what the end of a close() left without an outcome, past the delivery limit or not."""
    left = closing.unreported if closing is not None else 0
    return replace(facts, unresolved=max(left, facts.unresolved or 0)) if left else facts


def _after_hit(progress: Progress, ending: App) -> bool:
    """Return whether a client ended after it had met the fault; in the control cell, after it had connected.

    A client that is started under the fault may end because of it without a hit on the wire.
    """
    reading = progress.reading
    if reading.play.kind is Symptom.NONE:  # nothing is done to the brokers, so it is the client's in any case
        return bool(reading.events.responses)
    if reading.play.expects is Reaction.NOTHING:
        return reading.timeline.fault is not None and ending.at >= reading.timeline.fault
    return progress.first_hit is not None and ending.at + reading.clock_us + STAMP_US >= progress.first_hit


def _reported_codes(ending: App | None) -> str:
    """Return the last error that an instance reported."""
    if ending is None:
        return ""
    label = ending.error.label() if ending.error else ""
    return " ".join(filter(None, (str(ending.kind), label, ending.text)))


def _broken(reading: WireEvidence, impossible: str, ending: App | None) -> str:
    """Return why the trial is broken. An impossible cell has neither a fault nor a clean control cell."""
    header, play = reading.header, reading.play
    reasons = (
        (bool(header.problems), "; ".join(header.problems)),
        (header.loop_lag_ms > STALL_MS, f"the harness stalled for {header.loop_lag_ms} ms inside the window"),
        (bool(impossible), ""),
        (unclean(header), f"the control cell of this client, {CONTROL}, is {header.steady}, not clean"),
        (ending is not None, f"the client ended before the fault met it: {_reported_codes(ending)}"),
        (play.kind is not Symptom.NONE and reading.timeline.fault is None, "the fault was never injected"),
    )
    return next((reason for holds, reason in reasons if holds), "")
