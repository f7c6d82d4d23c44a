"""The table of outcomes that a run ends with."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table

from probe.catalogue.families import version_key
from probe.cli.console import OUT, say
from probe.model import Cell, Client, Outcome

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
    """Print scenarios down, roles and clients across."""
    clients = sorted(
        {cell.client for cell in outcomes} | set(absent), key=lambda item: (item.family, version_key(item.version))
    )
    table = Table(title=f"run {run_id}", title_justify="left")
    table.add_column("client", no_wrap=True)
    columns = sorted({_column(cell) for cell in outcomes}, key=lambda item: (item[0] != "steady", item))
    for column in columns:
        table.add_column("\n".join(part for part in column if part))
    for client in clients:
        row = [_text(outcomes, client, column, client in absent) for column in columns]
        table.add_row(str(client), *row)
    OUT.print(table)
    unclear = sum(1 for seen in outcomes.values() if seen & {Outcome.BROKEN, Outcome.NOT_PROVOKED})
    if unclear:
        say(f"{unclear} cells say nothing about their client (broken or not provoked): probe show --run {run_id}")


def _column(cell: Cell) -> tuple[str, str, str, str]:
    profile = "" if cell.profile == "isolated" else cell.profile
    return cell.scenario, str(cell.role), profile, cell.broker


def _text(
    outcomes: Mapping[Cell, set[Outcome]], client: Client, column: tuple[str, str, str, str], missing: bool
) -> str:
    seen = {
        item for cell, found in outcomes.items() if cell.client == client and _column(cell) == column for item in found
    }
    if not seen:
        return "not run" if missing else ""
    texts = sorted(str(item) for item in seen)
    style = next((STYLES[item] for item in seen if item in STYLES), "")
    text = " / ".join(texts)
    return f"[{style}]{text}[/]" if style else text
