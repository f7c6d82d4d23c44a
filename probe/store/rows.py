"""Judged trials as rows and tables of the store's schemas. Pure: no files."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from probe.model import Cell, Folded, History, Outcome, Reality, Request, Verdict
from probe.model.rows import event_json, header_json, kind_of, source_of, verdict_columns
from probe.store.schemas import EVENT_SCHEMA, TRIAL_SCHEMA

_INT64 = range(-(2**63), 2**63)


def trial_row(run_id: str, history: History, verdict: Verdict) -> dict[str, Any]:
    """Flatten a judged trial. ValueError where a number does not fit its column."""
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
        "header": header_json(header),
    }
    return {name: _checked(name, value) for name, value in row.items()}


def not_run_row(run_id: str, cell: Cell, *, reason: str, released: str, mirrors: str, rules: int) -> dict[str, Any]:
    """Make the row of a cell whose client could not be had: no facts, no history."""
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
    }
    return {name: _checked(name, known.get(name)) for name in TRIAL_SCHEMA.names}


def trial_tables(run_id: str, history: History, verdict: Verdict) -> tuple[pa.Table, pa.Table]:
    """Return a trial's row and its events as tables; ValueError or TypeError where a value fits no column."""
    row = trial_row(run_id, history, verdict)
    return pa.Table.from_pylist([row], schema=TRIAL_SCHEMA), events_table(run_id, history)


def events_table(run_id: str, history: History) -> pa.Table:
    """Lay the events of a history out in columns."""
    events = history.events
    columns: dict[str, Any] = {
        name: pa.repeat(pa.scalar(value, EVENT_SCHEMA.field(name).type), len(events))
        for name, value in _key(run_id, history.header.cell, history.header.trial).items()
    }
    columns["seq"] = range(len(events))
    columns["at"] = [event.at for event in events]
    columns["source"] = [source_of(event) for event in events]
    columns["kind"] = [kind_of(event) for event in events]
    columns["data"] = [event_json(event) for event in events]
    for column, name in (("conn", "conn"), ("node", "broker"), ("api", "api"), ("api_version", "version")):
        columns[column] = [getattr(event, name, None) for event in events]
    columns["size"] = [event.bytes if isinstance(event, Folded) else getattr(event, "size", None) for event in events]
    columns["requests"] = [1 if isinstance(event, Request) else getattr(event, "requests", None) for event in events]
    return pa.table(columns, schema=EVENT_SCHEMA)


def _key(run_id: str, cell: Cell, trial: int) -> dict[str, Any]:
    return {"run_id": run_id, **{name: _utf8(text) for name, text in cell.columns().items()}, "trial": trial}


def _checked(name: str, value: Any) -> Any:
    """Keep one odd value from spoiling a whole file: bad text is replaced, a number too large refused."""
    if isinstance(value, str):
        return _utf8(value)
    if isinstance(value, int) and value not in _INT64:
        raise ValueError(f"{name} = {value} does not fit 64 bits; choose a smaller one")
    return value


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
