"""Fills the templates; everything that clients and brokers said is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from probe.catalogue.families import version_key
from probe.model import Cell, Engine, Outcome, Role
from probe.site.explained import absent, facts
from probe.site.grid import grid, tally
from probe.site.outcomes import SIGNS, VERDICT_WORDS, tone
from probe.site.rows import MatrixRow
from probe.site.trials import TrialView
from probe.site.wording import command, details, hint, summary

JUDGEMENTS = {True: "yes", False: "no", None: "none"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a filter."""

    value: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Filter:
    """A control with several values, any of which may be chosen."""

    name: str
    label: str
    choices: tuple[Choice, ...]


class Pages:
    """The pages of one matrix."""

    def __init__(self, rows: Sequence[MatrixRow]) -> None:
        self._rows = rows
        self._versions: dict[tuple[str, ...], list[MatrixRow]] = {}
        self._engines: dict[Cell, list[MatrixRow]] = {}
        for row in sorted(rows, key=lambda one: version_key(one.cell.version)):
            self._versions.setdefault(_question(row.cell), []).append(row)
            self._engines.setdefault(_anywhere(row.cell), []).append(row)
        self._templates = _environment()
        self._peers: dict[tuple[str, bool], Markup] = {}

    def index(self) -> str:
        """Return the page with the matrix."""
        table = grid(self._rows)
        return self._templates.get_template("index.html").render(
            grid=table,
            rows=self._rows,
            filters=_filters(self._rows),
            tally=tally(self._rows),
            judged=sum(row.conforms is not None for row in self._rows),
            good=sum(row.conforms is True for row in self._rows),
            runs=sorted({row.run_id for row in self._rows if row.run_id}),
            root="",
        )

    def cell(self, row: MatrixRow, trials: Sequence[TrialView]) -> str:
        """Return the page of one cell."""
        peers = self._versions[_question(row.cell)]
        rivals = [one for one in self._engines[_anywhere(row.cell)] if one.cell.engine is not row.cell.engine]
        return self._templates.get_template("cell.html").render(
            row=row,
            summary=summary(row),
            details=details(row),
            facts=facts(row),
            absent=absent(row),
            trials=trials,
            shown=_opened(row, trials),
            settings=next((one.settings for one in trials if one.settings), {}),
            artifact=next((one.artifact for one in trials if one.artifact), ""),
            peers=Markup().join(self._peer(one, current=one is row) for one in peers),
            rivals=rivals,
            command=command(row.cell),
            root="../",
        )

    def _peer(self, row: MatrixRow, *, current: bool) -> Markup:
        """Draw one line of the list of versions; it stands on the page of every other version too."""
        key = (row.slug, current)
        if key not in self._peers:
            text = self._templates.get_template("peer.html").render(peer=row, current=current)
            self._peers[key] = Markup(text)  # noqa: S704 - a template's own, escaped output
        return self._peers[key]


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("probe.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "hint": hint,
        "svg": Markup,
        "breakable": _breakable,
    }  # pictures are built from escaped parts in `shapes`
    environment.globals |= {"SIGNS": SIGNS, "WORDS": VERDICT_WORDS, "JUDGED": JUDGEMENTS, "tone": tone}
    return environment


def _breakable(text: str) -> Markup:
    """Let a long name break after a slash or an underscore."""
    return escape(text).replace("/", Markup("/<wbr>")).replace("_", Markup("_<wbr>"))


def _question(cell: Cell) -> tuple[str, ...]:
    return tuple(text for name, text in cell.columns().items() if name != "version")


def _anywhere(cell: Cell) -> Cell:
    """Return the same cell whatever engine played it; the embedded election is set to what the real one took."""
    parts = [part for part in cell.profile.split("+") if not part.startswith("election=")]
    return replace(cell, engine=Engine.EMBEDDED, profile="+".join(parts))


def _opened(row: MatrixRow, trials: Sequence[TrialView]) -> set[int]:
    """Choose the trials whose pictures are open: the first, and for a flaky cell the first of every outcome."""
    firsts: dict[Outcome, int] = {}
    for one in trials:
        if one.has_history:
            firsts.setdefault(one.verdict.outcome, one.number)
    return set(firsts.values()) if row.outcome is Outcome.FLAKY else set(list(firsts.values())[:1])


def _filters(rows: Sequence[MatrixRow]) -> list[Filter]:
    """Return every filter with the values that occur, in the order a reader expects."""
    outcomes = [str(outcome) for outcome in SIGNS]
    roles = [str(role) for role in Role]
    by_column = (
        ("family", "Client", sorted),
        ("role", "Role", lambda values: sorted(values, key=roles.index)),
        ("profile", "Profile", sorted),
        ("scenario", "Scenario", sorted),
        ("outcome", "Outcome", lambda values: sorted(values, key=outcomes.index)),
        ("conforms", "Judgement", lambda values: [one for one in ("yes", "no", "none") if one in values]),
        ("engine", "Engine", sorted),
        ("broker", "Broker", lambda values: sorted(values, key=version_key)),
    )
    found = []
    for name, label, order in by_column:
        counts: dict[str, int] = {}
        for row in rows:
            value = JUDGEMENTS[row.conforms] if name == "conforms" else row.values[name]
            counts[value] = counts.get(value, 0) + 1
        choices = tuple(Choice(value, _label(name, value), counts[value]) for value in order(counts))
        found.append(Filter(name, label, choices))
    return found


def _label(name: str, value: str) -> str:
    if name == "outcome":
        sign = SIGNS[Outcome(value)]
        return f"{sign.glyph} {sign.word}"
    if name == "conforms":
        return VERDICT_WORDS[{"yes": True, "no": False, "none": None}[value]]
    return value
