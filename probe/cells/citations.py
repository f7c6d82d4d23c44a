"""Say which evidence an answer rests on, how old it is, by which rules, and which command measures it here. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from probe.cells.aggregate import SettledCell
from probe.cells.cli_hints import lookup_command, run_command, show_command
from probe.cells.lines import in_order_of_lines, sides_of
from probe.cells.loss_words import losing_cell
from probe.model import Cell


def cited(cell: Cell, answer: SettledCell, results: str) -> str:
    """Return the evidence of an answer about a cell, what other evidence says, and a command, as one clause."""
    return "; ".join([*evidence_of(cell, answer), command(cell, answer, results)])


def command(cell: Cell, answer: SettledCell, results: str, *, can_run: bool = True) -> str:
    """Return the command that shows the trials behind an answer, or that measures the cell here.

    Where no client can be run (`can_run`), the command shows what is known of the cell. Where real brokers lost records
    in the same question, the command is that of their cell, since the embedded engine loses none.
    """
    if (lost := losing_cell(answer)) is not answer:
        return command(lost.cell, lost, results, can_run=can_run)
    if answer.origin is None or (answer.origin.is_own and answer.cell.broker == cell.broker):
        return show_command(answer, results)
    return run_command([cell], results) if can_run else lookup_command(answer.cell)


def source(answer: SettledCell) -> str:
    """Return evidence, age, rules and conditions of an answer; empty if it was settled from the trials themselves."""
    if answer.origin is None:
        return ""
    return f"{answer.origin}, rules {answer.rules}, conditions {answer.conditions}"


def provenance(answer: SettledCell | None) -> dict[str, str | int | None]:
    """Return the evidence of an answer, its date, its age in days, rules and conditions, for JSON and CSV.

    Line and profile in which it was measured may be others than those that were asked about.
    """
    if answer is None:
        nothing = {"evidence": "", "measured": "", "days": None, "rules": None, "conditions": None}
        return {**nothing, "measured_on": "", "measured_profile": ""}
    origin = answer.origin
    return {
        "evidence": "" if origin is None else origin.evidence,
        "measured": "" if origin is None else origin.measured,
        "days": None if origin is None else origin.days,
        "rules": answer.rules,
        "conditions": answer.conditions,
        "measured_on": answer.cell.broker,
        "measured_profile": answer.cell.profile,
    }


def said(answer: SettledCell | None) -> dict[str, str | int | None]:
    """Return what one piece of evidence says, and where it is from."""
    if answer is None:
        nothing = {"outcome": "", "outcomes": "", "worst": "", "run_id": ""}
        return {**nothing, "trials": 0, "failing": 0, "lost": None, **provenance(None)}
    return {
        "outcome": answer.outcome,
        "outcomes": answer.outcomes,
        "worst": answer.worst,
        "run_id": answer.run_id,
        "trials": len(answer.verdicts),
        "failing": sum(item.conforms is False for item in answer.verdicts),
        "lost": None if answer.loss is None else answer.loss.lost,
        **provenance(answer),
    }


def never_measured(cell: Cell, answer: SettledCell) -> str:
    """Return what other lines show where the asked one has no evidence; empty if it has."""
    found = " and ".join(f"{item.result} on {item.cell.broker}" for item in in_order_of_lines(sides_of(cell, answer)))
    return f"never measured on line {cell.broker}: {found}" if found else ""


def evidence_of(cell: Cell, answer: SettledCell) -> Iterator[str]:
    """Yield what an answer about a cell rests on, also other lines than the asked one, and what other evidence says."""
    yield from filter(None, [never_measured(cell, answer)])
    yield from rests_on(answer)


def rests_on(answer: SettledCell) -> Iterator[str]:
    """Yield the evidence of an answer, and what other evidence on its cell says."""
    if text := source(answer):
        old = ", which is older than --max-age" if answer.origin and answer.origin.is_old else ""
        yield f"{text}{old}"
    if answer.doubt:
        yield answer.doubt
    for item in answer.beside:
        if item.cell == answer.cell:
            yield f"but {source(item)}: {item.result}"
