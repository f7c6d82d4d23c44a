"""Captures of trials (`--capture`): one pcapng file per trial, in the folder of the run."""

from __future__ import annotations

import hashlib
import re

from probe.model import Cell
from probe.model.results import RUN_PREFIX
from probe.store.files import Place

CAPTURES = "captures"
LONGEST = 90


def capture_name(cell: Cell, trial: int) -> str:
    """Return the name of a trial's file: readable, made unique by a digest."""
    identity = cell.words()
    digest = hashlib.sha256("\0".join(identity).encode()).hexdigest()[:10]
    plain = re.sub(r"[^A-Za-z0-9.]+", "-", " ".join(identity)).strip("-.")[:LONGEST]
    return f"{plain}-{digest}-{trial}.pcapng"


def write_capture(results: str, run_id: str, cell: Cell, trial: int, data: bytes) -> None:
    """Write a trial's capture aside and rename it; ResultsError if it cannot be written."""
    Place(results).write_bytes(_path(run_id, cell, trial), data)


def read_capture(results: str, run_id: str, cell: Cell, trial: int) -> bytes | None:
    """Return a trial's capture, None if there is none; ResultsError if it cannot be read."""
    place, path = Place(results), _path(run_id, cell, trial)
    return place.read_bytes(path) if place.exists(path) else None


def captured_names(results: str, run_id: str) -> frozenset[str]:
    """Return the names of all captures of a run."""
    folder = f"{RUN_PREFIX}{run_id}/{CAPTURES}"
    return frozenset(path.rpartition("/")[2] for path in Place(results).files(folder, ".pcapng"))


def _path(run_id: str, cell: Cell, trial: int) -> str:
    return f"{RUN_PREFIX}{run_id}/{CAPTURES}/{capture_name(cell, trial)}"
