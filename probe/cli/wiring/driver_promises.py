"""The promises of a program on lines of JSON (docs/join.md), each checked by starting it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from probe.catalogue.selectors import Chosen
from probe.cli.wiring.execution import RunResult, run_planned
from probe.cli.wiring.run_selection import RunSelection
from probe.model import CONTROL, Engine, Outcome
from probe.processes.short_runs import run_once
from probe.runner import Options
from probe.runner.trial.compatibility import FAKE_REFUSES

ANSWER_S = 20
"""Longest time for a program to answer, and to end at the end of its input."""
NO_ROLE = "no-such-role"


@dataclass(frozen=True, slots=True)
class Promise:
    """A promise, whether it is kept, and what was seen."""

    text: str
    is_kept: bool
    seen: str = ""
    is_open: bool = False
    """Whether these brokers cannot show if it is kept."""


def promises(chosen: Chosen, results: str, engine: Engine, broker: str) -> Iterator[Promise]:
    """Yield each promise; the last ones are played against healthy brokers of an engine and a line."""
    yield Promise("it greets with its name, version and roles, and ends at the end of its input", True)
    yield _refuses(chosen)
    yield from _works(chosen, results, engine, broker)


def _refuses(chosen: Chosen) -> Promise:
    """Return whether a role that it lacks is answered `unsupported`."""
    text = "a role that it lacks is answered with `unsupported`, and ends it"
    order = {"op": "start", "role": NO_ROLE, "client_id": "c", "bootstrap": ["127.0.0.1:1"], "topic": "t"}
    more = {"partitions": [0], "group": "g", "profile": "isolated", "properties": {}, "broker": "3.9"}
    try:
        done = run_once([chosen.version.artifact], f"{json.dumps({**order, **more})}\n", seconds=ANSWER_S)
    except subprocess.TimeoutExpired:
        return Promise(text, False, f"it did not end within {ANSWER_S} s")
    said = [_event(line) for line in done.out.splitlines()]
    wrong = next((line for line, event in zip(done.out.splitlines(), said, strict=True) if not event), "")
    if wrong:
        return Promise(text, False, f"this line is no event: {wrong[:100]!r}")
    events = [str(one["event"]) for one in said if one]
    return Promise(text, "unsupported" in events[1:] and "ready" not in events, f"it said {', '.join(events)}")


def _event(line: str) -> Mapping[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("event"), str) else None


def _works(chosen: Chosen, results: str, engine: Engine, broker: str) -> Iterator[Promise]:
    """Yield, per role, whether it works with healthy brokers: every record is reported, and it closes in time.

    Requests that are too old for the fake brokers leave that open.
    """
    asked = RunSelection(
        chosen=(chosen,), scenarios=[CONTROL], workloads=["continuous"], engine=engine, brokers=[broker]
    )
    plan, selection = asked.whole()
    ran: RunResult = run_planned(plan, selection, Options(), results)
    reasons = {cell: why for (cell, _), why in ran.reasons.items()}
    for cell, outcomes in ran.outcomes.items():
        text = f"as {cell.role} it works with healthy brokers, says what happened to each record, and closes"
        seen = reasons[cell]
        is_open = outcomes == {Outcome.UNSUPPORTED} and FAKE_REFUSES in seen
        yield Promise(text, outcomes == {Outcome.CLEAN}, seen, is_open)
