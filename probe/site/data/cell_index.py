"""An index of the matrix: the same question for other versions or the other engine, and the worst first (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from probe.model import Cell, Client, Engine, Outcome, Role, Workload, control_first
from probe.model.conditions import comparable
from probe.model.engines import DEFAULT_ENGINE
from probe.model.harm import Harm
from probe.model.outcomes import OPEN, OUTCOMES, SAY_NOTHING
from probe.model.profile import DEFAULT_PROFILE, without_election
from probe.model.versions import newest_first, version_key
from probe.site.data.matrix_rows import MatrixRow


@dataclass(frozen=True, slots=True)
class Setting:
    """The columns, in addition to the scenario, that cells of one role share."""

    profile: str
    engine: str
    broker: str
    workload: str = Workload.CONTINUOUS.value

    def __str__(self) -> str:
        more = "" if self.workload == Workload.CONTINUOUS else f" · {self.workload} workload"
        return f"profile {self.profile} · {self.engine} engine · broker {self.broker}{more}"


class CellIndex:
    """All rows of the matrix, indexed by their questions."""

    def __init__(self, rows: Sequence[MatrixRow]) -> None:
        self.rows = rows
        self._versions: dict[tuple[object, ...], list[MatrixRow]] = {}
        self._anywhere: dict[Cell, list[MatrixRow]] = {}
        self._workloads: dict[Cell, list[MatrixRow]] = {}
        self._clients: dict[Client, list[MatrixRow]] = {}
        self._scenarios: dict[str, list[MatrixRow]] = {}
        for row in sorted(rows, key=lambda one: (one.cell.family, version_key(one.cell.version))):
            self._versions.setdefault(_question(row), []).append(row)
            self._anywhere.setdefault(_anywhere(row.cell), []).append(row)
            self._workloads.setdefault(_any_workload(row.cell), []).append(row)
            self._clients.setdefault(row.cell.client, []).append(row)
            self._scenarios.setdefault(row.cell.scenario, []).append(row)
        self._places = {row.cell: place for asked in self._versions.values() for place, row in enumerate(asked)}

    @property
    def clients(self) -> list[Client]:
        """Every client version; families by name, versions ascending."""
        return list(self._clients)

    @property
    def older(self) -> int:
        """Number of cells that were measured under older conditions only."""
        return sum(not row.is_current for row in self.rows)

    @property
    def scenarios(self) -> list[str]:
        """Every scenario, `steady` first."""
        return sorted(self._scenarios, key=control_first)

    def of_client(self, client: Client) -> list[MatrixRow]:
        """Return the rows of one client version; none of one that these results lack."""
        return self._clients.get(client, [])

    def of_scenario(self, scenario: str) -> list[MatrixRow]:
        """Return the rows of one scenario; families by name, versions ascending."""
        return self._scenarios[scenario]

    def versions(self, row: MatrixRow) -> list[MatrixRow]:
        """Return the comparable rows of the same question for every version of the family, ascending."""
        return self._versions[_question(row)]

    def neighbours(self, row: MatrixRow) -> tuple[MatrixRow | None, MatrixRow | None]:
        """Return the rows of the next older and the next newer version."""
        asked, place = self.versions(row), self._places[row.cell]
        return asked[place - 1] if place else None, asked[place + 1] if place + 1 < len(asked) else None

    def improved(self, row: MatrixRow) -> MatrixRow | None:
        """Return the row of the first later version that conforms."""
        later = self.versions(row)[self._places[row.cell] + 1 :]
        return next((one for one in later if one.conforms), None)

    def rivals(self, row: MatrixRow) -> list[MatrixRow]:
        """Return the comparable rows of the same question on the other engine."""
        others = (one for one in self._anywhere[_anywhere(row.cell)] if one.cell.engine is not row.cell.engine)
        return [one for one in others if comparable(row.cell, row.conditions, one.cell, one.conditions)]

    def workloads(self, row: MatrixRow) -> list[MatrixRow]:
        """Return the comparable rows of the same question with other workloads, in the order of the workloads."""
        same = self._workloads[_any_workload(row.cell)]
        others = (one for one in same if one.cell.workload is not row.cell.workload)
        near = (one for one in others if comparable(row.cell, row.conditions, one.cell, one.conditions))
        return sorted(near, key=lambda one: list(Workload).index(one.cell.workload))

    def of_library(self, row: MatrixRow, library: Client) -> MatrixRow | None:
        """Return the comparable row of a library for the same question, of its newest version up to the given one.

        Where none is so old, that of its oldest version.
        """
        asked = self._versions.get((row.since, *_question_of(replace(row.cell, family=library.family))), [])
        last = version_key(library.version)
        older = [one for one in asked if version_key(one.cell.version) <= last]
        return older[-1] if older else next(iter(asked), None)


def silent(one: MatrixRow, other: MatrixRow) -> bool:
    """Return whether an outcome of the two is not about the client, so that they neither agree nor disagree."""
    return not SAY_NOTHING.isdisjoint((one.outcome, other.outcome))


def _question(row: MatrixRow) -> tuple[object, ...]:
    return row.since, *_question_of(row.cell)


def _question_of(cell: Cell) -> Iterator[str]:
    return (text for name, text in cell.columns().items() if name != "version")


def _anywhere(cell: Cell) -> Cell:
    """Return the key of a question on any engine; a set election of the embedded engine is ignored."""
    return replace(cell, engine=DEFAULT_ENGINE, profile=without_election(cell.profile))


def _any_workload(cell: Cell) -> Cell:
    """Return the key of a question with any workload."""
    return replace(cell, workload=Workload.CONTINUOUS)


def setting(cell: Cell) -> Setting:
    """Return the setting of a cell."""
    return Setting(cell.profile, str(cell.engine), cell.broker, str(cell.workload))


def setting_key(one: Setting) -> tuple[object, ...]:
    """Return a sort key: the embedded engine, the newest line, `continuous` and the profile `isolated` come first."""
    workload = list(Workload).index(Workload(one.workload))
    return (
        list(Engine).index(Engine(one.engine)),
        newest_first(one.broker),
        workload,
        one.profile != DEFAULT_PROFILE,
        one.profile,
    )


def in_roles(rows: Iterable[MatrixRow]) -> dict[Role, list[MatrixRow]]:
    """Group rows by role, in the order of the roles."""
    rows = list(rows)
    found = {role: [row for row in rows if row.cell.role is role] for role in Role}
    return {role: own for role, own in found.items() if own}


_LAST = tuple(outcome for outcome in OUTCOMES if outcome in SAY_NOTHING - OPEN)


def place(row: MatrixRow) -> int:
    """Return the rank of a row, the worst first: findings by harm and severity, doubtful, informative, conforming."""
    if row.conforms is not None and row.harm is not None and row.harm >= Harm.STOPS:
        return Harm.LOSES - row.harm
    if row.conforms is not None:
        return 90 if row.conforms else 10 - (row.grade.severity or 0)
    if row.outcome is Outcome.FLAKY:
        return 20
    if row.outcome in OPEN:
        return 30
    if row.outcome in SAY_NOTHING:
        return 91 + _LAST.index(row.outcome)
    return 50 - OUTCOMES[row.worst].severity


def worst_first(rows: Iterable[MatrixRow]) -> list[MatrixRow]:
    """Order rows from the worst to the best."""
    return sorted(rows, key=lambda row: (place(row), row.cell.scenario, setting_key(setting(row.cell))))
