"""Further readers for `benchmarks/fuzz.py`: programs on lines of JSON, and whole results folders."""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import zlib
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest import mock

from probe.catalogue.files import clients_folder
from probe.cli.wiring.settled_cells import own_file, write_settled
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.sources.lines_program import ROLES, described
from probe.errors import ProbeError
from probe.model import Outcome, Role
from probe.model.cost import CostRun
from probe.store import RunStore
from probe.store import reader as results
from probe.store.costs import read_costs, write_cost
from probe.store.pruning import choose
from probe.store.shards import missing_shards
from probe.store.sweeps import mark_sweep, sweep_runs
from tests.support.fuzzed_readers import Reader, RefusedError, judged
from tests.support.synthetic_rows import CELL, fill
from tests.unit.test_cost_growth import run_of

GREETING = {"event": "hello", "name": "toy", "version": "1.2.3", "roles": ["producer", "group"], "back_off_ms": 250}
ERROR = {"code": 56, "name": "KAFKA_STORAGE_ERROR", "type": "Refused", "text": "a disk failed", "retriable": True}
SAID: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "producer": (
        {"event": "acked", "partition": 0, "sequence": 3, "offset": 7},
        {"event": "send_error", "partition": 1, "sequence": 4, "error": ERROR},
        {"event": "notice", "text": "a line"},
    ),
    "consumer": (
        {"event": "received", "partition": 0, "offset": 3, "value": "i 0 3 5"},
        {"event": "receive_error", "partition": 0, "error": ERROR},
        {"event": "fatal", "text": "for good"},
    ),
    "group": (
        {"event": "assigned", "partitions": [0, 1]},
        {"event": "committed", "partition": 0, "offset": 3},
        {"event": "commit_error", "error": ERROR},
        {"event": "revoked", "partitions": [0, 1]},
        {"event": "unsupported", "text": "no such thing"},
    ),
}


def _lines(*said: Mapping[str, Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in said)


def _program(folder: Path, data: bytes) -> Path:
    """Write a program that says these bytes, whatever it reads."""
    (folder / "said").write_bytes(data)
    path = folder / "program"
    path.write_text('#!/bin/sh\nexec cat "$(dirname "$0")/said"\n')
    path.chmod(0o755)
    return path


def _read_greeting(_: str, data: bytes, folder: Path) -> object:
    return described(f"exec:{_program(folder, data)}")


def _conversations() -> Mapping[str, bytes]:
    ready = {"event": "ready", "settings": {"acks": "all", "retries": "3"}}
    return {role: _lines(GREETING, ready, *said, {"event": "closed"}) for role, said in SAID.items()}


class _Kept:
    """An outbox that keeps events."""

    def __init__(self) -> None:
        self.events: list[pb.Event] = []

    def add(self, event: pb.Event) -> None:
        """Keep an event."""
        self.events.append(event)


def _read_lines(name: str, data: bytes, folder: Path) -> object:
    """Let the adapter drive a program that says this, and judge what it reports."""
    if (place := str(clients_folder() / "python")) not in sys.path:
        sys.path.insert(0, place)
    from driver_runtime.instances import Instance  # noqa: PLC0415  # found by the line above
    from driver_runtime.library import Library  # noqa: PLC0415  # as above
    from driver_runtime.reports import Reports  # noqa: PLC0415  # as above
    from program_adapter.lines import error_of  # noqa: PLC0415  # as above
    from program_adapter.roles import run_role  # noqa: PLC0415  # as above

    library = Library(
        family="exec-toy",
        version="1",
        roles=dict.fromkeys(ROLES, partial(run_role, str(_program(folder, data)))),
        profiles=["isolated"],
        error_of=lambda error: error_of({"type": type(error).__name__, "text": str(error)}),
    )
    kept, failed = _Kept(), list[BaseException | None]()
    start = pb.Start(instance="i", client_id="c", role=name, profile="isolated", partitions=[0, 1], max_in_flight=2)
    with mock.patch.object(threading, "excepthook", lambda given: failed.append(given.exc_value)):
        Instance(library, start, Reports("i", kept), lambda _: ()).run()
    if failed and failed[0] is not None:
        raise failed[0]
    last = kept.events[-1]
    if last.kind not in (pb.CLOSED, pb.FATAL, pb.UNSUPPORTED):
        raise AssertionError(f"it ended with {last}")
    read = judged(kept.events, list(Role)[zlib.crc32(data) % len(Role)])
    if last.error.type == "LineError":
        raise RefusedError(last.error.text)
    return read


@cache
def _folder() -> Mapping[str, bytes]:
    """Return the files of a results folder: two runs, one of them a sweep, a sweep of cost, and settled cells."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        swept = fill(place, (CELL, 0, Outcome.STUCK))
        mark_sweep(folder, swept, "election=0,100")
        write_cost(folder, CostRun(run_id=run_of().run_id, seed=1, points=run_of().points[:2]))
        fill(place, (CELL, 1, Outcome.STUCK), (CELL, 2, Outcome.REFRESHES))
        files = (path for path in place.rglob("*") if path.is_file() and path.suffix != ".lock")
        return {str(path.relative_to(place)): path.read_bytes() for path in files}


def _read_folder(name: str, data: bytes, folder: Path) -> object:
    """Ask everything that reads a results folder. Each refusal is one line."""
    for other, found in _folder().items():
        path = folder / other
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if other == name else found)
    answers: list[object] = []
    refusals: list[str] = []
    for ask in ASKED:
        try:
            answers.append(ask(str(folder), refusals.append))
        except ProbeError as error:
            refusals.append(str(error))
    if several := [line for line in refusals if "\n" in line]:
        raise RefusedError(several[0])
    return answers


def _trials(folder: str, warn: Callable[[str], None]) -> object:
    return list(results.trials(folder, warn=warn))


def _histories(folder: str, warn: Callable[[str], None]) -> object:
    return [list(results.histories(folder, run.run_id, warn=warn)) for run in results.runs(folder, warn)]


def _resumed(folder: str, _: Callable[[str], None]) -> object:
    found = []
    for run in sorted(path.name.partition("=")[2] for path in Path(folder).glob("run_id=*")):
        with RunStore.resume(folder, run) as store:
            found.append((store.done(), store.seed))
    return found


def _settled(folder: str, _: Callable[[str], None]) -> object:
    write_settled(folder)
    with own_file(folder) as found:
        return list(found.cells()), found.runs


ASKED: tuple[Callable[[str, Callable[[str], None]], object], ...] = (
    _trials,
    _histories,
    lambda folder, _: read_costs(folder),
    lambda folder, _: sweep_runs(folder),
    lambda folder, _: missing_shards(folder),
    lambda folder, _: choose(folder, keep=1),
    _settled,
    _resumed,
)
"""Readers of a results folder. The last ones write there."""

READERS: Mapping[str, Reader] = {
    one.name: one
    for one in (
        Reader(
            "exec-greetings", lambda: {role: _lines({**GREETING, "roles": [role]}) for role in ROLES}, _read_greeting
        ),
        Reader("exec-lines", _conversations, _read_lines),
        Reader("results-folders", _folder, _read_folder),
    )
}
