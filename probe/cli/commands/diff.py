"""`probe diff`: the cells that differ between two runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import typer

from probe.cells.aggregate import SettledCell, settle
from probe.cells.cell_harm import harm_in
from probe.cells.cli_hints import LONGEST, run_command
from probe.cells.comparison import Answer, Compared
from probe.cells.comparison_steps import Asked, of_two_runs
from probe.cells.diff import Difference, Kind, differences, not_comparable
from probe.cells.level_changes import level_changes
from probe.cli import common_options as common
from probe.cli import options as o
from probe.cli.console.older_conditions import not_compared
from probe.cli.console.streams import OUT
from probe.cli.wiring.compared_levels import levels_of_cells
from probe.cli.wiring.decisive_trials import cost
from probe.cli.wiring.reports import gate_text
from probe.errors import GateError
from probe.model import Cell
from probe.model.counts import counted
from probe.reports.gates import read_gate, stopped
from probe.store import trials


def diff(
    run_a: Annotated[str, typer.Argument(metavar="RUN_A", help="Identifier of the earlier run.")],
    run_b: Annotated[str, typer.Argument(metavar="RUN_B", help="Identifier of the later run.")],
    *,
    results: common.Results = common.RESULTS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema/diff.json).")] = False,
    fail_on: o.FailOn = "",
) -> None:
    """List the cells that were added, removed or changed from one run to another."""
    gate = read_gate(fail_on)
    before, after = settle(trials(results, run_a)), settle(trials(results, run_b))
    said = {one.step.after.cell: one for one in of_two_runs(before, after)}
    found = differences(before, after, said.values())
    apart = not_comparable(before, after)
    same = len(before.keys() & after.keys()) - len(apart) - sum(1 for item in found if item.kind is Kind.CHANGED)
    if as_json:
        rows = {str(kind): [_row(item, said) for item in found if item.kind is kind] for kind in Kind}
        totals = {"same": same, "not_comparable": len(apart)}
        typer.echo(json.dumps({"run_a": run_a, "run_b": run_b, **rows, **totals}, indent=1))
    else:
        for text in _levels(before, after):
            OUT.print(text, markup=False)
        for item in sorted(found, key=lambda item: _place(item, said)):
            OUT.print(_line(item, said), markup=False)
        counts = Counter(item.kind for item in found)
        parts = [*(f"{counts[kind]} {kind}" for kind in Kind), f"{same} the same"]
        parts += [f"{len(apart)} not comparable (measured under other conditions)"] if apart else []
        OUT.print(", ".join(parts), markup=False)
        for text in _apart(apart, results):
            OUT.print(text, markup=False)
        for line in _undecided([said[item.cell] for item in found if item.cell in said], results):
            OUT.print(line, markup=False)
    if failed := stopped(gate, after, before):
        raise GateError(gate_text(gate, failed, len(after)))


def _apart(cells: Sequence[Cell], results: str) -> Iterator[str]:
    """Yield which cells were measured under other conditions, and how they are measured anew."""
    if cells:
        command = run_command(cells, results)
        yield not_compared(cells, command if len(command) <= LONGEST else "probe run ...")


def _undecided(found: Sequence[Compared], results: str) -> Iterator[str]:
    """Say what would decide the cells that differ on too few trials."""
    open_ones = [one for one in found if one.needs]
    if open_ones:
        needs = max(one.needs for one in open_ones)
        spent = cost(open_ones, Asked(chance=frozenset()), None)
        yield (
            f"{counted(len(open_ones), 'cell')} undecided: {needs} trials in each of two runs decide all of them "
            f"({2 * needs * len(open_ones)} trials, about {spent.seconds} s for both)"
        )
        command = f"{run_command([one.step.after.cell for one in open_ones], results)} --trials {needs}"
        yield f"  {command if len(command) <= LONGEST else f'probe run ... --trials {needs}'}"


def _levels(before: Mapping[Cell, SettledCell], after: Mapping[Cell, SettledCell]) -> Iterator[str]:
    """Yield the clients and roles whose level differs, from the cells that both runs have and that are comparable."""
    both = [cell for cell in before if cell in after and before[cell].is_comparable(after[cell])]
    for client, line in sorted({(str(cell.client), cell.broker) for cell in both}):
        mine = [cell for cell in both if (str(cell.client), cell.broker) == (client, line)]
        sides = [levels_of_cells(client, [side[cell] for cell in mine], line) for side in (before, after)]
        yield from (f"level    {client} ({line}) {one.words}" for one in level_changes(*sides))


def _place(item: Difference, said: Mapping[Cell, Compared]) -> tuple[int, int]:
    """Order by kind; of what changed, the gravest harm in question first."""
    one = said.get(item.cell)
    return list(Kind).index(item.kind), 0 if one is None else -one.harm


def _line(item: Difference, said: Mapping[Cell, Compared]) -> str:
    sides = " -> ".join(_print_cells(side) for side in (item.before, item.after) if side is not None)
    one = said.get(item.cell)
    return f"{item.kind:<8} {item.cell}: {sides}{f' ({one.said})' if one else ''}"


def _print_cells(side: SettledCell) -> str:
    harm = harm_in(side)
    return (
        f"{f'{harm.words}; ' if harm is not None else ''}{side.tally}"
        + {True: ", conforms", False: ", does not conform", None: ""}[side.conforms]
    )


def _row(item: Difference, said: Mapping[Cell, Compared]) -> dict[str, object]:
    one = said.get(item.cell)
    return {
        **item.cell.columns(),
        "before": _side(item.before),
        "after": _side(item.after),
        "trend": str(one.answer) if one else None,
        "may_be": str(one.towards) if one and one.answer is Answer.UNDECIDED else None,
    }


def _side(side: SettledCell | None) -> dict[str, object] | None:
    if side is None:
        return None
    harm = harm_in(side)
    return {
        "outcome": side.outcome,
        "conforms": side.conforms,
        "trials": len(side.verdicts),
        "run_id": side.run_id,
        "outcomes": side.outcomes,
        "worst": side.worst,
        "harm": None if harm is None else harm.words,
    }
