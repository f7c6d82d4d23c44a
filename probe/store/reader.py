"""Read the store: runs, trials with their newest verdicts, and complete histories."""

from __future__ import annotations

import json
import logging
import shlex
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
from pydantic_core import from_json

from probe.model import Cell, History, Outcome, Reality, Verdict
from probe.model.results import EVENTS, IDENTITY, RUN, RUN_PREFIX, TRIALS, VERDICTS, ResultsError
from probe.model.rows import EVENT, MISFITS, TRIAL, Columns, by_trial, cell_of, history_of, trial_key, verdict_of
from probe.store.files import Place
from probe.store.run_description import checked_description
from probe.store.schemas import OLDER, TRIAL_SCHEMA, VERDICT_SCHEMA

Warn = Callable[[str], None]
FEW = 4
"""Where fewer than one in `FEW` trials of a file are wanted, Parquet filters the events; else all are read."""
_Key = tuple[Cell, int]
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRow:
    """A stored trial with its newest verdict."""

    run_id: str
    cell: Cell
    trial: int
    seed: int | None
    """None if no trial was run."""
    verdict: Verdict
    conforming: tuple[Outcome, ...]
    """Outcomes that conform; empty = informative."""
    reality: Reality
    released: str
    """ISO date of the client's release; empty if unknown."""
    mirrors: str
    shortened: bool
    conditions: int
    """Number of the conditions under which it ran."""
    sweep: str
    """The sweep that it is part of; empty = none."""
    part: str
    """Name of the files that hold it, without suffix."""

    @property
    def watched_ms(self) -> int:
        """Time from the fault to the end of the observation, in ms."""
        return self.verdict.facts.watched_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """A run as its `run/<shard>.json` files describe it."""

    run_id: str
    trials: int
    """Stored trial rows, including rows of cells that were not run."""
    shards: tuple[dict[str, Any], ...]
    """The descriptions, one per shard (docs/schema/run.json)."""

    @property
    def started(self) -> str:
        """Start of the first shard, ISO 8601."""
        return min((str(shard.get("started", "")) for shard in self.shards), default="")

    @property
    def finished(self) -> bool:
        """Whether every shard ran to its end."""
        return bool(self.shards) and all(shard.get("finished") for shard in self.shards)


def _warn(line: str) -> None:
    _log.warning("%s", line)  # one plain line on stderr unless logging is configured


def runs(results: str, warn: Warn = _warn) -> list[RunInfo]:
    """Return the runs of a results folder, oldest first; `warn` gets a line per damaged file, which is skipped."""
    place = Place(results)
    return [_run(place, run_id, warn) for run_id in place.run_ids()]


def run_info(results: str, run_id: str, warn: Warn = _warn) -> RunInfo:
    """Return one run; ResultsError if it does not exist."""
    place = Place(results)
    _selected(place, run_id)
    return _run(place, run_id, warn)


def trials(results: str, run_id: str | None = None, warn: Warn = _warn) -> Iterator[TrialRow]:
    """Yield the trials of a run, or of all runs, with their newest verdicts, in stored order.

    `warn` gets a line for every damaged file, which is skipped. ResultsError if the run does not exist, or if none of
    several files can be read.
    """
    place = Place(results)
    files = readable = 0
    for one in _selected(place, run_id):
        newest = _verdicts(place, one, warn)
        for path in place.files(f"{RUN_PREFIX}{one}/{TRIALS}"):
            files += 1
            names = [name for name in TRIAL_SCHEMA.names if name != "header"]
            rows = _rows(place, path, names, warn)
            if rows is None:
                continue
            readable += 1
            for row in rows:
                found = _trial(row, newest, PurePosixPath(path).stem, place, warn)
                if found:
                    yield found
    if files and not readable:
        raise ResultsError(f"{place.name}: none of {files} trial files can be read; see the lines above")


def history(results: str, run_id: str, cell: Cell, trial: int) -> History:
    """Return one history; ResultsError if it does not exist or is damaged."""
    for found in histories(results, run_id, {(cell, trial)}, warn=_raise):
        return found
    lists = f"`probe show --results {shlex.quote(results)}` lists what there is"
    raise ResultsError(f"{results} has no trial {trial} of {cell} in run {run_id}; {lists}")


def histories(
    results: str,
    run_id: str,
    wanted: Collection[_Key] | None = None,
    parts: Collection[str] | None = None,
    warn: Warn = _warn,
) -> Iterator[History]:
    """Yield the histories of a run: all, the wanted ones, or those of some parts. Every file is opened once.

    `warn` gets a line for every damaged file.
    """
    place = Place(results)
    _selected(place, run_id)
    left = None if wanted is None else set(wanted)
    for path in place.files(f"{RUN_PREFIX}{run_id}/{TRIALS}"):
        if left is not None and not left:
            return
        if parts is not None and PurePosixPath(path).stem not in parts:
            continue
        try:
            yield from _histories_of(place, path, left)
        except ResultsError as error:
            warn(str(error))


def _histories_of(place: Place, path: str, left: set[_Key] | None) -> Iterator[History]:
    """Read the headers of a trial file, then the events of the wanted trials from the file of the same name."""
    only = _only(left) if left is not None and len(left) < FEW else None  # a filter costs more than a few headers
    rows = place.read_table(path, [*IDENTITY, "trial", "header"], only).to_pylist()
    rows = [row for row in rows if row["header"] is not None and (left is None or _key(row) in left)]
    if not rows:
        return
    events_path = path.replace(f"/{TRIALS}/", f"/{EVENTS}/")
    few = left is not None and FEW * len(rows) < place.count_rows(path)
    only = _only({_key(row) for row in rows}) if few else None
    table = place.read_table(events_path, [*TRIAL, "seq", *EVENT], only, IDENTITY)
    events: dict[object, Columns] | None = None
    for row in rows:
        key = _key(row)
        try:
            events = by_trial(table) if events is None else events
            found = history_of(row["header"], *events.get(trial_key(row), ((), (), ())), parse=_parse)
        except MISFITS as error:
            raise ResultsError(
                f"{place.name}/{events_path} does not fit the model: {error}; use a newer probe"
            ) from None
        if left is not None:
            left.discard(key)
        yield found


def _parse(text: str) -> Any:
    """Parse JSON by the parser of pydantic, which takes half as long; it does not know lone surrogates."""
    try:
        return from_json(text)
    except ValueError:
        return json.loads(text)


def _only(wanted: Collection[_Key] | None) -> Any:
    """Return a filter per column that Parquet applies; it lets pass few other rows."""
    if wanted is None:
        return None
    columns = [cell.columns() for cell, _ in wanted]
    lists = [(name, "in", sorted({column[name] for column in columns})) for name in IDENTITY]
    return [*lists, ("trial", "in", sorted({trial for _, trial in wanted}))]


def _selected(place: Place, run_id: str | None) -> list[str]:
    there = place.run_ids()
    if run_id is None:
        return there
    if run_id not in there:
        raise ResultsError(f"{place.name} has no run {run_id}; there are: {', '.join(there[-5:]) or 'no runs'}")
    return [run_id]


def _rows(place: Place, path: str, columns: list[str], warn: Warn) -> list[dict[str, Any]] | None:
    try:
        table: pa.Table = place.read_table(path, columns)
    except ResultsError as error:
        warn(str(error))
        return None
    rows: list[dict[str, Any]] = table.to_pylist()
    lacking = {name: OLDER.get(name) for name in columns if name not in table.column_names}
    return [{**lacking, **row} for row in rows] if lacking else rows


def _verdicts(place: Place, run_id: str, warn: Warn) -> dict[_Key, dict[str, Any]]:
    """Return the newest later verdict per trial: highest rules, then the file written last."""
    newest: dict[_Key, dict[str, Any]] = {}
    paths = place.files(f"{RUN_PREFIX}{run_id}/{VERDICTS}")
    for path in sorted(paths, key=verdict_order):
        for row in _rows(place, path, VERDICT_SCHEMA.names, warn) or ():
            newest[_key(row)] = row
    return newest


def verdict_order(path: str) -> tuple[int, int]:
    """Return the sort key of a file `<rules>-<seq>.parquet`; later files override earlier ones."""
    rules, _, seq = PurePosixPath(path).stem.partition("-")
    return (int(rules), int(seq)) if rules.isdigit() and seq.isdigit() else (-1, -1)


def _trial(
    row: dict[str, Any], newest: dict[_Key, dict[str, Any]], part: str, place: Place, warn: Warn
) -> TrialRow | None:
    try:
        key = _key(row)
        judged = newest.get(key, row)
        verdict = verdict_of(judged if judged["rules"] >= row["rules"] else row)
        return TrialRow(
            run_id=row["run_id"],
            cell=key[0],
            trial=row["trial"],
            seed=row["seed"],
            verdict=verdict,
            conforming=tuple(map(Outcome, row["conforming"])),
            reality=Reality(row["reality"]),
            released=row["released"],
            mirrors=row["mirrors"],
            shortened=row["shortened"],
            conditions=row["conditions"],
            sweep=row["sweep"],
            part=part,
        )
    except MISFITS as error:
        warn(f"{place.name}: a row of {part} does not fit the model: {error}; use a newer probe")
        return None


def _run(place: Place, run_id: str, warn: Warn) -> RunInfo:
    folder = f"{RUN_PREFIX}{run_id}"
    shards, count = [], 0
    for path in place.files(f"{folder}/{RUN}", ".json"):
        try:
            shards.append(checked_description(place.read_json(path), f"{place.name}/{path}"))
        except ResultsError as error:
            warn(str(error))
    for path in place.files(f"{folder}/{TRIALS}"):
        try:
            count += place.count_rows(path)
        except ResultsError as error:
            warn(str(error))
    return RunInfo(run_id=run_id, trials=count, shards=tuple(shards))


def _key(row: dict[str, Any]) -> _Key:
    return cell_of(row), row["trial"]


def _raise(line: str) -> None:
    raise ResultsError(line)
