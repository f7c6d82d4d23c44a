"""The table of outcomes at the end of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from probe.cells.cli_hints import DEFAULT_FOLDER, resume_command, show_run_command
from probe.cli.console.skips import REASONS, by_reason
from probe.cli.console.streams import OUT, say
from probe.model import Cell, Client, Outcome, Profile, control_first
from probe.model.outcomes import DOUBTFUL, OUTCOMES, SAY_NOTHING
from probe.model.profile import DEFAULT_PROFILE
from probe.model.versions import version_key

_Line = tuple[Client, str]

MAX_CELLS = 90
"""Maximum width of a client with its properties, in columns."""

ANY_WIDTH = 1 << 20
"""Width without a limit, to measure a table."""


def show_outcomes(
    outcomes: Mapping[Cell, set[Outcome]],
    absent: Mapping[Client, str],
    run_id: str,
    reasons: Mapping[tuple[Cell, Outcome], str] | None = None,
    *,
    results: str = DEFAULT_FOLDER,
) -> None:
    """Print a row per client and configuration with a column per scenario and role, or counts if that is too wide.

    The reasons of cells that say nothing about their client follow below the table.
    """
    title = f"run {run_id}"
    cells = _by_line(outcomes, absent)
    table = _cell_by_cell(title, outcomes, cells, absent)
    console = OUT.console
    if fits := Measurement.get(console, console.options.update(max_width=ANY_WIDTH), table).minimum <= console.width:
        OUT.print(table)
    else:
        OUT.print(_counts(title, outcomes, cells, absent))
    show = show_run_command(run_id, results)
    for line in _silent(reasons or {}, absent, show):
        OUT.print(line, markup=False)
    unclear = sum(1 for seen in outcomes.values() if not seen.isdisjoint(DOUBTFUL))
    if unclear:
        kinds = " or ".join(OUTCOMES[outcome].label for outcome in DOUBTFUL)
        failed = any(Outcome.BROKEN in seen for seen in outcomes.values())
        again = f"; `{resume_command(run_id, results)}` plays broken ones again" if failed else ""
        say(f"{unclear} cells without a verdict ({kinds}): {show}{again}")
    elif not fits:
        say(f"cell by cell: {show}")


def _silent(reasons: Mapping[tuple[Cell, Outcome], str], absent: Mapping[Client, str], show: str) -> Iterator[str]:
    """Name the cells that say nothing about their client, by outcome and reason, and the clients that were not run."""
    for outcome in (one for one in Outcome if one in SAY_NOTHING):
        named = [
            (str(cell), why) for (cell, seen), why in reasons.items() if seen is outcome and cell.client not in absent
        ]
        grouped = list(by_reason(named))
        yield from (f"{outcome}  {names}: {reason}" for names, reason in grouped[:REASONS])
        if (left := len(grouped) - REASONS) > 0:
            yield f"{outcome}  for {left} more reasons: {show}"
    for names, reason in by_reason((str(client), why) for client, why in absent.items()):
        yield f"{Outcome.NOT_RUN}  {names}: {reason}"


def _by_line(outcomes: Iterable[Cell], absent: Iterable[Client]) -> dict[_Line, list[Cell]]:
    """Return the cells of each row, in order of the rows; a client that could not be obtained has none."""
    cells: dict[_Line, list[Cell]] = {(client, ""): [] for client in absent}
    for cell in outcomes:
        cells.setdefault(_line(cell), []).append(cell)
    return dict(
        sorted(cells.items(), key=lambda item: (item[0][0].family, version_key(item[0][0].version), item[0][1]))
    )


def _cell_by_cell(
    title: str, outcomes: Mapping[Cell, set[Outcome]], cells: Mapping[_Line, list[Cell]], absent: Mapping[Client, str]
) -> Table:
    columns = sorted({_column(cell) for cell in outcomes}, key=lambda item: (control_first(item[0]), item))
    table = _table(title, ("\n".join(part for part in column if part) for column in columns))
    for line, mine in cells.items():
        missing = "not run" if line[0] in absent else ""
        met = {column: set[Outcome]() for column in columns}
        for cell in mine:
            met[_column(cell)] |= outcomes[cell]
        table.add_row(_named(line), *(_text(seen) or missing for seen in met.values()))
    return table


def _counts(
    title: str, outcomes: Mapping[Cell, set[Outcome]], cells: Mapping[_Line, list[Cell]], absent: Mapping[Client, str]
) -> Table:
    """Count the outcomes of each client; a cell with several outcomes counts in each."""
    columns = [outcome for outcome in Outcome if any(outcome in seen for seen in outcomes.values())]
    table = _table(title, map(str, columns), justify="right")
    for line, mine in cells.items():
        met = Counter(outcome for cell in mine for outcome in outcomes[cell])
        missing = "not run" if line[0] in absent and not mine else ""
        table.add_row(_named(line), *(_styled(str(met[one]), {one}) if met[one] else missing for one in columns))
    return table


def _table(title: str, columns: Iterable[str], justify: Literal["left", "right"] = "left") -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("client", no_wrap=True)
    for column in columns:
        table.add_column(column, justify=justify)
    return table


def _line(cell: Cell) -> _Line:
    """Return the client with its properties, since columns for an application's settings would be too wide."""
    return cell.client, " ".join(Profile.parse(cell.profile).settings)


def _short(text: str) -> str:
    return text if len(text) <= MAX_CELLS else f"{text[: MAX_CELLS - 1]}…"


def _column(cell: Cell) -> tuple[str, str, str, str, str]:
    profile = str(Profile.parse(cell.profile).plain())
    usual = "" if profile == DEFAULT_PROFILE else profile
    return cell.scenario, str(cell.role), usual, cell.broker, cell.unusual.strip()


def _named(line: _Line) -> str:
    return escape(_short(" ".join(map(str, line)).strip()))


def _text(seen: set[Outcome]) -> str:
    return _styled(" / ".join(sorted(str(item) for item in seen)), seen)


def _styled(text: str, seen: set[Outcome]) -> str:
    style = next((style for item in seen if (style := OUTCOMES[item].style)), "")
    return f"[{style}]{text}[/]" if style else text
