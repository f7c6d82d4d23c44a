"""A sweep of two clients over three durations of an election, with every sort of outcome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from probe.cells.sweeps import SweepResult, sweep_results
from probe.model import Cell, Engine, Outcome, Profile, Role, Verdict
from probe.model.conditions import FIRST
from probe.model.sweep import Sweep
from tests.support.synthetic_rows import verdict

ELECTIONS = Sweep.parse("election=0,100,1000")
CELL = Cell("sarama", "1.43.2", Role.PRODUCER, "isolated", "disk/storage-error", Engine.EMBEDDED, "3.9")
RUN = "20261121T084315Z-3f9a"


@dataclass(frozen=True, slots=True)
class Row:
    """A stored trial with the fields that a sweep reads."""

    cell: Cell
    trial: int
    verdict: Verdict
    sweep: str = str(ELECTIONS)
    run_id: str = RUN
    shortened: bool = False
    conditions: int = FIRST


def took(ms: float | None, outcome: Outcome = Outcome.REFRESHES, errors: int = 0) -> Verdict:
    good = {Outcome.REFRESHES: True, Outcome.WAITING: None}.get(outcome, False)
    return replace(verdict(outcome, recovery_ms=ms, errors_surfaced=errors), conforms=good)


JUDGED: dict[tuple[str, str], list[Verdict]] = {
    ("1.43.2", "0"): [took(250), took(260), took(240)],
    ("1.43.2", "100"): [took(300), took(310, Outcome.SURFACES, 2), took(290)],
    ("1.43.2", "1000"): [took(None, Outcome.STUCK), took(None, Outcome.STUCK), took(9000, Outcome.LATE)],
    ("1.43.3", "0"): [took(200), took(None, Outcome.WAITING)],
    ("1.43.3", "1000"): [took(1200, Outcome.SURFACES, 7)],
}


def at_value(value: str, version: str, sweep: Sweep = ELECTIONS) -> Cell:
    return replace(CELL, version=version, profile=str(sweep.profile(Profile("isolated"), value)))


def rows() -> Iterator[Row]:
    for (version, value), verdicts in JUDGED.items():
        for trial, found in enumerate(verdicts):
            yield Row(at_value(value, version), trial, found)


def result() -> SweepResult:
    (found,) = sweep_results(rows())
    return found
