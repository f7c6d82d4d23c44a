"""Answer for a release line without evidence from the lines on both sides of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from probe.cells.aggregate import SettledCell
from probe.cells.trends import Question, question
from probe.model import Cell, Profile
from probe.model.profile import CONSUMER_PROTOCOL
from probe.model.release_lines import Since, has
from probe.model.versions import version_key


def lacking(cells: Iterable[Cell], stored: Mapping[Cell, SettledCell]) -> list[Cell]:
    """Return the cells without a judgement about the client."""
    return [cell for cell in cells if (found := stored.get(cell)) is None or not found.judged]


def completed(cells: Iterable[Cell], found: Mapping[Cell, SettledCell]) -> Mapping[Cell, SettledCell]:
    """Return what was found, with answers of its other lines for the cells that have none of their own line."""
    open_cells = lacking(cells, found)
    return {**found, **from_neighbours(open_cells, found.values())} if open_cells else found


def from_neighbours(cells: Iterable[Cell], others: Iterable[SettledCell]) -> dict[Cell, SettledCell]:
    """Return for each cell the evidence of the nearest lines, where there is any.

    The answer is the settled cell of one line, the worse of two; the other line stands in its `beside`. Of two that are
    not comparable only the one under newer conditions counts.
    """
    by_question: dict[Question, list[SettledCell]] = {}
    for item in others:
        if item.judged:
            by_question.setdefault(question(item.cell, "broker"), []).append(item)
    found = ((cell, _between(cell, by_question.get(question(cell, "broker"), ()))) for cell in cells)
    return {cell: answer for cell, answer in found if answer is not None}


def _between(cell: Cell, items: Iterable[SettledCell]) -> SettledCell | None:
    here, items = version_key(cell.broker), [item for item in items if _is_alike(cell, item.cell)]
    below = [item for item in items if version_key(item.cell.broker) < here]
    above = [item for item in items if version_key(item.cell.broker) > here]
    sides = [
        *([max(below, key=lambda item: version_key(item.cell.broker))] if below else []),
        *([min(above, key=lambda item: version_key(item.cell.broker))] if above else []),
    ]
    if len(sides) == 2 and not sides[0].is_comparable(sides[1]):
        sides = [max(sides, key=lambda item: item.since)]
    if not sides:
        return None
    worse = max(sides, key=lambda item: item.grade.severity or 0)
    other = tuple(item for item in sides if item is not worse)
    return replace(worse, beside=(*worse.beside, *other))


def _is_alike(cell: Cell, other: Cell) -> bool:
    """Return whether a line says something about another: none without a protocol does about one that has it."""
    if Profile.parse(cell.profile).name != CONSUMER_PROTOCOL:
        return True
    return has(cell.broker, Since.NEW_GROUPS) == has(other.broker, Since.NEW_GROUPS)


def sides_of(cell: Cell, answer: SettledCell) -> tuple[SettledCell, ...]:
    """Return the evidence of other lines that answers for a cell; none if the answer is of the cell's own line."""
    if answer.cell.broker == cell.broker:
        return ()
    return (answer, *(item for item in answer.beside if item.cell.broker != answer.cell.broker))


def agree(sides: Sequence[SettledCell]) -> bool:
    """Return whether the lines on both sides of one show the same: that a client fails, or that it does not."""
    return len(sides) == 2 and len({item.grade.severity and True for item in sides}) == 1


def in_order_of_lines(items: Iterable[SettledCell]) -> list[SettledCell]:
    """Order settled cells by their release lines."""
    return sorted(items, key=lambda item: version_key(item.cell.broker))
