"""Sweeps of cost: one JSON file each, below `costs/` of a results folder, written anew after each point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import Any

from probe.model.cost import ClientCost, CostRun, PointCost
from probe.model.results import ResultsError
from probe.model.scale import Scale
from probe.store.files import Place

FOLDER = "costs"


def write_cost(results: str, run: CostRun) -> None:
    """Write a sweep, in place of an earlier state of it. ResultsError if that fails."""
    Place(results).write_json(_path(run.run_id), asdict(run))


def read_cost(results: str, run_id: str) -> CostRun | None:
    """Return a stored sweep of cost; None if this run is none. ResultsError if its file cannot be read."""
    place = Place(results)
    return _read(place, _path(run_id)) if place.exists(_path(run_id)) else None


def read_costs(results: str, note: Callable[[str], None] | None = None) -> list[CostRun]:
    """Return all stored sweeps of cost, oldest first.

    `note` gets the reason of each file that cannot be read, which is left out; without it ResultsError is raised.
    """
    place, found = Place(results), []
    for path in place.files(FOLDER, ".json"):
        try:
            found.append(_read(place, path))
        except ResultsError as error:
            if note is None:
                raise
            note(f"left out: {error}")
    return found


def _path(run_id: str) -> str:
    return f"{FOLDER}/{run_id}.json"


def _read(place: Place, path: str) -> CostRun:
    stored = place.read_json(path)
    try:
        points = tuple(map(_point, stored["points"]))
        found = CostRun(run_id=str(stored["run_id"]), seed=int(stored["seed"]), points=points)
    except (KeyError, TypeError, ValueError) as error:
        raise ResultsError(f"{place.name}/{path} is no sweep of cost: {error}; remove it") from None
    if found.run_id != PurePosixPath(path).stem:
        raise ResultsError(f"{place.name}/{path} is a sweep of run {found.run_id}; remove it")
    return found


def _point(stored: Mapping[str, Any]) -> PointCost:
    own = dict(stored)
    own["scale"] = Scale(**own["scale"])
    own["clients"] = tuple(ClientCost(**one) for one in own["clients"])
    return PointCost(**{**own, "differences": tuple(own["differences"]), "problems": tuple(own["problems"])})
