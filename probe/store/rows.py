"""Histories and verdicts as flat rows, and back. Pure: no files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from probe.model import (
    App,
    Cell,
    Closed,
    EngineEvent,
    Event,
    Folded,
    Header,
    History,
    Mark,
    Opened,
    Outcome,
    Reality,
    Request,
    Response,
    Verdict,
    decode,
    encode,
)
from probe.model.results import IDENTITY, fact_columns, facts_of
from probe.store.schemas import EVENT_SCHEMA, TRIAL_SCHEMA

_WIRE: dict[str, type[Event]] = {cls.__name__.lower(): cls for cls in (Opened, Closed, Request, Response, Folded)}
_BY_SOURCE: dict[str, type[Event]] = {"app": App, "engine": EngineEvent, "harness": Mark}
_SOURCES: dict[type, str] = {cls: source for source, cls in _BY_SOURCE.items()}
_to_json = json.JSONEncoder(separators=(",", ":")).encode  # ASCII: lone surrogates of hostile text survive
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
        "header": _to_json(encode(header)),
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


def verdict_columns(verdict: Verdict) -> dict[str, Any]:
    """Flatten a verdict: outcome, conforms, reason, rules and its facts."""
    return {
        "outcome": verdict.outcome.value,
        "conforms": verdict.conforms,
        "reason": verdict.reason,
        "rules": verdict.rules,
        **fact_columns(verdict.facts),
    }


def verdict_of(row: dict[str, Any]) -> Verdict:
    """Build a verdict from its columns; ValueError or TypeError where they do not fit."""
    return Verdict(
        outcome=Outcome(row["outcome"]),
        reason=row["reason"] or "",
        conforms=row["conforms"],
        facts=facts_of(row),
        rules=row["rules"],
    )


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
    columns["source"] = [_SOURCES.get(type(event), "wire") for event in events]
    columns["kind"] = [_kind(event) for event in events]
    columns["data"] = [_to_json(encode(event)) for event in events]
    for column, name in (("conn", "conn"), ("node", "broker"), ("api", "api"), ("api_version", "version")):
        columns[column] = [getattr(event, name, None) for event in events]
    return pa.table(columns, schema=EVENT_SCHEMA)


def _kind(event: Event) -> str:
    return event.kind.value if isinstance(event, (App, EngineEvent, Mark)) else type(event).__name__.lower()


def history_of(header: str, events: Iterable[dict[str, Any]]) -> History:
    """Build a history from a header's JSON and its event rows in order of `seq`.

    Raises ValueError, TypeError or KeyError where they do not fit.
    """
    return History(decode(Header, json.loads(header)), tuple(event_of(row) for row in events))


def event_of(row: dict[str, Any]) -> Event:
    """Build an event from `source`, `kind` and `data` of its row."""
    cls = _WIRE[row["kind"]] if row["source"] == "wire" else _BY_SOURCE[row["source"]]
    return decode(cls, json.loads(row["data"]))


def cell_of(row: dict[str, Any]) -> Cell:
    """Build a cell from its identity columns."""
    return Cell.of({name: row[name] for name in IDENTITY})


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
