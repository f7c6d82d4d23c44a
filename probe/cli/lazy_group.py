"""The commands by name. Each command's module is imported when it is invoked or its own help is requested."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from probe.cli.laboratory import need_laboratory


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """The module of a command, and its line in the list of commands."""

    module: str
    """Module of `probe.cli.commands`. The function in it has the name of the command, with `_` for `-`."""
    summary: str
    """First paragraph of the function's docstring."""
    laboratory: bool = False
    """Whether all that it does needs the laboratory. Others may need it for an option, such as --run."""


COMMANDS: Mapping[str, Command] = {
    "run": Command(
        module="run",
        summary="Run clients in scenarios, judge each, and store the results.",
        laboratory=True,
    ),
    "plan": Command(
        module="plan",
        summary="List the cells that `probe run` would run and skip, with reasons and a time estimate. Starts nothing.",
    ),
    "show": Command(
        module="show",
        summary="Show the timeline of one trial, or what evidence says. If several cells match, list them.",
    ),
    "lookup": Command(
        module="lookup",
        summary="Look up what is known of a client, without a run: its level per role, what stops or loses work, what "
        "to do.",
    ),
    "supports": Command(
        module="supports",
        summary="Say which KIPs a client supports: declared, seen on the wire, and as it behaves in faults. Each yes "
        "has a cell.",
    ),
    "check": Command(
        module="check",
        summary="Build a working copy of a client library and compare it with a release: what is worse, better, "
        "undecided.",
        laboratory=True,
    ),
    "bundle": Command(
        module="bundle",
        summary="Write a folder that shows a cell without this project: fake brokers, a small client, two commands.",
    ),
    "check-driver": Command(
        module="check_driver",
        summary="Test a program on lines of JSON against its contract (docs/join.md); exit code 1 if it breaks a "
        "promise.",
        laboratory=True,
    ),
    "matrix": Command(
        module="matrix",
        summary="Build matrix.csv, the other tables and the web site from stored runs.",
        laboratory=True,
    ),
    "site": Command(
        module="site",
        summary="Build a web site and a JSON API of what is known of every client, from evidence, without a run.",
        laboratory=True,
    ),
    "advise": Command(
        module="advise",
        summary="Compare results before and after an upgrade of a client or the brokers; exit code 1 if a cell is "
        "shown worse.",
    ),
    "audit": Command(
        module="audit",
        summary="List the clients of inventories with the faults they do not survive, worst first.",
    ),
    "diagnose": Command(
        module="diagnose",
        summary="Find the clients that are stuck in captures and request logs; exit code 1 if there are.",
    ),
    "bisect": Command(
        module="bisect",
        summary="Find the version in which the outcome changed. Exit code 0 if there is one, 1 if all outcomes are "
        "the same.",
    ),
    "sweep": Command(
        module="sweep",
        summary="Measure recovery as a function of an election or a setting, or the cost of a failover by partitions "
        "and clients.",
        laboratory=True,
    ),
    "estimate": Command(
        module="estimate",
        summary="Estimate what one failover costs the cluster, by clients and partitions; exit code 3 if nothing is "
        "known.",
    ),
    "publish-evidence": Command(
        module="publish_evidence",
        summary="Write settled cells as evidence that ships with the package; exit code 1 if it contradicts a known "
        "result.",
        laboratory=True,
    ),
    "publish-fingerprints": Command(
        module="publish_fingerprints",
        summary="Write what clients sent first in stored `steady` trials as fingerprints, which name the libraries in "
        "captures.",
        laboratory=True,
    ),
    "verify": Command(
        module="verify",
        summary="Check known results against stored ones; missing cells are run. Exit code 1 if one is not reproduced.",
        laboratory=True,
    ),
    "judge": Command(
        module="judge",
        summary="Judge stored trials again with the current rules, and list the cells of the matrix that changed.",
        laboratory=True,
    ),
    "prune": Command(
        module="prune",
        summary="Remove old runs. The latest evidence for each cell of the matrix is always kept.",
        laboratory=True,
    ),
    "diff": Command(
        module="diff",
        summary="List the cells that were added, removed or changed from one run to another.",
        laboratory=True,
    ),
    "clients": Command(
        module="lists",
        summary="List the clients with versions, roles and profiles, and the applications and wrappers that stand for "
        "one.",
    ),
    "scenarios": Command(
        module="lists",
        summary="List the scenarios. Any Kafka error can also be run by name, as in blip/produce/UNKNOWN_SERVER_ERROR.",
    ),
    "doctor": Command(
        module="doctor",
        summary="Check that everything needed is installed; exit code 1 if the embedded engine cannot run.",
    ),
}


GROUPS: Mapping[str, tuple[str, ...]] = {
    "Ask what is known": ("lookup", "supports", "audit", "advise", "diagnose", "bisect", "show", "estimate"),
    "Run and judge": ("run", "plan", "check", "bundle", "check-driver", "sweep", "verify", "judge", "diff"),
    "Publish and keep": ("matrix", "site", "publish-evidence", "publish-fingerprints", "prune"),
    "What there is": ("clients", "scenarios", "doctor"),
}
"""The commands in the list of `probe --help`, by what they are for."""


def collect_garbage() -> None:
    """Let the collector run from here on (`probe.cli.main`). It leaves out what is imported, which stays."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


class _Invoked(TyperCommand):
    """A command; what was allocated until it is invoked stays until it ends."""

    def invoke(self, ctx: Any) -> Any:
        """Invoke it."""
        collect_garbage()
        return super().invoke(ctx)


class LazyGroup(TyperGroup):
    """A group whose list of commands is made from the table. Only the invoked command is imported."""

    def __init__(self, **settings: Any) -> None:
        """Take typer's settings of a group; commands registered with typer are replaced by those of the table."""
        listed = {
            name: TyperCommand(name, help=command.summary, rich_markup_mode=None) for name, command in COMMANDS.items()
        }
        super().__init__(**{**settings, "commands": listed})

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  # click gives both
        """Write the list of commands by what they are for."""
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name].summary) for name in names])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of the command, the command itself instead of its entry in the list, and its arguments."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and load(listed.name or ""), rest


def load(name: str) -> Any:
    """Import a command and return it in the form that typer runs.

    KeyError for a name that is not in the table, LaboratoryError for a command whose packages are not installed.
    """
    if COMMANDS[name].laboratory:
        need_laboratory(f"`probe {name}`")
    module = importlib.import_module(f"probe.cli.commands.{COMMANDS[name].module}")
    function = getattr(module, name.replace("-", "_"))
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    alone.command(name, cls=_Invoked)(function)
    return get_command(alone)
