"""A matrix and its trials as the site meets them: histories played by small rules, rows drawn from their facts."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from probe.model import (
    Cell,
    Engine,
    History,
    Outcome,
    Role,
    Verdict,
)
from probe.model.columns import NAMES
from probe.model.outcomes import SAY_NOTHING, WELL
from probe.site import Source
from probe.site.data.matrix_rows import MatrixRow
from tests.support.site_trials import judge, play

IDENTITY = ("family", "version", "role", "profile", "scenario", "engine", "broker")
RUN = "20261121T084315Z-3f9a"
CLIENTS = {
    "sarama": ("1.9.0", "1.27.0", "1.43.2", "1.43.3", "1.46.1"),
    "librdkafka": ("1.5.0", "1.9.2", "2.3.0", "2.10.1"),
    "java": ("2.6.3", "4.1.0"),
}
RELEASED = {"1.27.0": "2020-08-11", "1.43.2": "2024-04-23", "1.43.3": "2024-08-19", "2.3.0": "2023-10-25"}
SCENARIOS = (
    "steady",
    "disk/storage-error",
    "leader/elected",
    "leader/reassigned",
    "broker/shutdown",
    "broker/kill",
    "net/reset",
    "answer/produce/NOT_LEADER_OR_FOLLOWER",
)


def outcome_of(cell: Cell) -> Outcome:
    """Plays the part of the world: what this client does in this scenario."""
    name, version, scenario = cell.family, cell.version, cell.scenario
    if name == "java" and version == "2.6.3":
        return Outcome.NOT_RUN
    if scenario == "steady":
        return Outcome.CLEAN
    if scenario == "net/reset":
        return Outcome.RIDES
    if name == "java":
        return Outcome.HINTED if scenario.startswith("leader/") else Outcome.REFRESHES
    disk = scenario.startswith("disk/")
    table = {
        ("sarama", "1.9.0"): Outcome.UNSUPPORTED if disk else Outcome.SURFACES,
        ("sarama", "1.27.0"): Outcome.STUCK if disk else Outcome.SURFACES,
        ("sarama", "1.43.2"): Outcome.STUCK if disk else Outcome.REFRESHES,
        ("sarama", "1.43.3"): Outcome.FLAKY if scenario == "broker/kill" else Outcome.REFRESHES,
        ("librdkafka", "1.5.0"): Outcome.FATAL if disk else Outcome.VIOLATES,
        ("librdkafka", "1.9.2"): Outcome.LATE,
        ("librdkafka", "2.3.0"): Outcome.STORMS,
    }
    usual = table.get((name, version), Outcome.REFRESHES)
    if cell.role is Role.CONSUMER:
        return {Outcome.VIOLATES: Outcome.WAITING, Outcome.FATAL: Outcome.NOT_PROVOKED}.get(usual, usual)
    return Outcome.BROKEN if (version, scenario) == ("1.46.1", "leader/reassigned") else usual


def cells() -> Iterator[Cell]:
    for family, versions in CLIENTS.items():
        for version in versions:
            for role in (Role.PRODUCER, Role.CONSUMER):
                for scenario in SCENARIOS:
                    yield Cell(family, version, role, "isolated", scenario, Engine.EMBEDDED, "3.9")
            yield Cell(family, version, Role.PRODUCER, "isolated", SCENARIOS[1], Engine.KAFKA, "3.9")
            yield Cell(family, version, Role.PRODUCER, "acks-1", SCENARIOS[1], Engine.EMBEDDED, "0.10.2")
    yield Cell("sarama", "1.43.3", Role.PRODUCER, "isolated+election=1000", SCENARIOS[1], Engine.EMBEDDED, "3.9")


def many(wanted: int) -> list[dict[str, str]]:
    """A big matrix: the rows as they are, and the same under invented versions and scenarios, without trials."""
    base = matrix()
    out = list(base)
    for index in range(len(base), wanted):
        row, copy = base[index % len(base)], index // len(base)
        invented = {"version": f"{copy % 5}.{row['version']}", "scenario": f"{row['scenario']}/{copy // 5}"}
        out.append(row | invented | {"run_id": ""})
    return out


BEFORE = "20261020T080000Z-0a0a"
CHANGED = Cell("sarama", "1.43.2", Role.PRODUCER, "isolated", "disk/storage-error", Engine.EMBEDDED, "3.9")
"""Conformed in the run before, and is stuck now."""


def write_past(folder: Path) -> None:
    """What the Spark job writes beside the matrix: one cell got worse, one is new, two have a history."""
    changed = CHANGED.columns() | {"kind": "changed", "outcome_before": "refreshes", "conforms_before": "yes"}
    changed |= {
        "trials_before": 1,
        "run_before": BEFORE,
        "outcome": "stuck",
        "conforms": "no",
        "trials": 3,
        "run_id": RUN,
    }
    new = dict(changed) | {"scenario": "net/reset", "kind": "added", "outcome": "rides", "conforms": "yes"}
    new |= {"outcome_before": None, "conforms_before": None, "trials_before": None, "run_before": None}
    stretch = CHANGED.columns() | {"first_run": RUN, "last_run": RUN, "runs": 1, "trials": 3, "agreeing": 3}
    stretch |= {"outcome": "stuck", "conforms": "no"}
    older = dict(stretch) | {"first_run": "20260901T080000Z-0001", "last_run": BEFORE, "runs": 4, "trials": 4}
    older |= {"outcome": "refreshes", "conforms": "yes", "agreeing": 4}
    flakes = CHANGED.columns() | {"commonest": "refreshes", "trials": 7, "differing": 3}
    flakes |= {"rate": 0.43, "rate_low": 0.158, "rate_high": 0.75}
    for name, rows in {"changes": [changed, new], "history": [stretch, older], "flakes": [flakes]}.items():
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")


@dataclass(frozen=True, slots=True)
class FakeTrial:
    cell: Cell
    trial: int
    verdict: Verdict
    shortened: bool = False
    part: str = "1of1-000000"


def judged_trials(cell: Cell) -> list[FakeTrial]:
    outcome = outcome_of(cell)
    if outcome is Outcome.NOT_RUN:
        return []
    each = (
        (Outcome.REFRESHES, Outcome.LATE, Outcome.REFRESHES)
        if outcome is Outcome.FLAKY
        else (outcome,) * (3 if cell.scenario == "disk/storage-error" else 1)
    )
    return [FakeTrial(cell, number, judge(cell, one, number)) for number, one in enumerate(each)]


def matrix_row(cell: Cell, trials: list[FakeTrial]) -> dict[str, str]:
    outcome = outcome_of(cell)
    row = dict.fromkeys(NAMES, "") | cell.columns()
    row |= {"outcome": str(outcome), "reality": "effective", "trials": str(len(trials)), "run_id": RUN}
    row["released"] = RELEASED.get(cell.version, "")
    if not trials:
        return row | {"reason": "no Java on this machine", "trials": "0"}
    if cell.broker == "0.10.2":
        row["reality"] = "raw"
    elif outcome not in SAY_NOTHING and outcome is not Outcome.FLAKY:
        row["conforms"] = "yes" if outcome in WELL else "no"
    row["agreeing"] = "2" if outcome is Outcome.FLAKY else str(len(trials))
    facts = trials[0].verdict.facts
    columns: dict[str, object] = {
        "reason": trials[0].verdict.reason,
        "watched_ms": facts.watched_ms,
        "fault_codes": ";".join(map(str, facts.fault_codes)),
        "api_versions": "Produce=7",
        "fault_hits": facts.fault_hits,
        "refresh_trigger": facts.refresh_trigger,
        "refresh_ms_p50": facts.refresh_ms,
        "refreshes_max": facts.refreshes,
        "storm": facts.storm,
        "reroute": facts.reroute,
        "rescued_by": facts.rescued_by,
        "recovered": facts.recovered,
        "recovery_ms_p50": facts.recovery_ms,
        "outage_ms_max": facts.outage_ms,
        "after_heal": facts.after_heal,
        "errors_surfaced": facts.errors_surfaced,
        "first_error": facts.first_error,
        "acked": facts.acked,
        "lost": facts.lost,
    }
    return row | {name: _text(value) for name, value in columns.items()}


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) else str(value)


def write_matrix(path: Path, rows: Iterable[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, NAMES, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def trials(run_id: str) -> list[FakeTrial]:
    return [one for cell in cells() for one in judged_trials(cell)] if run_id == RUN else []


def histories(run_id: str, wanted: Collection[tuple[Cell, int]], _parts: Collection[str] = ()) -> Iterator[History]:
    for one in trials(run_id):
        if (one.cell, one.trial) in wanted and one.verdict.outcome is not Outcome.UNSUPPORTED:
            yield play(one.cell, one.trial, one.verdict.outcome)


SOURCE = Source(trials, histories)


def matrix() -> list[dict[str, str]]:
    return [matrix_row(cell, judged_trials(cell)) for cell in cells()]


def slugs(rows: Iterable[dict[str, str]]) -> set[str]:
    return {MatrixRow(Cell.of(row), Outcome(row["outcome"]), None, row).slug for row in rows}
