"""Choose the answer to a question from several files of evidence. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from probe.cells.aggregate import SettledCell
from probe.model import Cell
from probe.model.outcomes import RANKS


def choose(evidence: Sequence[Mapping[Cell, SettledCell]]) -> dict[Cell, SettledCell]:
    """Return the answer for every cell. Of equal answers, the first evidence gives it, such as the user's own.

    An answer about the client comes before one that is none, then newer comparable conditions, then newer rules. Where
    others that are comparable disagree, the worst of all is the answer, and the others stand in its `beside`.
    """
    if len(evidence) == 1:
        return dict(evidence[0])
    cells = dict.fromkeys(cell for one in evidence for cell in one)
    return {cell: _one([one[cell] for one in evidence if cell in one]) for cell in cells}


def _one(answers: Sequence[SettledCell]) -> SettledCell:
    best = max(answers, key=lambda item: (item.judged, item.since, item.rules))  # the first of equal ones
    others = [item for item in answers if item is not best and _disagree(best, item)]
    if not others:
        return best
    worst = max([best, *others], key=lambda item: (item.grade.severity or 0, RANKS[item.worst, item.conforms]))
    return replace(worst, beside=tuple(item for item in (best, *others) if item is not worst))


def _disagree(one: SettledCell, other: SettledCell) -> bool:
    judged = one.judged and other.judged and one.is_comparable(other)
    return judged and (one.worst, one.conforms) != (other.worst, other.conforms)


def disagreements(answers: Iterable[SettledCell]) -> list[SettledCell]:
    """Return the answers beside which other evidence on the same cell says something else."""
    return [item for item in answers if any(other.cell == item.cell for other in item.beside)]
