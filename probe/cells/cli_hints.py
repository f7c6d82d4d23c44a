"""Commands that show or run cells, quoted for a shell. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING

from probe.model import Cell, Profile, Workload
from probe.model.engines import is_default
from probe.model.profile import OWN_KEYS

if TYPE_CHECKING:
    from probe.cells.aggregate import SettledCell

DEFAULT_FOLDER = "results"
"""The folder of runs where `--results` names none."""

LONGEST = 300
"""Longest command that a line has, in characters; a longer one is replaced by one that finds the cells itself."""


def show_command(settled: SettledCell, results: str) -> str:
    """Return the command that shows the evidence of a cell."""
    cell = settled.cell
    selectors = {
        "results": results,
        "run": settled.run_id,
        "client": str(cell.client),
        "role": str(cell.role),
        "scenario": cell.scenario,
        "profile": cell.profile,
        "engine": str(cell.engine),
        "broker": cell.broker,
        **({"workload": str(cell.workload)} if cell.workload is not Workload.CONTINUOUS else {}),
    }
    return _command("probe show", selectors.items())


def lookup_command(cell: Cell) -> str:
    """Return the command that shows what is known of a cell; it needs no laboratory."""
    options = {
        "scenario": cell.scenario,
        "role": str(cell.role),
        "profile": cell.profile,
        "broker": cell.broker,
        **({"engine": str(cell.engine)} if not is_default(cell.engine) else {}),
        "workload": str(cell.workload),
    }
    return f"{_command(f'probe lookup {shlex.quote(str(cell.client))}', options.items())} --all"


def run_command(cells: Iterable[Cell], results: str) -> str:
    """Return a command that runs these cells, and every other combination of their columns."""
    options: dict[tuple[str, str], None] = {}
    cells = list(cells)
    named = any(cell.workload is not Workload.CONTINUOUS for cell in cells)
    for cell in cells:
        profile = Profile.parse(cell.profile)
        options[("client", str(cell.client))] = None
        options[("scenario", cell.scenario)] = None
        options[("role", str(cell.role))] = None
        options[("profile", profile.name)] = None
        options.update({("property", pair): None for pair in profile.settings})
        options.update(dict.fromkeys(profile.own))
        options[("broker", cell.broker)] = None
        if named:
            options[("workload", str(cell.workload))] = None
        if not is_default(cell.engine):
            options[("engine", str(cell.engine))] = None
    order = ("client", "scenario", "role", "profile", "property", *OWN_KEYS, "engine", "broker", "workload")
    ordered = sorted(options, key=lambda item: order.index(item[0]))
    return _command("probe run", [*ordered, ("results", results)])


def in_folder(results: str) -> str:
    """Return the option by which a hint finds a run in this folder; empty for the one that is used without it."""
    return "" if results == DEFAULT_FOLDER else f" --results {shlex.quote(results)}"


def resume_command(run_id: str, results: str) -> str:
    """Return the command that continues a run."""
    return f"probe run --resume {run_id}{in_folder(results)}"


def way_on(run_id: str, results: str, *, resumable: bool) -> str:
    """Return the way on after a run that was ended: `--resume` needs the selectors that `probe run` alone stores."""
    if resumable:
        return f"continue with `{resume_command(run_id, results)}`"
    return "give the same command again"


def show_run_command(run_id: str, results: str) -> str:
    """Return the command that shows the cells of a run."""
    return f"probe show --run {run_id}{in_folder(results)}"


def _command(name: str, options: Iterable[tuple[str, str]]) -> str:
    return " ".join([name, *(f"--{option} {shlex.quote(value)}" for option, value in options)])
