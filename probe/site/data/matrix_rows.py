"""The rows of matrix.csv as values."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from probe.errors import ProbeError
from probe.model import Cell, Outcome
from probe.model.columns import ADDED, NAMES
from probe.model.conditions import FIRST, is_current, span
from probe.model.counts import share
from probe.model.grades import Grade, grade_of
from probe.model.harm import BY_WORD, EVERYTHING_WORD, Harm, TrialHarm, counts_of
from probe.model.refusals import refused_by, regraded
from probe.model.roles import WRITERS
from probe.site.data.page_names import slug

CONFORMS = {"yes": True, "no": False, "": None}


class SiteError(ProbeError):
    """The site cannot be built; the text is one line with the thing, the reason and the fix."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A row of matrix.csv."""

    cell: Cell
    outcome: Outcome
    conforms: bool | None
    values: Mapping[str, str]
    """All columns as text; empty = does not apply."""

    @property
    def worst(self) -> Outcome:
        """The outcome of the worst trial."""
        return Outcome(self.values["worst"])

    @property
    def grade(self) -> Grade:
        """The grade of the worst trial, as `probe advise` grades it."""
        return regraded(grade_of(self.worst, self.conforms), self.refusal)

    @property
    def refusal(self) -> str:
        """Of a control cell: what keeps the client from working with brokers of this line; empty if nothing does."""
        return refused_by(self.cell, self.values["reason"])

    @property
    def votes(self) -> Mapping[Outcome, int]:
        """Number of trials per outcome, the commonest first."""
        pairs = (item.split(":") for item in self.values["outcomes"].split(";") if item)
        return {Outcome(name): int(count) for name, count in pairs}

    @property
    def harm(self) -> Harm | None:
        """The harm of the gravest trial; None = no trial says anything about the client."""
        return BY_WORD.get(self.values["harm"])

    @property
    def harm_words(self) -> str:
        """The harm in words, as look-ups say it: `stops silently in 1 of 3, everything`; empty where it is unknown."""
        if self.harm is None:
            return ""
        worst = TrialHarm(
            rank=self.harm,
            silently=self.values["silent"] == "yes",
            stalls_ms=self.number("stalls_ms") or 0.0,
            everything=self.values["scope"] == EVERYTHING_WORD,
        )
        counts = self.harms
        return f"{worst.words}{share(counts.get(self.harm, 0), sum(counts.values()))}"

    @property
    def harms(self) -> Mapping[Harm, int]:
        """Number of trials per harm, the gravest first."""
        return counts_of(self.values["harms"])

    def number(self, column: str) -> float | None:
        """Return a numeric column, None if it is empty or not a number."""
        try:
            return float(self.values[column])
        except ValueError:
            return None

    @property
    def lost(self) -> int:
        """Acknowledged records that a writer's trial lost, the most of any, whatever its outcome; 0 = none."""
        return int(self.number("lost") or 0) if self.cell.role in WRITERS else 0

    @property
    def run_id(self) -> str:
        """The run behind the row."""
        return self.values["run_id"]

    @property
    def conditions(self) -> int:
        """Number of the conditions under which it was measured."""
        return int(self.values["conditions"] or FIRST)

    @property
    def since(self) -> int:
        """The number since which trials of the cell are comparable with it."""
        return span(self.cell, self.conditions)[0]

    @property
    def is_current(self) -> bool:
        """Whether it was measured under conditions comparable with those of today."""
        return is_current(self.cell, self.conditions)

    @property
    def slug(self) -> str:
        """The name of the cell's page."""
        return slug(self.cell)


def read_matrix(path: Path) -> list[MatrixRow]:
    """Read matrix.csv. SiteError names a missing file, a missing column or an invalid line."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            missing = [name for name in NAMES if name not in (reader.fieldnames or ())]
            if missing:
                raise SiteError(f"{path}: column {missing[0]} is missing; build it again with `probe matrix`")
            return [_row(path, reader.line_num, values) for values in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SiteError(f"{path}: cannot be read ({error}); build it again with `probe matrix`") from None


def _row(path: Path, line: int, values: dict[str, str | None]) -> MatrixRow:
    whole = {name: values.get(name) or ADDED.get(name, "") for name in NAMES}
    try:
        int(whole["conditions"] or FIRST)
        Outcome(whole["worst"])
        return MatrixRow(Cell.of(whole), Outcome(whole["outcome"]), CONFORMS[whole["conforms"]], whole)
    except (KeyError, ValueError) as error:
        raise SiteError(f"{path}: line {line}: {error} does not fit; build it again with `probe matrix`") from None
