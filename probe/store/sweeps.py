"""The runs that are sweeps. A small file in such a run names its sweep, so that no trial is read to find them."""

from __future__ import annotations

from probe.model.results import RUN_PREFIX
from probe.store.files import Place

NAME = "sweep.json"


def mark_sweep(results: str, run_id: str, sweep: str) -> None:
    """Note that a run is a sweep, named as `--over` names it. ResultsError if that cannot be written."""
    Place(results).write_json(f"{RUN_PREFIX}{run_id}/{NAME}", {"over": sweep})


def sweep_runs(results: str) -> list[str]:
    """Return the ids of the runs that are sweeps, oldest first."""
    place = Place(results)
    ids = place.run_ids()
    there = place.present([f"{RUN_PREFIX}{run_id}/{NAME}" for run_id in ids])
    return [run_id for run_id, found in zip(ids, there, strict=True) if found]
