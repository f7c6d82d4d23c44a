"""The table of outcomes that a run ends with."""

from __future__ import annotations

from collections.abc import Mapping

from rich.markup import escape
from rich.table import Table

from probe.advise.commands import split_profile
from probe.catalogue.families import version_key
from probe.cli.console import OUT, say
from probe.model import Cell, Client, Outcome

LONGEST = 90
"""Columns that a client with its properties may take."""

STYLES = {
    Outcome.STUCK: "bold red",
    Outcome.VIOLATES: "bold red",
    Outcome.FATAL: "bold red",
    Outcome.STORMS: "red",
    Outcome.LATE: "yellow",
    Outcome.SURFACES: "yellow",
    Outcome.BROKEN: "magenta",
}


def show_outcomes(outcomes: Mapping[Cell, set[Outcome]], absent: Mapping[Client, str], run_id: str) -> None:
    """Print a line for each client in each configuration, scenarios and roles across."""
    lines = sorted(
        {_line(cell) for cell in outcomes} | {(client, "") for client in absent},
        key=lambda item: (item[0].family, version_key(item[0].version), item[1]),
    )
    table = Table(title=f"run {run_id}", title_justify="left")
    table.add_column("client", no_wrap=True)
    columns = sorted({_column(cell) for cell in outcomes}, key=lambda item: (item[0] != "steady", item))
    for column in columns:
        table.add_column("\n".join(part for part in column if part))
    for line in lines:
        row = [_text(outcomes, line, column, line[0] in absent) for column in columns]
        table.add_row(escape(_short(" ".join(map(str, line)).strip())), *row)
    OUT.print(table)
    unclear = sum(1 for seen in outcomes.values() if seen & {Outcome.BROKEN, Outcome.NOT_PROVOKED})
    if unclear:
        say(f"{unclear} cells say nothing about their client (broken or not provoked): probe show --run {run_id}")


def _line(cell: Cell) -> tuple[Client, str]:
    """Return the client with its properties: an application's settings would make a column each."""
    return cell.client, " ".join(split_profile(cell.profile)[1])


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _column(cell: Cell) -> tuple[str, str, str, str]:
    name, _, election = split_profile(cell.profile)
    profile = "+".join([name, *([f"election={election}"] if election is not None else [])])
    return cell.scenario, str(cell.role), "" if profile == "isolated" else profile, cell.broker


def _text(
    outcomes: Mapping[Cell, set[Outcome]], line: tuple[Client, str], column: tuple[str, str, str, str], missing: bool
) -> str:
    seen = {
        item for cell, found in outcomes.items() if _line(cell) == line and _column(cell) == column for item in found
    }
    if not seen:
        return "not run" if missing else ""
    texts = sorted(str(item) for item in seen)
    style = next((STYLES[item] for item in seen if item in STYLES), "")
    text = " / ".join(texts)
    return f"[{style}]{text}[/]" if style else text
