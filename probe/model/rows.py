"""Convert verdicts and events to flat rows and back. Standard library only, since Spark's workers load it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

from probe.model.cell import Cell, Outcome
from probe.model.codec import Reader, decode, reader, to_json
from probe.model.events import App, Closed, EngineEvent, Event, Folded, Mark, Opened, Request, Response
from probe.model.history import Header, History
from probe.model.results import IDENTITY, fact_columns, facts_of
from probe.model.verdicts import Verdict

_WIRE: dict[str, type[Event]] = {cls.__name__.lower(): cls for cls in (Opened, Closed, Request, Response, Folded)}
_BY_SOURCE: dict[str, type[Event]] = {"app": App, "engine": EngineEvent, "harness": Mark}
_SOURCES: dict[type, str] = {cls: source for source, cls in _BY_SOURCE.items()}
MISFITS = (KeyError, TypeError, ValueError)
"""Exceptions of decoding where stored data do not fit the model."""
TRIAL = (*IDENTITY, "trial")
EVENT = ("source", "kind", "data")
trial_key = itemgetter(*TRIAL)
"""Returns a row's key without building a cell."""
Columns = tuple[Sequence[str], Sequence[str], Sequence[str]]
"""The columns EVENT of one trial's events, in order of `seq`."""


def verdict_columns(verdict: Verdict) -> dict[str, Any]:
    """Convert a verdict to columns: outcome, conforms, reason, rules and its facts."""
    return {
        "outcome": verdict.outcome.value,
        "conforms": verdict.conforms,
        "reason": verdict.reason,
        "rules": verdict.rules,
        **fact_columns(verdict.facts),
    }


def verdict_of(row: Mapping[str, Any]) -> Verdict:
    """Build a verdict from its columns. Raises MISFITS."""
    return Verdict(
        outcome=Outcome(row["outcome"]),
        reason=row["reason"] or "",
        conforms=row["conforms"],
        facts=facts_of(row),
        rules=row["rules"],
    )


def source_of(event: Event) -> str:
    """Return the source of an event: wire, app, engine or harness."""
    return _SOURCES.get(type(event), "wire")


def kind_of(event: Event) -> str:
    """Return an event's kind: its own where it has one, else its class, such as `request`."""
    return event.kind.value if isinstance(event, (App, EngineEvent, Mark)) else type(event).__name__.lower()


def event_json(event: Event) -> str:
    """Return the `data` column of an event."""
    return to_json(event)


def event_of(source: str, kind: str, data: Any) -> Event:
    """Build an event from `source`, `kind` and the parsed `data` of its row. Raises MISFITS."""
    return _event_reader(source, kind)(data)  # type: ignore[no-any-return]  # of the class that it names


@cache
def _event_reader(source: str, kind: str) -> Reader:
    return reader(_WIRE[kind] if source == "wire" else _BY_SOURCE[source])  # type: ignore[arg-type]  # classes are hashable


def header_json(header: Header) -> str:
    """Return the `header` column of a trial."""
    return to_json(header)


def by_trial(events: Any) -> dict[object, Columns]:
    """Group the events of every trial by its key, from a `pyarrow.Table` of the columns TRIAL, `seq` and EVENT.

    A trial is written in one piece, in order, and is cut out of the table; Arrow groups the rows of other files. No
    Python row per event is needed. Raises MISFITS where a column is missing.
    """
    if firsts := _first_rows(events):
        ends = [*firsts[1:], len(events)]
        keys = map(trial_key, events.select(TRIAL).take(firsts).to_pylist())
        pieces = dict(zip(keys, zip(firsts, ends, strict=True), strict=True))
        if len(pieces) == len(firsts):
            return {
                key: tuple(events[name].slice(first, end - first).to_pylist() for name in EVENT)
                for key, (first, end) in pieces.items()
            }
    lists = events.unify_dictionaries().sort_by("seq").group_by(TRIAL, use_threads=False)
    grouped = lists.aggregate([(name, "list") for name in EVENT])
    return {trial_key(row): tuple(row[f"{name}_list"] for name in EVENT) for row in grouped.to_pylist()}


def _first_rows(events: Any) -> list[int]:
    """Return the first row of every trial; none if a trial's rows are not in order."""
    changed = None
    for name in TRIAL:
        column = events[name]
        if name in IDENTITY:  # numbers are compared faster than words
            column = column.unify_dictionaries().dictionary_encode().combine_chunks().indices
        values = column.to_numpy()
        differs = values[1:] != values[:-1]
        changed = differs if changed is None else changed | differs
    seq = events["seq"].to_numpy()
    if changed is None or not len(seq) or not (changed | (seq[1:] > seq[:-1])).all():
        return []
    return [0, *(changed.nonzero()[0] + 1).tolist()]


def history_of(
    header: str,
    sources: Sequence[str],
    kinds: Sequence[str],
    data: Sequence[str],
    parse: Callable[[str], Any] = json.loads,
) -> History:
    """Build a history from a header's JSON and its events' columns in order of `seq`. Raises MISFITS.

    `parse` may be a faster JSON parser.
    """
    parsed = parse(f"[{','.join(data)}]")  # one call is faster than one per event
    readers = map(_event_reader, sources, kinds)
    events = tuple([read(item) for read, item in zip(readers, _fitting(parsed, data), strict=True)])
    return History(decode(Header, json.loads(header)), events)


def _fitting(parsed: list[Any], data: Sequence[str]) -> list[Any]:
    if len(parsed) != len(data):
        raise ValueError(f"{len(data)} events hold {len(parsed)} values")
    return parsed


def cell_of(row: Mapping[str, Any]) -> Cell:
    """Build a cell from its identity columns. Raises MISFITS."""
    return Cell.of(row)
