"""The table of `benchmarks/history.py`: what a check said of each known result, in both directions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kept_rows import KeptRows
from probe.cells.comparison import Answer

NOT_PLAYED = "not played"
"""The answer of a case that cannot be played."""
TABLE = "history.tsv"
"""The file in a folder of results."""


@dataclass(frozen=True, slots=True)
class Row:
    """The answer of a check in a case."""

    name: str
    wanted: str
    build: str
    against: str
    cell: str
    answer: str
    before: str
    """Outcomes of the release beside the build, with their numbers."""
    after: str
    """Outcomes of the build."""
    trials: str
    """Number of trials of each side that were compared."""
    reason: str
    """Why nothing was said."""
    build_s: str = ""
    """Seconds until both sides could be started: the build, and what was not in the cache."""
    run_s: str = ""
    """Seconds of the run in which it was played."""
    at_once: str = ""
    """Cases of that run."""

    @property
    def family(self) -> str:
        """The library."""
        return self.build.partition("@")[0]

    @property
    def result(self) -> str:
        """`right`, `wrong`, `missed`, or nothing where there is no answer."""
        if self.answer == NOT_PLAYED:
            return ""
        if self.answer == self.wanted:
            return "right"
        return "wrong" if self.answer in {Answer.WORSE, Answer.BETTER} else "missed"


class Table(KeptRows[Row]):
    """The rows that are kept in a folder of results."""

    def __init__(self, results: Path, file: str = TABLE) -> None:
        super().__init__(results / file, Row)

    def has(self, name: str, wanted: str) -> bool:
        """Return whether a known result was played in this direction."""
        return any((one.name, one.wanted) == (name, wanted) for one in self.rows)


def report(rows: Sequence[Row], alike: Sequence[str], planned: Mapping[str, int]) -> Iterator[str]:
    """Yield the rows and the counts; `planned` has the number of cases of each library."""
    for one in sorted(rows, key=lambda row: (row.result, row.name)):
        sides = f"{one.build} beside {one.against}"
        yield f"{one.result:<7} {one.name}: {sides}, {one.cell}: {one.answer}; {one.before} -> {one.after} {one.reason}"
    for wanted in (Answer.WORSE, Answer.BETTER):
        mine = Counter(one.result for one in rows if one.wanted == wanted)
        yield f"{wanted}: {mine['right']} right, {mine['wrong']} wrong, {mine['missed']} missed of {mine.total()}"
    yield from by_library(rows, planned)
    left = sum(planned.values()) - len(rows)
    yield f"{left} cases are not played yet; the same harm on both sides by the evidence: {len(alike)} pairs"


def by_library(rows: Sequence[Row], planned: Mapping[str, int]) -> Iterator[str]:
    """Yield the table of docs/check.md."""
    yield "| library | cases | flagged right | wrong direction | undecided | not played |"
    yield "|---|---|---|---|---|---|"
    by_family: dict[str, Counter[str]] = {name: Counter(cases=count) for name, count in sorted(planned.items())}
    for one in rows:
        by_family.setdefault(one.family, Counter())[one.result] += 1
    for name, found in [*by_family.items(), ("all", sum(by_family.values(), Counter()))]:
        played = found["right"], found["wrong"], found["missed"]
        yield f"| {' | '.join(map(str, (name, found['cases'], *played, found['cases'] - sum(played))))} |"
