"""The matrix as a table: scenarios are rows, client versions are columns (pure)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from probe.model import Cell, Client, Engine, Outcome, Role, Workload, control_first
from probe.model.versions import version_key
from probe.site.data.cell_index import Setting, setting, setting_key
from probe.site.data.matrix_rows import MatrixRow


@dataclass(frozen=True, slots=True)
class Column:
    """A client version."""

    client: Client
    released: str
    good: int
    """Cells of this version that conform."""
    judged: int


@dataclass(frozen=True, slots=True)
class Line:
    """A scenario in one setting, with a cell or None per column."""

    scenario: str
    cells: tuple[MatrixRow | None, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """All scenarios of one role and setting."""

    role: str
    setting: Setting
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """The content of the index page."""

    columns: tuple[Column, ...]
    groups: tuple[Group, ...]

    @property
    def families(self) -> list[tuple[str, int]]:
        """Every family with its number of versions, in the order of the columns."""
        return list(Counter(column.client.family for column in self.columns).items())


def grid(rows: Sequence[MatrixRow]) -> Grid:
    """Arrange the rows; versions ascend as numbers, `steady` is the first scenario of a group."""
    by_cell = {row.cell: row for row in rows}
    clients = sorted({row.cell.client for row in rows}, key=lambda item: (item.family, version_key(item.version)))
    shared: dict[tuple[Role, Setting], set[str]] = {}
    for cell in by_cell:
        shared.setdefault((cell.role, setting(cell)), set()).add(cell.scenario)
    groups = [
        Group(
            str(role),
            one,
            tuple(_line(by_cell, clients, role, one, name) for name in sorted(names, key=control_first)),
        )
        for (role, one), names in sorted(shared.items(), key=lambda item: _place(*item[0]))
    ]
    by_client: dict[Client, list[MatrixRow]] = {}
    for row in rows:
        by_client.setdefault(row.cell.client, []).append(row)
    return Grid(tuple(_column(client, by_client[client]) for client in clients), tuple(groups))


def _line(by_cell: dict[Cell, MatrixRow], clients: Sequence[Client], role: Role, one: Setting, scenario: str) -> Line:
    asked = (scenario, Engine(one.engine), one.broker, Workload(one.workload))
    return Line(
        scenario,
        tuple(by_cell.get(Cell(client.family, client.version, role, one.profile, *asked)) for client in clients),
    )


def _column(client: Client, own: Sequence[MatrixRow]) -> Column:
    judged = [row for row in own if row.conforms is not None]
    released = next((row.values["released"] for row in own if row.values["released"]), "")
    return Column(client, released, sum(row.conforms is True for row in judged), len(judged))


def _place(role: Role, one: Setting) -> tuple[object, ...]:
    """Return a sort key of groups: engine, broker and workload, then role, then profile."""
    *place, unusual, profile = setting_key(one)
    return (*place, list(Role).index(role), unusual, profile)


def tally(rows: Iterable[MatrixRow]) -> dict[Outcome, Counter[str]]:
    """Count the outcomes per family, for the summary."""
    counts: dict[Outcome, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row.outcome, Counter())[row.cell.family] += 1
    return counts
