"""Workloads by name, which applications have which, and those of scenarios in the default catalogue.

`data/workloads.toml` has an entry per scenario that runs with more workloads than `continuous` where none is asked for,
each with its reason. A workload that is asked for applies to every scenario.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from probe.catalogue.families import CatalogueError, Family
from probe.catalogue.files import data_file
from probe.catalogue.selectors import Chosen
from probe.model import Cell, Role, Workload
from probe.model.hints import did_you_mean
from probe.model.workloads import HAVING, reason_against

EVERY = "all"
"""Selects every workload."""


class Listed(BaseModel):
    """An entry of the file: workloads of some scenarios in the default catalogue."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    scenarios: tuple[str, ...] = Field(min_length=1)
    workloads: tuple[Workload, ...] = Field(min_length=1)
    roles: tuple[Role, ...] = tuple(Role)
    """Of these roles, those that have the workload."""
    reason: str = Field(min_length=1)
    """Why another workload may have another outcome there."""


def select_workloads(names: Sequence[str]) -> tuple[Workload, ...]:
    """Return the workloads of these names, `continuous` without any. CatalogueError for an unknown name."""
    if EVERY in names:
        return tuple(Workload)
    for name in names:
        if name not in set(Workload):
            hint = did_you_mean(name, Workload, f"known are {', '.join([*Workload, EVERY])}")
            raise CatalogueError(f"--workload {name}: there is no such workload; {hint}")
    return tuple(map(Workload, dict.fromkeys(names))) or (Workload.CONTINUOUS,)


def unworked(chosen: Chosen, cell: Cell) -> str:
    """Return why a client has no cells with this workload; empty if it has."""
    if reason := reason_against(cell.workload, cell.role):
        return reason
    if reason := chosen.family.missing_workloads.get(cell.workload, ""):
        return f"{cell.family} has no workload {cell.workload}: {reason}"
    if cell.workload not in workloads_of(chosen.family):
        return f"{cell.family} is an application, which decides by itself how it sends records"
    return ""


def workloads_of(family: Family) -> Mapping[Workload, tuple[Role, ...]]:
    """Return the workloads that a family serves, each with the roles that have it, in the family's order."""
    served = (Workload.CONTINUOUS,) if family.judged_by else tuple(Workload)
    served = tuple(one for one in served if one not in family.missing_workloads)
    found = {one: tuple(role for role in map(Role, family.roles) if role in HAVING[one]) for one in served}
    return {one: roles for one, roles in found.items() if roles}


def listed_workloads(scenario: str, role: Role) -> tuple[Workload, ...]:
    """Return the workloads that a scenario has in the default catalogue in addition to `continuous`."""
    entry = listed().get(scenario)
    if entry is None or role not in entry.roles:
        return ()
    return tuple(one for one in Workload if one in entry.workloads and role in HAVING[one])


@cache
def listed() -> Mapping[str, Listed]:
    """Return the entry of each scenario that has one."""
    return {name: entry for entry in read_listed(data_file("workloads.toml")) for name in entry.scenarios}


def read_listed(path: Path) -> tuple[Listed, ...]:
    """Read a file of `[[listed]]` entries. CatalogueError with the file, the entry and the problem."""
    try:
        rows = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise CatalogueError(f"{path}: {error}; correct the file") from None
    entries = rows.pop("listed", [])
    if rows or not isinstance(entries, list):
        raise CatalogueError(f"{path}: {next(iter(rows), 'listed')!r} is no entry; begin each entry with [[listed]]")
    return tuple(_entry(path, number, row) for number, row in enumerate(entries, 1))


def _entry(path: Path, number: int, row: object) -> Listed:
    try:
        return Listed.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise CatalogueError(f"{path}: [[listed]] {number} {where}: {first['msg']}; correct the entry") from None
