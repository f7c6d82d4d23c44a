"""One round: the commands of a schedule, on a day of the year, and what they took and left."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from probe.cli.wiring.time_budget import NOTE, UNKNOWN_S
from probe.store.lock import FOLDER
from probe.toolchain.tools import cache_root
from tests.support.faults.clock import library
from tests.support.faults.private_cache import fill
from tests.support.year.plan import DAY_S, FAMILY, RETENTION_DAYS, PlannedRound
from tests.support.year.usage import Usage, measured, size

SCENARIO = "disk/storage-error"
NOTHING_JUDGED = 3
FINE = {0, NOTHING_JUDGED}
"""Exit codes of a round without a problem: on a busy machine no trial may fit into a budget."""
JOBS = 6
"""Trials at a time, so that a round has a few cells and several rounds go round all of them."""
LONGEST_S = 1200
"""Longest budget of a run, in seconds, however busy the machine is."""
PARTS = ("judge", "run", "publish", "prune")
"""Commands of a round, in order; `publish` is a run that builds matrix and site afterwards."""
Row = dict[str, str]


@dataclass(slots=True)
class Schedule:
    """A schedule on this machine: its folders, and the budget of its next run."""

    state: Path
    seed: int
    shortest_s: float
    pages: int
    budget_s: float = 0.0

    @property
    def results(self) -> Path:
        """The results folder."""
        return self.state / "results"

    @property
    def cache(self) -> Path:
        """The cache of its runs."""
        return self.state / "cache"

    def prepare(self, releases: Sequence[str]) -> None:
        """Make the folders, and fill the cache with what is built of the releases."""
        self.results.mkdir(parents=True, exist_ok=True)
        (self.state / "temporary").mkdir(exist_ok=True)
        library(self.state)
        if not self.cache.exists():
            fill(self.cache, FAMILY, releases)
            (self.cache / "tools").symlink_to(cache_root() / "tools")

    def environment(self, day: float) -> Mapping[str, str]:
        """Return the variables of a command on a day of the year. Its clock is ahead by as many days."""
        offset = self.state / "clock"
        offset.write_text(str(round(day * DAY_S)))
        return {
            "LD_PRELOAD": str(self.state / "wall_clock.so"),
            "WALL_CLOCK_OFFSET": str(offset),
            "PROBE_CACHE": str(self.cache),
            "TMPDIR": str(self.state / "temporary"),
        }

    def next_budget(self, *, fitted: bool) -> None:
        """Adapt the budget: twice as long after a run into which no trial fitted, a little shorter otherwise."""
        self.budget_s = min(LONGEST_S, 2 * self.budget_s) if not fitted else max(self.shortest_s, 0.9 * self.budget_s)


def played(schedule: Schedule, planned: PlannedRound, before: Mapping[str, str]) -> tuple[Row, dict[str, str]]:
    """Play a round; return its row, and the outcome of each cell of the matrix.

    `before` has the outcomes of the last matrix.
    """
    used = {part: _command(schedule, planned, part) for part in _due(planned)}
    schedule.next_budget(fitted=NOTHING_JUDGED not in {one.code for one in used.values()})
    failed = {part: one for part, one in used.items() if one.code not in FINE}
    problems = [f"{part}: code {one.code}: {_last(one.said)}" for part, one in failed.items()]
    opened, outcomes = 0, dict(before)
    if planned.publishes:
        outcomes = _outcomes(schedule.results / "matrix.csv")
        problems += [
            f"{cell}: {outcome}, before {before[cell]}"
            for cell, outcome in outcomes.items()
            if outcome != before.get(cell, outcome)
        ]
    if planned.visits:
        from tests.support.year.visit import visited  # noqa: PLC0415  # see `measured`: this process stays small

        opened, wrong = visited(schedule.results / "site" / "index.html", schedule.pages)
        problems += wrong
    row = {
        "round": str(planned.number),
        "day": f"{planned.day:.1f}",
        "newest": planned.newest,
        "cells": str(len(outcomes)),
        "opened": str(opened),
        **_sizes(schedule),
        **_costs(used),
        "problems": " | ".join(problems).replace("\t", " "),
    }
    return row, outcomes


def _due(planned: PlannedRound) -> tuple[str, ...]:
    shown = planned.publishes
    due = {"judge": planned.judges, "run": not shown, "publish": shown, "prune": shown}
    return tuple(part for part in PARTS if due[part])


def _command(schedule: Schedule, planned: PlannedRound, part: str) -> Usage:
    budget = schedule.budget_s
    if planned.publishes:  # Spark starts beside the set-up of clients, which takes twice as long
        budget = 2 * budget + _reserve_s(schedule.results)
    run = (
        *("run", "--client", f"{FAMILY}@<={planned.newest}", "--scenario", SCENARIO, "--role", "producer"),
        *("--jobs", str(JOBS), "--time-budget", f"{budget:.0f}", "--wait", "600"),
        *("--seed", str(1000 * schedule.seed + planned.number)),
    )
    words = {
        "judge": ("judge",),
        "run": run,
        "publish": (*run, "--publish"),
        "prune": ("prune", "--older-than", str(RETENTION_DAYS), "--wait", "600"),
    }[part]
    older = "-1" if words[0] == "run" and planned.has_older_rules else "0"
    program = (sys.executable, "-m", "tests.support.year.program", older, str(planned.conditions_later))
    argv = [*program, *words, "--results", str(schedule.results)]
    return measured(argv, schedule.environment(planned.day), schedule.state / f"{part}.errors")


def _reserve_s(results: Path) -> float:
    """Return the seconds of a budget that are kept free for a publication: twice what the last one took."""
    note = results / FOLDER / NOTE
    return 2 * float(json.loads(note.read_text())["took_s"]) if note.exists() else UNKNOWN_S


def _outcomes(matrix: Path) -> dict[str, str]:
    if not matrix.exists():
        return {}
    with matrix.open(newline="") as file:
        return {f"{row['family']}@{row['version']} {row['scenario']}": row["outcome"] for row in csv.DictReader(file)}


def _sizes(schedule: Schedule) -> Row:
    results = schedule.results
    runs = [path for path in results.iterdir() if path.name.startswith("run_id=")]
    sizes = {
        "runs": [size(path) for path in runs],
        "settled": [size(results / "settled"), size(results / "settled.sqlite")],
        "site": [size(results / "site")],
        "results": [size(results)],
        "cache": [size(schedule.cache)],
        "temporary": [size(schedule.state / "temporary")],
    }
    row = {"kept_runs": str(len(runs))}
    for name, parts in sizes.items():
        row[f"{name}_mb"] = f"{sum(one.mb for one in parts):.3f}"
        row[f"{name}_files"] = str(sum(one.files for one in parts))
    return row


def _costs(used: Mapping[str, Usage]) -> Row:
    row = {}
    for part in PARTS:
        one = used.get(part)
        row[f"{part}_cpu_s"] = f"{one.cpu_s:.2f}" if one else ""
        row[f"{part}_wall_s"] = f"{one.wall_s:.1f}" if one else ""
        row[f"{part}_peak_mb"] = f"{one.peak_mb:.0f}" if one else ""
    return row


def _last(said: str) -> str:
    return next((line for line in reversed(said.splitlines()) if line.strip()), "nothing was said")
