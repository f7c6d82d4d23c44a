"""`--time-budget`: the cells to run, the time to stop, and the remaining cells for the next run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from probe.cli.console.streams import say
from probe.errors import ProbeError
from probe.model import Cell
from probe.model.conditions import is_current
from probe.planning.cohorts import estimate_s
from probe.planning.plan import Plan
from probe.planning.priority import PriorRun, by_information
from probe.planning.selection import Selection
from probe.runner import Options
from probe.store import trials as stored_trials
from probe.store.lock import FOLDER

NOTE = "published.json"
UNKNOWN_S = 60.0
"""Assumed seconds for matrix and site before the first measurement."""
ENDING_S = 10.0
"""Reserved for ending clients and brokers, the last files and the reports."""
SLACK = 1.5
"""Cells are prepared for this multiple of the time, since estimates may be too high."""


def stop_at(budget_s: float, began: float, results: str, *, publish: bool) -> float:
    """Return the end of the last trial, in seconds of the monotonic clock. ProbeError if no time is left."""
    reserved = ENDING_S + (_publishing_s(results, budget_s) if publish else 0.0)
    if budget_s <= reserved:
        what = "ending and publishing take" if publish else "ending takes"
        raise ProbeError(
            f"--time-budget {budget_s:g}: too short, since {what} about {reserved:.0f} s; give it more seconds"
        )
    return began + budget_s - reserved


def note_publishing(results: str, took_s: float) -> None:
    """Store the duration of matrix and site."""
    if "://" not in results:
        with suppress(OSError):
            (Path(results) / FOLDER / NOTE).write_text(json.dumps({"took_s": round(took_s, 1)}), encoding="utf-8")


def _publishing_s(results: str, budget_s: float) -> float:
    """Return twice the last duration: results grow, and the machine may be busy.

    At most half of the budget: a run that has no time for trials does not publish, so a publication that was slow once
    would keep all later runs from playing.
    """
    with suppress(OSError, ValueError, KeyError, TypeError):
        took_s = float(json.loads((Path(results) / FOLDER / NOTE).read_text(encoding="utf-8"))["took_s"])
        return max(10.0, min(2 * took_s, budget_s / 2))
    return UNKNOWN_S


def most_informative(plan: Plan, selection: Selection, options: Options, results: str) -> tuple[Plan, Selection]:
    """Return the part of a plan that may fit, most informative cells first, and the clients in it."""
    if options.stop_at is None:
        return plan, selection
    rows = (row for row in stored_trials(results) if is_current(row.cell, row.conditions))
    seen = (PriorRun(row.run_id, row.cell, row.verdict.outcome) for row in rows)
    ordered = replace(plan, cells=by_information(plan.cells, seen))
    seconds = SLACK * (options.stop_at - time.monotonic())
    part = _prefix(ordered, lambda some: estimate_s(some, options.expected_jobs, options.watch_ms) <= seconds)
    needed = {item.cell.client for item in part.cells}
    return part, replace(selection, clients=tuple(one for one in selection.clients if one.client in needed))


def _prefix(plan: Plan, fits: Callable[[Plan], bool]) -> Plan:
    """Return the longest prefix that fits; at least a control cell and a cell that depends on it."""
    low, high = min(2, len(plan.cells)), len(plan.cells)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(replace(plan, cells=plan.cells[:middle])):
            low = middle
        else:
            high = middle - 1
    return replace(plan, cells=plan.cells[:low])


def say_left(plan: Plan, done: Collection[Cell], results: str) -> int:
    """Report the cells that were not run; return their number."""
    left = [item.cell for item in plan.cells if item.cell not in done]
    if left:
        known = {row.cell for row in stored_trials(results)}
        never = sum(1 for cell in left if cell not in known)
        say(
            f"time is up: {len(left)} of {len(plan.cells)} cells are left, {never} of them never run; "
            "the next run with these selectors begins with them"
        )
    return len(left)
