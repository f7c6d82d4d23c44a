"""Write millions of synthetic trial rows: a history of runs over the same cells, in the format of the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from probe.model import Outcome, Reality, Reroute, Role, Trigger, Workload
from probe.store.files import ROWS_PER_GROUP
from probe.store.schemas import TRIAL_SCHEMA

FAMILIES = ("sarama", "java", "librdkafka", "franz-go", "kafka-python")
VERSIONS = tuple(f"{major}.{minor}.{patch}" for major in (0, 1, 2) for minor in (9, 27, 43) for patch in (0, 1, 3))
SCENARIOS = tuple(f"{kind}/produce/CODE_{code}" for kind in ("answer", "hold", "blip") for code in range(20))
ODD = ((Outcome.STUCK, 0.02), (Outcome.WAITING, 0.01), (Outcome.BROKEN, 0.01))
"""Outcomes of single trials with their probability; other trials have the usual outcome of their cell."""
COMMON = (Outcome.REFRESHES, Outcome.REFRESHES, Outcome.RIDES, Outcome.STUCK, Outcome.SURFACES, Outcome.LATE)
CODES: tuple[list[int], ...] = ([56], [6], [56, 6], [])
APIS = tuple([{"api": api, "version": 3 + n} for api in ("Produce", "Metadata", "FindCoordinator")] for n in range(6))

Columns = dict[str, pa.Array]


def write_history(results: Path, rows: int, *, cells: int = 10_000, trials: int = 4) -> int:
    """Write runs of `cells` x `trials` rows until there are `rows` rows; return the number of runs."""
    known = _cells(cells)
    runs = max(1, rows // (cells * trials))
    for nth in range(runs):
        run_id = f"2026{1 + nth // 28 % 12:02d}{1 + nth % 28:02d}T{nth // 336:02d}0000Z-{nth:04x}"
        folder = results / f"run_id={run_id}" / "trials"
        folder.mkdir(parents=True)
        table = _run(np.random.default_rng(nth), run_id, known, trials)
        pq.write_table(table, folder / "1of1-000000.parquet", compression="zstd", row_group_size=ROWS_PER_GROUP * 4)
    return runs


def _cells(count: int) -> pa.Table:
    def every() -> Iterator[dict[str, str]]:
        for broker in ("3.9", "4.0", "2.6", "0.10.2"):
            for profile in ("isolated", "idempotent"):
                for role in Role:
                    for scenario in SCENARIOS:
                        for family in FAMILIES:
                            for version in VERSIONS:
                                yield {
                                    "family": family,
                                    "version": version,
                                    "role": role.value,
                                    "profile": profile,
                                    "scenario": scenario,
                                    "engine": "embedded",
                                    "broker": broker,
                                    "workload": Workload.CONTINUOUS.value,
                                }

    return pa.Table.from_pylist([cell for _, cell in zip(range(count), every(), strict=False)])


def _run(rng: np.random.Generator, run_id: str, cells: pa.Table, trials: int) -> pa.Table:
    size = len(cells) * trials
    which = np.repeat(np.arange(len(cells)), trials)
    columns: Columns = {name: cells[name].combine_chunks().take(pa.array(which)) for name in cells.column_names}
    columns["run_id"] = pa.repeat(run_id, size)
    columns["trial"] = pa.array(np.tile(np.arange(1, trials + 1), len(cells)), pa.int32())
    columns.update(_verdicts(rng, which))
    columns.update(_numbers(rng, size))
    columns.update(_words(rng, size))
    return pa.table([columns.get(f.name, pa.nulls(size, f.type)) for f in TRIAL_SCHEMA], schema=TRIAL_SCHEMA)


def _verdicts(rng: np.random.Generator, which: Any) -> Columns:
    names = [outcome.value for outcome in (*COMMON, *(odd for odd, _ in ODD))]
    nth, drawn, edge = which % len(COMMON), rng.random(len(which)), 0.0
    for place, (_, share) in enumerate(ODD):
        nth = np.where((drawn >= edge) & (drawn < edge + share), len(COMMON) + place, nth)
        edge += share
    outcome = pa.array(names).take(pa.array(nth))
    good = [Outcome.REFRESHES.value, Outcome.RIDES.value]
    return {
        "outcome": outcome,
        "conforms": pa.array(np.isin(outcome.to_numpy(zero_copy_only=False), good)),
        "reason": pa.array([f"{name}, as the synthetic rules have it" for name in names]).take(pa.array(nth)),
        "rules": pa.array(np.ones(len(which)), pa.int32()),
        "shortened": pa.array(rng.random(len(which)) < 0.01),
        "reality": pa.repeat(Reality.EFFECTIVE.value, len(which)),
        "released": pa.repeat("2024-08-27", len(which)),
        "mirrors": pa.repeat("", len(which)),
    }


def _numbers(rng: np.random.Generator, size: int) -> Columns:
    found: Columns = {}
    for field in TRIAL_SCHEMA:
        if field.type == pa.float64():
            values = np.round(rng.gamma(2.0, 200.0, size), 3)
            found[field.name] = pa.array(values, mask=rng.random(size) < 0.1)
        elif field.type == pa.int64() and field.name != "seed":
            found[field.name] = pa.array(rng.integers(0, 20, size))
    found["watched_ms"] = pa.array(10_000 + rng.integers(0, 100, size))
    found["seed"] = pa.array(rng.integers(0, 2**40, size))
    return found


def _words(rng: np.random.Generator, size: int) -> Columns:
    def drawn(values: Any) -> pa.Array:
        return pa.array(values).take(pa.array(rng.integers(0, len(values), size)))

    return {
        "fault_codes": drawn(list(CODES)).cast(pa.list_(pa.int32())),
        "api_versions": drawn(list(APIS)).cast(TRIAL_SCHEMA.field("api_versions").type),
        "refresh_trigger": drawn([trigger.value for trigger in Trigger]),
        "reroute": drawn([reroute.value for reroute in Reroute]),
        "rescued_by": drawn(["", "", "retry"]),
        "after_heal": drawn(["", "recovered"]),
        "first_error": drawn(["", "KAFKA_STORAGE_ERROR", "client:ErrTimeout"]),
        "storm": drawn(["", "", "", "a", "bd"]),
        "recovered": pa.array(rng.random(size) < 0.9),
    }
