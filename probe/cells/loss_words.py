"""The place of lost records: on which engine, how the client writes, and what acks=all does in the same cell. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from probe.catalogue.acks import acks_of
from probe.catalogue.families import Family
from probe.cells.aggregate import SettledCell
from probe.cells.audit import Fault
from probe.cells.trends import Question, question
from probe.model import Cell
from probe.model.engines import ENGINES
from probe.model.roles import WRITERS

Read = Callable[[Collection[Cell]], Iterable[SettledCell]]
"""Reads the settled cells of the same questions: of real brokers on every line, or in every profile."""


def with_losses(
    answers: Mapping[Cell, SettledCell], families: Mapping[str, Family], on_real: Read, in_profiles: Read
) -> dict[Cell, SettledCell]:
    """Return the answers; those of writers say what was lost, and how the client writes (`real`, `writes`).

    The fake cluster loses no record. An answer of the embedded engine therefore says what real brokers lost in the same
    question, on whichever release line and under whichever conditions: later ones do not undo a loss.
    """
    found = {**answers, **_with_real({cell: item for cell, item in answers.items() if cell.role in WRITERS}, on_real)}
    losing = [cell for cell, item in found.items() if item.loses and cell.family in families]
    if not losing:
        return found
    others = list(in_profiles([losing_cell(found[cell]).cell for cell in losing]))
    for cell in losing:
        found[cell] = replace(found[cell], writes=_writes(losing_cell(found[cell]), families[cell.family], others))
    return found


def loss_remarks(answer: SettledCell) -> Iterator[str]:
    """Yield what an answer says of lost records."""
    if not answer.loses:
        return
    lost = losing_cell(answer)
    when = "" if lost.is_current else f", conditions {lost.conditions}"
    where = "" if lost is answer else f"on real brokers ({lost.cell.broker}{when}) "
    yield f"{where}{lost.loss}{': ' if answer.writes else ''}{answer.writes}"


def losing_cell(answer: SettledCell) -> SettledCell:
    """Return the cell whose trials show the loss of an answer: the one on real brokers, or the answer itself."""
    return answer.real if answer.loss is None and answer.real is not None else answer


def as_written(faults: Iterable[Fault], families: Mapping[str, Family]) -> tuple[Fault, ...]:
    """Return the findings without losses of others that write with acks below all, where the asked client does not.

    What a release with acks=1 by default lost says nothing about a later one with acks=all, nor about an application
    that sets acks=all.
    """
    return tuple(_as_written(fault, families) for fault in faults)


def _as_written(fault: Fault, families: Mapping[str, Family]) -> Fault:
    seen, cell = fault.evidence, fault.cell
    if seen is None or seen.real is None or seen.loss is not None or cell.family not in families:
        return fault
    is_foreign = acks_of(families[seen.cell.family], seen.cell).is_less and acks_of(families[cell.family], cell).is_all
    return replace(fault, evidence=replace(seen, real=None, writes="")) if is_foreign else fault


def _with_real(answers: Mapping[Cell, SettledCell], on_real: Read) -> dict[Cell, SettledCell]:
    embedded = {cell: item for cell, item in answers.items() if not ENGINES[cell.engine].real}
    if not embedded:
        return {}
    losing: dict[Question, list[SettledCell]] = {}
    for item in on_real(embedded):
        if item.loss is not None:
            losing.setdefault(question(item.cell, "engine", "broker"), []).append(item)
    return {
        cell: replace(item, real=_nearest(cell, losing[asked]))
        for cell, item in embedded.items()
        if (asked := question(cell, "engine", "broker")) in losing
    }


def _nearest(cell: Cell, losing: Iterable[SettledCell]) -> SettledCell:
    """Return the cell of the same release line, else the one that lost most."""
    return max(losing, key=lambda item: (item.cell.broker == cell.broker, item.loss.lost if item.loss else 0))


def _writes(item: SettledCell, family: Family, others: Iterable[SettledCell]) -> str:
    acks = acks_of(family, item.cell)
    same = question(item.cell, "profile")
    safe = [
        other
        for other in others
        if question(other.cell, "profile") == same
        and other.judged
        and other.is_comparable(item)
        and acks_of(family, other.cell).is_all
    ]
    if acks.is_all or not safe:
        return str(acks)
    best = min(safe, key=lambda one: (one.loss.lost if one.loss else 0, one.cell.profile))
    lost = "lost none" if best.loss is None else f"has {best.loss}"
    return f"{acks}; `acks=all` (profile {best.cell.profile}) {lost}"
