"""Write the store: one `RunStore` per process and shard."""

from __future__ import annotations

import copy
import logging
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from probe.errors import ExhaustedError
from probe.model import Cell, History, Outcome, Verdict
from probe.model.results import EVENTS, IDENTITY, RUN, RUN_PREFIX, TRIALS, ResultsError
from probe.model.rows import cell_of
from probe.ports import CohortLoad
from probe.processes.resources import exhaustion
from probe.store.files import Place
from probe.store.pandas_use import without_pandas
from probe.store.rows import ROWS_AT_A_TIME, events_table, not_run_row, trial_row, trials_table
from probe.store.run_description import (
    checked_description,
    conditions_now,
    describe,
    lacks_description,
    new_run_id,
    now,
)

FLUSH_S = 5.0
FLUSH_TRIALS = 256
FLUSH_EVENTS = 200_000
LAST_S, AGAIN_S = 10.0, 0.5
"""Time and interval of the last attempts to write data for which there was no room."""
REST_S = 0.008
"""Pause of the writer between two batches of events, a multiple of the time that a batch takes."""

_log = logging.getLogger(__name__)
_Trial = tuple[History, Verdict]
_Key = tuple[Cell, int]
_UNFIT = (ValueError, TypeError, OverflowError)
"""Errors for a value that does not fit its column."""


class RunStore:
    """Appends judged trials to a run. Its thread writes every 5 s or every 256 trials.

    `add` and `add_not_run` are safe in an event loop: they never access a file. `flush` blocks and may be called from
    any thread. Data of a failed write is kept for the next attempt. The end of the `with` block raises ResultsError if
    the last attempt fails.
    """

    def __init__(self, place: Place, about: dict[str, Any], done: set[_Key]) -> None:
        self.run_id: str = about["run_id"]
        self.seed: int = about["seed"]
        self._place, self._about, self._done = place, about, done
        self.results: str = place.name
        self._folder = f"{RUN_PREFIX}{self.run_id}"
        self._trials: list[_Trial] = []
        self._absent: list[dict[str, Any]] = []
        self._events = 0
        self._changed = True
        self._seq = _next_seq(place, self._folder, about["shard"])
        self._state = threading.Condition()
        self._write_lock = threading.Lock()
        self._closing = False
        self._problem = ""
        self._exhausted: ExhaustedError | None = None
        self._thread = threading.Thread(target=self._keep_flushing, name="store", daemon=True)

    @classmethod
    def create(
        cls,
        results: str,
        *,
        command: Sequence[str],
        seed: int,
        shard: str = "1of1",
        run_id: str | None = None,
        versions: Mapping[str, str] | None = None,
        digests: Mapping[str, str] | None = None,
        selectors: Mapping[str, Any] | None = None,
    ) -> Self:
        """Start a run, or another shard of the run `run_id`. ResultsError if this shard exists already."""
        if not re.fullmatch(r"[A-Za-z0-9_.]+", shard):
            raise ValueError(f"shard {shard!r}: use letters, digits, dot and underscore, such as 1of4")
        place = Place(results)
        about = describe(run_id or new_run_id(), shard, command, seed, versions or {}, digests or {}, selectors)
        path = _about_path(about["run_id"], shard)
        if place.exists(path):
            raise ResultsError(f"{place.name}/{path} is there already; resume that run instead")
        place.write_json(path, about)
        return cls(place, about, _stored(place, f"{RUN_PREFIX}{about['run_id']}"))

    @classmethod
    def resume(cls, results: str, run_id: str, *, command: Sequence[str] = (), shard: str = "1of1") -> Self:
        """Resume a run, or start another shard of it; ResultsError if there is no such run."""
        place = Place(results)
        path = _about_path(run_id, shard)
        if not place.exists(path):
            seed = _seed_of(place, run_id)
            return cls.create(results, command=command, seed=seed, shard=shard, run_id=run_id)
        about = _described(place, path)
        about["resumed"].append({"at": now(), "command": list(command), "conditions": conditions_now()})
        about["finished"] = None
        for kind in (RUN, TRIALS, EVENTS):
            place.clean(f"{RUN_PREFIX}{run_id}/{kind}", shard)
        return cls(place, about, _stored(place, f"{RUN_PREFIX}{run_id}"))

    def __enter__(self) -> Self:
        without_pandas()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._state:
            self._closing = True
            self._state.notify_all()
        self._thread.join()
        if kind is None:
            self._about["finished"] = now()
            self._changed = True
        try:
            self._flush_at_last()
        except ResultsError as failure:
            lost = f"{failure}; --resume {self.run_id} then repeats {len(self._trials)} trials that are not stored"
            if kind is None:
                raise ResultsError(lost) from failure
            _log.error("%s", lost)  # must not replace the error that ended the run

    def _flush_at_last(self) -> None:
        """Write the rest; repeat for `LAST_S` while this machine has no disk space or file descriptors left."""
        end = time.monotonic() + LAST_S
        while True:
            try:
                return self.flush()
            except ResultsError as error:
                if exhaustion(error) is None or time.monotonic() >= end:
                    raise
            time.sleep(min(AGAIN_S, LAST_S))

    def add(self, history: History, verdict: Verdict) -> None:
        """Add a judged trial; it is on disk within 5 s. ValueError if it was added before."""
        key = (history.header.cell, history.header.trial)
        with self._state:
            if key in self._done:
                raise ValueError(f"trial {key[1]} of {key[0]} is stored already")
            self._done.add(key)
            self._trials.append((history, verdict))
            self._events += len(history.events)
            self._note_client(key[0], history.header.artifact)
            self._wake_if_full()

    def add_not_run(
        self, cell: Cell, reason: str, released: str = "", mirrors: str = "", *, rules: int = 0, sweep: str = ""
    ) -> None:
        """Add a cell whose client is not available or does not start; a resumed run tries it again."""
        row = not_run_row(
            self.run_id, cell, reason=reason, released=released, mirrors=mirrors, rules=rules, sweep=sweep
        )
        with self._state:
            self._absent.append(row)
            self._wake_if_full()

    @property
    def resumable(self) -> bool:
        """Whether `probe run --resume` alone can continue it: its description has the selectors."""
        return bool(self._about.get("selectors"))

    def note(self, section: str, **facts: str) -> None:
        """Add facts to a section of the run's description, such as `versions`; the next flush writes them."""
        with self._state:
            self._about.setdefault(section, {}).update(facts)
            self._changed = True

    def add_cohort(self, load: CohortLoad) -> None:
        """Add the size and the writes of a cohort to the run's description; the next flush writes them."""
        with self._state:
            self._about.setdefault("cohorts", []).append(asdict(load))
            self._changed = True

    def has(self, cell: Cell, trial: int) -> bool:
        """Return whether this trial was added, in this process or before the run was resumed."""
        with self._state:
            return (cell, trial) in self._done

    def done(self) -> set[_Key]:
        """Return (cell, trial) of every judged trial of this run, of all shards."""
        with self._state:
            return set(self._done)

    @property
    def exhausted(self) -> ExhaustedError | None:
        """The reason why nothing can be written: no disk space or file descriptors left. The data is kept."""
        return self._exhausted

    def flush(self) -> None:
        """Write the data added since the last flush; ResultsError if that fails, and the data is kept."""
        with self._write_lock:
            with self._state:
                trials, absent, changed = self._trials, self._absent, self._changed
                self._trials, self._absent, self._events, self._changed = [], [], 0, False
                about = copy.deepcopy(self._about)
            try:
                self._write(trials, absent)
                absent = []
                while trials:  # freeing all events at once would block the event loop
                    trials.pop()
                    self._rest()
                if changed:
                    self._place.write_json(_about_path(self.run_id, about["shard"]), about)
                self._exhausted = None
            except (ResultsError, MemoryError) as error:
                self._exhausted = exhaustion(error)
                with self._state:
                    self._trials, self._absent, self._changed = trials + self._trials, absent + self._absent, True
                if isinstance(error, ResultsError):
                    raise
                raise ResultsError(f"run {self.run_id} cannot be written: {self._exhausted}") from error

    def _write(self, trials: list[_Trial], absent: list[dict[str, Any]]) -> None:
        """Write events before trials: the file of events with the same name exists for every trial row."""
        rows, events = [trials_table(absent)], []
        for first in range(0, len(trials), ROWS_AT_A_TIME):
            some = trials[first : first + ROWS_AT_A_TIME]
            try:
                written = self._tables(some)
            except _UNFIT:
                written = [table for one in some for table in self._alone(one)]
            rows += [table for table, _ in written]
            events += [table for _, tables in written for table in tables]
        if not events and not absent:
            return
        while self._place.exists(self._path(TRIALS)) or self._place.exists(self._path(EVENTS)):
            self._seq += 1
        if events:
            self._place.write_table(self._path(EVENTS), pa.concat_tables(events))
        self._place.write_table(self._path(TRIALS), pa.concat_tables(rows))
        self._seq += 1

    def _tables(self, trials: Sequence[_Trial]) -> list[tuple[pa.Table, list[pa.Table]]]:
        """Return the rows of trials, and their events; raises one of `_UNFIT` if a value does not fit its column."""
        rows = trials_table([trial_row(self.run_id, history, verdict) for history, verdict in trials])
        return [(rows, [events_table(self.run_id, history, self._rest) for history, _ in trials])]

    def _alone(self, trial: _Trial) -> list[tuple[pa.Table, list[pa.Table]]]:
        """Return the same for one trial; nothing if it cannot be stored, so that others are stored nevertheless."""
        try:
            return self._tables([trial])
        except _UNFIT as error:
            header = trial[0].header
            again = "correct what its driver reports and run the cell again"
            _log.error("trial %d of %s is not stored: %s; %s", header.trial, header.cell, error, again)
            return []

    def _rest(self) -> None:
        """Release the interpreter for the event loop; no pause is needed once the loop has ended."""
        if not self._closing:
            time.sleep(REST_S)

    def _path(self, kind: str) -> str:
        return f"{self._folder}/{kind}/{self._about['shard']}-{self._seq:06d}.parquet"

    def _note_client(self, cell: Cell, artifact: str) -> None:
        clients = self._about["clients"]
        if artifact and clients.get(str(cell.client)) != artifact:
            clients[str(cell.client)] = artifact
            self._changed = True

    def _wake_if_full(self) -> None:
        if self._is_full():
            self._state.notify_all()

    def _is_full(self) -> bool:
        return len(self._trials) + len(self._absent) >= FLUSH_TRIALS or self._events >= FLUSH_EVENTS

    def _keep_flushing(self) -> None:
        while not self._wait(lambda: self._closing or self._is_full()):
            try:
                self.flush()
                self._problem = ""
            except ResultsError as error:
                if not self._problem:  # log only the first failure: a run may go on for hours
                    more = "no further trials are started, " if self._exhausted else ""
                    _log.error("%s; %strials are kept in memory, the next attempt is in %d s", error, more, FLUSH_S)
                self._problem = str(error)
                self._wait(lambda: self._closing)

    def _wait(self, until: Callable[[], bool]) -> bool:
        """Wait at most 5 s; return whether the store is closing."""
        with self._state:
            self._state.wait_for(until, FLUSH_S)
            return self._closing


def _about_path(run_id: str, shard: str) -> str:
    return f"{RUN_PREFIX}{run_id}/{RUN}/{shard}.json"


def _described(place: Place, path: str) -> dict[str, Any]:
    return checked_description(place.read_json(path), f"{place.name}/{path}")


def _seed_of(place: Place, run_id: str) -> int:
    """Return the seed of the run's other shards."""
    for path in place.files(f"{RUN_PREFIX}{run_id}/{RUN}", ".json"):
        return int(_described(place, path)["seed"])
    known = place.run_ids()
    if run_id in known:
        raise ResultsError(lacks_description(run_id))
    raise ResultsError(f"{place.name} has no run {run_id}; there are: {', '.join(known[-5:]) or 'no runs'}")


def _next_seq(place: Place, folder: str, shard: str) -> int:
    names = [*place.files(f"{folder}/{TRIALS}"), *place.files(f"{folder}/{EVENTS}")]
    taken = [int(found[1]) for name in names if (found := re.search(rf"/{re.escape(shard)}-(\d+)\.parquet$", name))]
    return max(taken, default=-1) + 1


def _stored(place: Place, folder: str) -> set[_Key]:
    done: set[_Key] = set()
    for path in place.files(f"{folder}/{TRIALS}"):
        try:
            table = place.read_table(path, [*IDENTITY, "trial", "outcome"])
        except ResultsError as error:
            _log.warning("%s; its trials run again", error)
            continue
        rows = (row for row in table.to_pylist() if row["outcome"] != Outcome.NOT_RUN)
        done.update((cell_of(row), row["trial"]) for row in rows)
    return done
