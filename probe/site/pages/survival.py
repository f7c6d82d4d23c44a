"""Spans of a family's versions that survive a scenario, and the same in words (pure)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, pairwise

from probe.model import Outcome
from probe.model.outcomes import OUTCOMES
from probe.site.data.matrix_rows import MatrixRow

NAMED = 6
"""Greatest number of versions that are named one by one."""


class Fate(StrEnum):
    """Which versions of a family conform, best first."""

    ALL = "all"
    FROM = "from"
    """From some version on."""
    SOME = "some"
    UNTIL = "until"
    """Older versions only."""
    NONE = "none"
    UNKNOWN = "unknown"
    """No version was judged."""


FATE_GLYPHS = {
    Fate.ALL: "✓",
    Fate.FROM: "◐",
    Fate.SOME: "◐",
    Fate.UNTIL: "◐",
    Fate.NONE: "✗",
    Fate.UNKNOWN: "–",  # noqa: RUF001 - the symbol of a cell without a judgement
}


@dataclass(frozen=True, slots=True)
class Span:
    """Adjacent versions with the same answer."""

    rows: tuple[MatrixRow, ...]

    @property
    def row(self) -> MatrixRow:
        """One of the rows; outcome and judgement are those of all."""
        return self.rows[-1]

    @property
    def name(self) -> str:
        """The first and the last version."""
        first, last = self.rows[0].cell.version, self.rows[-1].cell.version
        return first if first == last else f"{first} to {last}"


@dataclass(frozen=True, slots=True)
class Survival:
    """The results of a family in one scenario, role and setting."""

    family: str
    fate: Fate
    words: str
    spans: tuple[Span, ...]


def survival(rows: Sequence[MatrixRow]) -> Survival:
    """Describe the results of one family; `rows` have the same question, are comparable, and ascend by version."""
    judged = [row for row in rows if row.conforms is not None]
    fate = _fate([row.conforms is True for row in judged])
    words = WORDS[fate](judged)
    left = len(rows) - len(judged)
    if left and judged:
        gaps = "; ".join(f"between {old} and {new}" for old, new in _gaps(rows))
        words += f" {left} not judged: it changed {gaps}." if gaps else f" {left} not judged."
    if not rows[-1].is_current:
        words += " Measured under older conditions."
    return Survival(rows[0].cell.family, fate, words, _spans(rows))


def _gaps(rows: Sequence[MatrixRow]) -> Iterator[tuple[str, str]]:
    """Yield pairs of judged versions with different judgements that have only versions without one between them."""
    judged = [place for place, row in enumerate(rows) if row.conforms is not None]
    for old, new in pairwise(judged):
        if new > old + 1 and rows[old].conforms is not rows[new].conforms:
            yield rows[old].cell.version, rows[new].cell.version


def _spans(rows: Sequence[MatrixRow]) -> tuple[Span, ...]:
    return tuple(Span(tuple(same)) for _, same in groupby(rows, key=lambda row: (row.outcome, row.worst, row.conforms)))


def _fate(good: Sequence[bool]) -> Fate:
    if not good:
        return Fate.UNKNOWN
    if len(set(good)) == 1:
        return Fate.ALL if good[0] else Fate.NONE
    turns = sum(before is not after for before, after in pairwise(good))
    if turns > 1:
        return Fate.SOME
    return Fate.FROM if good[-1] else Fate.UNTIL


def _all(judged: Sequence[MatrixRow]) -> str:
    if len(judged) == 1:
        return f"{judged[0].cell.version} does, the only version judged."
    return f"all {len(judged)} judged versions do."


def _from(judged: Sequence[MatrixRow]) -> str:
    good = [row for row in judged if row.conforms]
    bad = [row for row in judged if not row.conforms]
    return f"from {good[0].cell.version} on. {_span(bad)} {_verb(bad)} not ({_outcomes(bad)})."


def _until(judged: Sequence[MatrixRow]) -> str:
    good = [row for row in judged if row.conforms]
    bad = [row for row in judged if not row.conforms]
    return f"up to {good[-1].cell.version}. {_span(bad)} {_verb(bad)} not ({_outcomes(bad)})."


def _some(judged: Sequence[MatrixRow]) -> str:
    good = [row for row in judged if row.conforms]
    bad = [row for row in judged if not row.conforms]
    count = f"{len(good)} of {len(judged)} judged versions do"
    if len(bad) <= len(good):
        return f"{count}. {_names(bad)} {_verb(bad)} not ({_outcomes(bad)})."
    return f"{count}: {_names(good)}. The others do not ({_outcomes(bad)})."


def _none(judged: Sequence[MatrixRow]) -> str:
    if len(judged) == 1:
        return f"{judged[0].cell.version} does not, the only version judged ({_outcomes(judged)})."
    return f"none of {len(judged)} judged versions does ({_outcomes(judged)})."


WORDS: Mapping[Fate, Callable[[Sequence[MatrixRow]], str]] = {
    Fate.ALL: _all,
    Fate.FROM: _from,
    Fate.SOME: _some,
    Fate.UNTIL: _until,
    Fate.NONE: _none,
    Fate.UNKNOWN: lambda _judged: "not judged.",
}


def _span(rows: Sequence[MatrixRow]) -> str:
    first, last = rows[0].cell.version, rows[-1].cell.version
    return first if first == last else f"{first} to {last}"


def _verb(rows: Sequence[MatrixRow]) -> str:
    return "does" if len(rows) == 1 else "do"


def _names(rows: Sequence[MatrixRow]) -> str:
    names = [row.cell.version for row in rows]
    if len(names) > NAMED:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _outcomes(rows: Sequence[MatrixRow]) -> str:
    """Return the names of the worst outcomes."""
    seen: dict[Outcome, None] = dict.fromkeys(row.worst for row in rows)
    return ", ".join(OUTCOMES[outcome].label for outcome in seen)
