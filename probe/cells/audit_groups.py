"""Faults that show the same in several workloads, named once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from probe.cells.audit import Fault, Finding
from probe.model.cell import Workload


@dataclass(frozen=True, slots=True)
class Group:
    """A fault with those that differ from it by the workload only."""

    first: Fault
    """That of the plainest workload."""
    others: tuple[Fault, ...] = ()
    """The same in other workloads: same finding, same worst outcome, mended by the same version."""

    @property
    def also(self) -> str:
        """The other workloads in brackets, as the end of a line: ` (pipelined and keyed, too)`; empty if none."""
        names = [str(item.cell.workload) for item in self.others]
        return f" ({' and '.join(names)}, too)" if names else ""


def grouped(faults: Iterable[Fault]) -> list[Group]:
    """Return the groups of faults, in the order of their first members. What records were lost differs, so it stays."""
    groups: dict[tuple[object, ...], list[Fault]] = {}
    for fault in faults:
        groups.setdefault(_key(fault), []).append(fault)
    return [_group(mine) for mine in groups.values()]


def _group(faults: Sequence[Fault]) -> Group:
    places = list(Workload)
    first, *others = sorted(faults, key=lambda item: places.index(item.cell.workload))
    return Group(first, tuple(others))


def _key(fault: Fault) -> tuple[object, ...]:
    cell, seen = fault.cell, fault.evidence
    asked = (cell.client, cell.role, cell.scenario, cell.profile, cell.engine, cell.broker)
    own = cell.workload if fault.finding is Finding.LOSES or seen is None or seen.loses else None
    shown = (seen.worst, seen.refusal, seen.chance, seen.cell.profile) if seen is not None else ()
    return (asked, fault.finding, fault.ignored, fault.passes_in, fault.helped_by, own, shown)
