"""Rows and tables of judged trials in the schemas of the store. Pure: no files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from probe.model import (
    App,
    Cell,
    Closed,
    EngineEvent,
    Event,
    Folded,
    History,
    Mark,
    Opened,
    Outcome,
    Reality,
    Request,
    Response,
    Verdict,
)
from probe.model.conditions import current
from probe.model.rows import event_json, header_json, kind_of, source_of, verdict_columns
from probe.store.schemas import EVENT_SCHEMA, TRIAL_SCHEMA

_INT64 = range(-(2**63), 2**63)
_NUMBERS = ("conn", "node", "api", "api_version", "size", "requests")
_NOTHING = (None,) * len(_NUMBERS)


def trial_row(run_id: str, history: History, verdict: Verdict) -> dict[str, Any]:
    """Return the row of a judged trial; ValueError if a number does not fit its column."""
    header = history.header
    row = {
        **_key(run_id, header.cell, header.trial),
        "seed": header.seed,
        **verdict_columns(verdict),
        "conforming": [str(outcome) for outcome in header.play.conforms],
        "reality": header.play.reality.value,
        "released": header.released,
        "mirrors": header.mirrors,
        "shortened": header.shortened,
        "conditions": header.conditions,
        "sweep": header.sweep,
        "header": header_json(header),
    }
    return {name: _checked(name, value) for name, value in row.items()}


def not_run_row(
    run_id: str, cell: Cell, *, reason: str, released: str, mirrors: str, rules: int, sweep: str = ""
) -> dict[str, Any]:
    """Return the row of a cell whose client is not available: no facts, no history."""
    known = {
        **_key(run_id, cell, 0),
        "outcome": Outcome.NOT_RUN.value,
        "reason": reason,
        "rules": rules,
        "conforming": [],
        "reality": Reality.EFFECTIVE.value,
        "released": released,
        "mirrors": mirrors,
        "shortened": False,
        "conditions": current(cell.engine),
        "sweep": sweep,
    }
    return {name: _checked(name, known.get(name)) for name in TRIAL_SCHEMA.names}


AT_A_TIME = 200
"""Number of events that are written in one go; it bounds the time without a pause."""
ROWS_AT_A_TIME = 16
"""The same for rows of trials. A table of one row costs nearly as much as one of sixteen."""


def trials_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return rows of trials as a table; ValueError or TypeError if a value does not fit its column."""
    return pa.Table.from_pylist(rows, schema=TRIAL_SCHEMA)


def _numbers(event: Event) -> tuple[int | None, ...]:
    """Return the values of an event that have columns of their own, in the order of `_NUMBERS`."""
    match event:
        case App() | Mark():
            return _NOTHING
        case Request():
            return event.conn, event.broker, event.api, event.version, event.size, 1
        case Response():
            return event.conn, event.broker, event.api, event.version, event.size, None
        case Folded():
            return event.conn, event.broker, event.api, event.version, event.bytes, event.requests
        case EngineEvent():
            return None, event.broker, None, None, None, None
        case Opened() | Closed():
            return event.conn, event.broker, None, None, None, None


def events_table(run_id: str, history: History, rest: Callable[[], None] = lambda: None) -> pa.Table:
    """Return the events of a history as a table; ValueError or TypeError if a value does not fit its column.

    `rest` is called between batches of events; in a thread it may release the interpreter.
    """
    events = history.events
    key = _key(run_id, history.header.cell, history.header.trial)
    batches = []
    for first in range(0, len(events), AT_A_TIME):
        batches.append(_batch(key, first, events[first : first + AT_A_TIME]))
        rest()
    return pa.Table.from_batches(batches, schema=EVENT_SCHEMA)


def _batch(key: Mapping[str, Any], first: int, events: Sequence[Event]) -> pa.RecordBatch:
    """Return some events of a history as a batch; `first` is the number of the first event."""
    columns: dict[str, Any] = {
        name: pa.repeat(pa.scalar(value, EVENT_SCHEMA.field(name).type), len(events)) for name, value in key.items()
    }
    columns["seq"] = range(first, first + len(events))
    columns["at"] = [event.at for event in events]
    columns["source"] = [source_of(event) for event in events]
    columns["kind"] = [kind_of(event) for event in events]
    columns["data"] = [event_json(event) for event in events]
    numbers = [_numbers(event) for event in events]
    columns.update({name: [row[place] for row in numbers] for place, name in enumerate(_NUMBERS)})
    return pa.RecordBatch.from_pydict(columns, schema=EVENT_SCHEMA)


def _key(run_id: str, cell: Cell, trial: int) -> dict[str, Any]:
    return {"run_id": run_id, **{name: _utf8(text) for name, text in cell.columns().items()}, "trial": trial}


def _checked(name: str, value: Any) -> Any:
    """Return a value that fits its column: invalid text is replaced; ValueError if a number is too large."""
    if isinstance(value, str):
        return _utf8(value)
    if isinstance(value, int) and value not in _INT64:
        raise ValueError(f"{name} = {value} does not fit 64 bits; choose a smaller one")
    return value


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
