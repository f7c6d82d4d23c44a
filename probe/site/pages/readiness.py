"""The page "Ready for 4.x?": which client versions work with which brokers while nothing fails (pure)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from probe.catalogue.families import Family, is_local
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import LINES, Chosen, select_profiles
from probe.cells.aggregate import SettledCell
from probe.model import CONTROL, Cell, Outcome, Role
from probe.model.engines import BY_ORDER, DEFAULT_ENGINE
from probe.model.outcomes import OUTCOMES
from probe.model.profile import DEFAULT_PROFILE
from probe.model.refusals import in_short
from probe.model.versions import version_key
from probe.planning.selection import Selection, combinations
from probe.site.data.cell_index import CellIndex
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.shipped_evidence import source

SHOWN = (LINES[-1], "3.9", "2.6")
"""Release lines of the page: the newest, the last one that serves every old request, and one that old clients know."""
PROFILE = DEFAULT_PROFILE
COMMAND = " ".join(["probe run --client all --scenario", CONTROL, *(f"--broker {line}" for line in SHOWN)])
"""The command that measures what the page shows, except what needs real brokers."""


class State(StrEnum):
    """Whether a client works with brokers of a line."""

    WORKS = "works"
    REFUSED = "refused"
    """Brokers refuse a request that it needs, or it never sends one for which it has no version in common with them."""
    FAILS = "does not work"
    FLAWED = "works, with flaws"
    """It serves, but not as it should while nothing fails."""
    UNASKED = "cannot be asked"
    OPEN = "no result"
    """The harness failed, or the observation was too short."""
    UNKNOWN = "not measured"


TONES: Mapping[State, tuple[str, str]] = {
    State.WORKS: ("good", "✓"),
    State.REFUSED: ("bad", "✗"),
    State.FAILS: ("bad", "✗"),
    State.FLAWED: ("poor", "!"),
    State.UNASKED: ("mute", "∅"),
    State.OPEN: ("mute", "?"),
    State.UNKNOWN: ("mute", "□"),
}
"""Tone and symbol of every state."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Results of a client version in a role with brokers of a line."""

    line: str
    state: State
    why: str = ""
    """The request that is refused, or why there is no answer."""
    row: MatrixRow | None = None
    first: str = ""
    """The first later version that works there, if this one does not."""
    measured: str = ""
    """The source of an answer that no trial of these results gives: shipped evidence, with its date."""

    @property
    def look(self) -> tuple[str, str]:
        """Tone and symbol."""
        return TONES[self.state]

    @property
    def said(self) -> tuple[State, str, str, bool]:
        """The statement of the page about it; numbers in the reason of a client that never serves do not count."""
        why = "" if self.state in {State.FAILS, State.FLAWED} else self.why
        return self.state, why, self.first, bool(self.measured)


@dataclass(frozen=True, slots=True)
class Span:
    """Adjacent versions of which the same is known."""

    versions: tuple[str, ...]
    answers: tuple[Answer, ...]
    """Those of the newest version, per line."""

    @property
    def name(self) -> str:
        """The first and the last version."""
        return self.versions[0] if len(self.versions) == 1 else f"{self.versions[0]} to {self.versions[-1]}"

    @property
    def is_absent(self) -> bool:
        """Whether no line can be asked, for one reason, such as a role that the versions lack."""
        return {one.said for one in self.answers} == {self.answers[0].said} and self.answers[0].state is State.UNASKED


@dataclass(frozen=True, slots=True)
class InRole:
    """All versions of a family in a role."""

    role: Role
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class OfFamily:
    """All roles of a family."""

    name: str
    title: str
    roles: tuple[InRole, ...]


@dataclass(frozen=True, slots=True)
class Ready:
    """The whole page."""

    lines: tuple[str, ...]
    families: tuple[OfFamily, ...]
    counts: tuple[tuple[str, Mapping[State, int]], ...]
    """Per line, how many roles of versions are in each state."""
    is_measured: bool
    """Whether the control scenario has a page."""
    states: tuple[State, ...] = tuple(State)
    scenario: str = CONTROL
    profile: str = PROFILE
    command: str = COMMAND

    @property
    def major(self) -> str:
        """The major version that the page asks about: `4.x`."""
        return f"{self.lines[0].partition('.')[0]}.x"


@dataclass(frozen=True, slots=True)
class Results:
    """Answers for cells: a row of the matrix, else a settled cell of shipped evidence."""

    rows: Mapping[Cell, MatrixRow]
    shipped: Mapping[Cell, SettledCell]

    def of(self, cell: Cell) -> Iterator[Answer]:
        """Yield the answers of each engine, those of the matrix first."""
        engines = [replace(cell, engine=engine) for engine in BY_ORDER]
        yield from (_of_row(row) for one in engines if (row := self.rows.get(one)) is not None)
        yield from (_of_evidence(held) for one in engines if (held := self.shipped.get(one)) is not None)


def ready(answers: CellIndex, listed: Sequence[Family], shipped: Iterable[SettledCell] = ()) -> Ready:
    """Return the content of the page: every listed or measured version in every role.

    `shipped` are settled cells of evidence, which answer where no trial of these results does.
    """
    rows = answers.of_scenario(CONTROL) if CONTROL in answers.scenarios else []
    measured = {row.cell: row for row in rows if row.cell.profile == PROFILE and not is_local(row.cell.version)}
    elsewhere = {one.cell: one for one in shipped if one.cell.scenario == CONTROL and one.cell.profile == PROFILE}
    known = {family.family: family for family in listed}
    names = sorted({*known, *(cell.family for cell in measured)})
    families = tuple(_family(name, known.get(name), Results(measured, elsewhere)) for name in names)
    counts = tuple((line, _counts(families, line)) for line in SHOWN)
    return Ready(SHOWN, families, counts, is_measured=bool(rows))


def _counts(families: Sequence[OfFamily], line: str) -> Counter[State]:
    spans = [span for family in families for part in family.roles for span in part.spans]
    found: Counter[State] = Counter()
    for span in spans:
        found.update({one.state: len(span.versions) for one in span.answers if one.line == line})
    return found


def _family(name: str, family: Family | None, measured: Results) -> OfFamily:
    skipped = dict(_reasons(family)) if family is not None else {}
    there = {*measured.rows, *measured.shipped}
    own = {cell.version for cell in there if cell.family == name} | {cell.version for cell in skipped}
    versions = sorted(own, key=version_key)
    roles = [InRole(role, tuple(_spans(name, role, versions, skipped, measured))) for role in Role]
    return OfFamily(name, family.title if family is not None else name, tuple(roles))


def _reasons(family: Family) -> Iterator[tuple[Cell, str]]:
    """Yield every cell of the listed versions, with the reason why it is not run; empty = it is."""
    selection = Selection(
        clients=[Chosen(family, version) for version in family.versions],
        scenarios=select_scenarios([CONTROL]),
        roles=tuple(Role),
        profiles=select_profiles([PROFILE], (), None),
        engine=DEFAULT_ENGINE,
        brokers=SHOWN,
    )
    return ((item.cell, item.reason) for item in combinations(selection))


def _spans(
    name: str,
    role: Role,
    versions: Sequence[str],
    skipped: Mapping[Cell, str],
    measured: Results,
) -> Iterator[Span]:
    table: dict[str, list[Answer]] = {version: [] for version in versions}
    for line in SHOWN:
        first = ""
        for version in reversed(versions):
            cell = Cell(name, version, role, PROFILE, CONTROL, DEFAULT_ENGINE, line)
            one = _answer(cell, skipped.get(cell, ""), measured)
            first = version if one.state is State.WORKS else first
            table[version].append(replace(one, first=first) if one.state in {State.REFUSED, State.FAILS} else one)
    for _, same in groupby(table.items(), key=lambda item: [one.said for one in item[1]]):
        span = list(same)
        yield Span(tuple(version for version, _ in span), tuple(span[-1][1]))


def _answer(cell: Cell, skip: str, measured: Results) -> Answer:
    found = list(measured.of(cell))
    if found:
        return next((one for one in found if one.state is not State.OPEN), found[0])
    return Answer(cell.broker, State.UNASKED, skip) if skip else Answer(cell.broker, State.UNKNOWN)


def _of_row(row: MatrixRow) -> Answer:
    state, why = _stated(row.refusal, row.conforms, row.worst, row.outcome, row.values["reason"])
    return Answer(row.cell.broker, state, why, row)


def _of_evidence(held: SettledCell) -> Answer:
    state, why = _stated(held.refusal, held.conforms, held.worst, held.outcome, held.reason)
    return Answer(held.cell.broker, state, why, measured=source([held]))


def _stated(refusal: str, conforms: bool | None, worst: Outcome, outcome: Outcome, reason: str) -> tuple[State, str]:
    if refusal:
        return State.REFUSED, in_short(refusal)
    if conforms:
        return State.WORKS, ""
    if conforms is False:
        return (State.FAILS if OUTCOMES[worst].hard else State.FLAWED), reason
    return (State.UNASKED if outcome is Outcome.UNSUPPORTED else State.OPEN), reason
