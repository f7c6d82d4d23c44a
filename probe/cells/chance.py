"""Say where chance decides, and how many trials show there that a client passes. Pure.

One trial without a failure says little where a race decides: librdkafka 2.11.1 is stuck in 9 of 31 trials of
`metadata/no-brokers` (confluentinc/librdkafka #5301). Chance decides in a cell if another one of its kind has trials of
which some conform and some do not, or if a known result says that only some fail.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from probe.cells.aggregate import SettledCell
from probe.cells.stored_trials import are_mixed
from probe.model import CONTROL, Cell, Profile

ENOUGH = 20
"""Trials without a failure that count as a pass where chance decides: with 95 % confidence at most 14 % fail."""

Kind = tuple[str, ...]
"""The key of cells in which the same chance decides."""


def kind_of(cell: Cell) -> Kind:
    """Return the kind of a cell: family, role, scenario, profile without properties, engine and workload."""
    profile = Profile.parse(cell.profile).name
    return (cell.family, str(cell.role), cell.scenario, profile, str(cell.engine), str(cell.workload))


def is_of_chance(item: SettledCell) -> bool:
    """Return whether some trials of a cell conform and some do not.

    A control cell is none: the majority of its trials decides (`probe.verdict.control`).
    """
    return item.cell.scenario != CONTROL and are_mixed(item.verdicts)


def is_small(item: SettledCell) -> bool:
    """Return whether a cell that conforms has fewer trials than are enough where chance decides."""
    return bool(item.conforms) and len(item.verdicts) < ENOUGH and item.cell.scenario != CONTROL


def doubted(
    answers: Mapping[Cell, SettledCell], seen: Iterable[SettledCell], known: Mapping[Kind, str]
) -> dict[Cell, SettledCell]:
    """Return the answers, those with too few trials marked (`chance`).

    `seen` are cells of the same families, `known` has the known results that only some trials show, in words.
    """
    races: dict[Kind, list[SettledCell]] = {}
    for item in seen:
        if is_of_chance(item):
            races.setdefault(kind_of(item.cell), []).append(item)
    return {
        cell: replace(item, chance=why) if is_small(item) and (why := _why(item, races, known)) else item
        for cell, item in answers.items()
    }


def _why(item: SettledCell, races: Mapping[Kind, Collection[SettledCell]], known: Mapping[Kind, str]) -> str:
    kind = kind_of(item.cell)
    comparable = [race for race in races.get(kind, ()) if race.is_comparable(item)]
    if comparable:
        plainest = max(comparable, key=lambda one: (one.grade.severity or 0, len(one.verdicts)))
        shown = f"{plainest.cell.version}: {plainest.result.removeprefix(f'{plainest.outcome}: ')}"
    elif kind in known:
        shown = known[kind]
    else:
        return ""
    return f"chance decides in this family's cells ({shown}): not enough, {ENOUGH} without a failure would be"
