"""Agreement of both engines, after `probe run` and `probe matrix`; duration of elections on real brokers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from rich.table import Table

from probe.cells.aggregate import settle
from probe.cells.agreement import Shared, by_scenario, pair, percent, question
from probe.cli.console.streams import OUT
from probe.model import Cell, Election, Engine, Outcome
from probe.store import trials
from probe.store.files import Place

TABLE = "agreement.parquet"


def of_matrix(out: str) -> list[Shared]:
    """Return the shared cells of the matrix in a folder."""
    return [
        Shared(
            cell=Cell.of({**row, "engine": Engine.KAFKA}),
            embedded_profile=row["embedded_profile"],
            embedded=Outcome(row["embedded_outcome"]),
            kafka=Outcome(row["kafka_outcome"]),
            embedded_conditions=row["embedded_conditions"],
            kafka_conditions=row["kafka_conditions"],
        )
        for row in Place(out).read_table(TABLE).to_pylist()
    ]


def of_run(results: str, played: Collection[Cell]) -> list[Shared]:
    """Return the cells of a run that have a stored partner on the other engine, in any run."""
    asked = {question(cell) for cell in played}
    return pair(settle(row for row in trials(results, warn=_sentence) if question(row.cell) in asked))


def _sentence(_: str) -> None:
    """Drop a warning, which the run printed at its start."""


def show_agreement(shared: Iterable[Shared]) -> None:
    """Print a row per scenario, and a line per cell with different outcomes; nothing without shared cells."""
    shared = list(shared)
    found = by_scenario(shared)
    if not found:
        return
    table = Table(title="both engines", title_justify="left")
    table.add_column("scenario", no_wrap=True)
    for name in ("shared", "equal", "", "without a verdict"):
        table.add_column(name, justify="right")
    for one in found:
        table.add_row(
            one.scenario, str(one.judged), str(one.equal), percent(one.judged, one.equal), _examples(one.silent)
        )
    judged, equal = sum(one.judged for one in found), sum(one.equal for one in found)
    table.add_section()
    table.add_row("all", str(judged), str(equal), percent(judged, equal), _examples(sum(one.silent for one in found)))
    OUT.print(table)
    if apart := sum(1 for one in shared if not one.is_comparable):
        OUT.print(f"{apart} of them are not compared: the engines had different conditions", markup=False)
    for differing in (other for one in found for other in one.differing):
        OUT.print(_line(differing), markup=False)


def show_elections(elections: Mapping[tuple[str, str], Election]) -> None:
    """Print the duration of elections on real brokers per scenario and line, in the form of `--election`."""
    for (scenario, broker), took in elections.items():
        OUT.print(f"elected  {scenario} {broker}: to repeat it on the embedded engine: --election {took}", markup=False)


def _examples(count: int) -> str:
    return str(count) if count else ""


def _line(one: Shared) -> str:
    cell = one.cell
    where = f"{cell.scenario} {cell.client} {cell.role} {cell.profile} {cell.broker}{cell.unusual}"
    return f"differs  {where}: embedded {one.embedded} ({one.embedded_profile}), kafka {one.kafka}"
