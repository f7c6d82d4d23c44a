"""The content of the pages of client versions: every role and fault, the worst first (pure)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from probe.cells.comparison import Answer
from probe.cells.comparison_steps import Asked, compared_steps
from probe.cells.trends import Step
from probe.model import Client, Outcome, Role
from probe.model.outcomes import OPEN, OUTCOMES
from probe.model.roles import ROLES
from probe.site.data.cell_index import CellIndex, Setting, in_roles, place, setting, worst_first
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.settled_rows import settled
from probe.site.data.wording import often

NAMED = 6
"""Number of scenarios per outcome that the top of the page names."""


@dataclass(frozen=True, slots=True)
class ClientCell:
    """A cell in a table of a client's page."""

    row: MatrixRow
    place: int
    mended: MatrixRow | None
    """The first later version that conforms, if this one does not."""
    newest: bool
    """Whether no later version was measured for this question."""
    setting: str
    """Profile, engine, broker and workload, if they differ from those of most rows on the page."""
    library: MatrixRow | None = None
    """Of an application or a wrapper: the row of the library inside it for the same question."""

    @property
    def differs(self) -> bool:
        """Whether it and the library inside it have different outcomes."""
        return self.library is not None and self.library.worst is not self.row.worst


@dataclass(frozen=True, slots=True)
class RoleSection:
    """The cells of a client in one role."""

    role: Role
    sentence: str
    cells: tuple[ClientCell, ...]

    @property
    def compared(self) -> str:
        """The number of differences between it and the library inside it; empty if nothing could be compared."""
        beside = [one for one in self.cells if one.library is not None]
        differ = sum(one.differs for one in beside)
        return f"The library inside it has another outcome in {differ} of {len(beside)} cells." if beside else ""


@dataclass(frozen=True, slots=True)
class Finding:
    """The cells of a client with the same bad outcome in their worst trials."""

    row: MatrixRow
    """One of them."""
    count: int
    scenarios: tuple[tuple[str, tuple[tuple[MatrixRow, str], ...]], ...]
    """Scenarios with their cells, each labelled by role, and by setting if that is unusual."""

    @property
    def named(self) -> tuple[tuple[str, tuple[tuple[MatrixRow, str], ...]], ...]:
        """The scenarios that the page names."""
        return self.scenarios[:NAMED]

    @property
    def more(self) -> int:
        """The number of the other scenarios."""
        return len(self.scenarios) - len(self.named)


@dataclass(frozen=True, slots=True)
class Score:
    """A client version in the list of clients."""

    client: Client
    released: str
    judged: int
    good: int
    stops: int
    """Cells in which work stops or records are lost."""
    other: int
    """Other cells that do not conform."""
    open: int
    """Cells without a result yet: the harness failed, or the observation was too short."""
    cells: int
    better: int | None = None
    """Cells that trials show to be better than in the preceding version; None for the oldest."""
    worse: int | None = None


def score(client: Client, rows: Sequence[MatrixRow]) -> Score:
    """Return the counts of a client version's cells."""
    bad = [row for row in rows if row.conforms is False]
    stops = sum(OUTCOMES[row.worst].hard for row in bad)
    return Score(
        client,
        next((row.values["released"] for row in rows if row.values["released"]), ""),
        judged=sum(row.conforms is not None for row in rows),
        good=sum(row.conforms is True for row in rows),
        stops=stops,
        other=len(bad) - stops,
        open=sum(row.outcome in OPEN for row in rows),
        cells=len(rows),
    )


def steps(answers: CellIndex) -> dict[Client, Counter[Answer]]:
    """Compare every cell with the preceding version; a version without any comparison is missing."""
    found: dict[Client, list[Step]] = {}
    seen = set()
    for row in answers.rows:
        asked = answers.versions(row)
        if id(asked) in seen:
            continue
        seen.add(id(asked))
        for before, after in pairwise(map(settled, asked)):
            found.setdefault(after.cell.client, []).append(Step(before, after))
    asking = Asked.of(settled(row) for row in answers.rows if len(row.votes) > 1)
    return {client: Counter(one.answer for one in compared_steps(mine, asking)) for client, mine in found.items()}


def scores(answers: CellIndex) -> list[Score]:
    """Return the scores of all client versions, with the comparison to the preceding version."""
    taken = steps(answers)
    found = []
    for client in answers.clients:
        one, step = score(client, answers.of_client(client)), taken.get(client)
        found.append(one if step is None else _compared(one, step))
    return found


def _compared(one: Score, step: Counter[Answer]) -> Score:
    numbers = (one.judged, one.good, one.stops, one.other, one.open, one.cells)
    return Score(one.client, one.released, *numbers, step[Answer.BETTER], step[Answer.WORSE])


def role_sections(answers: CellIndex, client: Client, library: Client | None = None) -> list[RoleSection]:
    """Return a client's cells per role, the worst first, each beside that of the library inside it, if there is one."""
    own = answers.of_client(client)
    usual = _usual(own)
    return [
        RoleSection(
            role,
            _sentence(role, rows),
            tuple(_client_cell(answers, row, str(usual), library) for row in worst_first(rows)),
        )
        for role, rows in in_roles(own).items()
    ]


def _client_cell(answers: CellIndex, row: MatrixRow, usual: str, library: Client | None) -> ClientCell:
    own = str(setting(row.cell))
    bad = row.conforms is False
    return ClientCell(
        row,
        place(row),
        answers.improved(row) if bad else None,
        newest=bad and answers.neighbours(row)[1] is None,
        setting="" if own == usual else own,
        library=None if library is None else answers.of_library(row, library),
    )


def _sentence(role: Role, rows: Sequence[MatrixRow]) -> str:
    judged = [row for row in rows if row.conforms is not None]
    good = sum(row.conforms is True for row in judged)
    if not judged:
        return f"As {ROLES[role].noun} nothing could be judged."
    if good == len(judged):
        cells = "the one judged cell" if good == 1 else f"all {good} judged cells"
        return f"As {ROLES[role].noun} it does what a good client does, in {cells}."
    hard = sum(OUTCOMES[row.worst].hard for row in judged if row.conforms is False)
    stops = f" In {hard} of them work stops or records are lost." if hard else ""
    bad = len(judged) - good
    return f"As {ROLES[role].noun} it conforms in {good} of {len(judged)} judged cells, and not in {bad}.{stops}"


def findings(answers: CellIndex, client: Client) -> list[Finding]:
    """Return the cells that do not conform, grouped by worst outcome, the worst first."""
    own = answers.of_client(client)
    usual = _usual(own)
    by_outcome: dict[Outcome, list[MatrixRow]] = {}
    for row in worst_first(row for row in own if row.conforms is False):
        by_outcome.setdefault(row.worst, []).append(row)
    return [Finding(rows[0], len(rows), tuple(_by_scenario(rows, usual))) for rows in by_outcome.values()]


def _by_scenario(rows: Sequence[MatrixRow], usual: Setting) -> Iterator[tuple[str, tuple[tuple[MatrixRow, str], ...]]]:
    for scenario, same in groupby(rows, key=lambda row: row.cell.scenario):
        yield (
            scenario,
            tuple((row, f"{row.cell.role}{_unusual(setting(row.cell), usual)}{_share(row)}") for row in same),
        )


def _share(row: MatrixRow) -> str:
    """Return in how many trials the worst outcome came, if trials disagree."""
    return f", {often(row)}" if often(row) else ""


def _unusual(own: Setting, usual: Setting) -> str:
    """Return the differences from the usual setting in words."""
    parts = (
        f" with {own.profile}" if own.profile != usual.profile else "",
        f" on the {own.engine} engine" if own.engine != usual.engine else "",
        f" at broker {own.broker}" if own.broker != usual.broker else "",
        f", {own.workload}" if own.workload != usual.workload else "",
    )
    return "".join(parts)


def _usual(rows: Sequence[MatrixRow]) -> Setting:
    """Return the setting of most rows."""
    return Counter(setting(row.cell) for row in rows).most_common(1)[0][0]
