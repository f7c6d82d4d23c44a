"""The table `worth`: what follows from the trials of each cell, computed once when a file is built for look-ups.

It holds values of the program that built the file, so only a file that comes with this program is read by it
(`probe.evidence.places.Held`); any other is read trial by trial.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from functools import cache, partial
from typing import Any

from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harms_of
from probe.cells.stored_trials import StoredTrials, Worst, Worth, are_mixed
from probe.evidence.cell_choice import Wanted
from probe.evidence.reader import AFTER_IDENTITY, EvidenceFile, Origins
from probe.model.cell import Cell, Outcome
from probe.model.columns import IDENTITY
from probe.model.grades import worst_trial
from probe.model.harm import Harm, TrialHarm
from probe.model.verdicts import Verdict
from probe.model.words import AfterHeal

_TABLE = (
    "CREATE TABLE worth (cell INTEGER PRIMARY KEY, trials INTEGER NOT NULL, rules INTEGER NOT NULL, "
    "worst_conforms INTEGER, loses INTEGER NOT NULL, mixed INTEGER NOT NULL, harms TEXT NOT NULL)"
)
_COLUMNS = (
    "c.outcome, c.conforms, w.rules, w.loses, w.mixed, w.harms, c.worst, w.worst_conforms, w.trials, "
    "(SELECT word FROM words WHERE id = c.reason)"
)
_HARMLESS = TrialHarm()


def put_worth(database: sqlite3.Connection, cells: Iterable[tuple[int, SettledCell]] | None) -> None:
    """Write the table for cells by their numbers in place of an older one. None = leave the file without."""
    database.execute("DROP TABLE IF EXISTS worth")
    if cells is not None:
        database.execute(_TABLE)
        database.executemany("INSERT INTO worth VALUES (?, ?, ?, ?, ?, ?, ?)", (_row(*one) for one in cells))


def has_worth(database: sqlite3.Connection) -> bool:
    """Return whether a file has the table."""
    return database.execute("SELECT 1 FROM sqlite_master WHERE name = 'worth'").fetchone() is not None


def _row(number: int, item: SettledCell) -> tuple[Any, ...]:
    trials = item.verdicts
    loses, worst = item.loss is not None, worst_trial(trials).conforms
    return number, len(trials), item.rules, worst, loses, are_mixed(trials), text_of(harms_of(item))


def text_of(harms: Iterable[TrialHarm]) -> str:
    """Return the harms of trials as text: `0`, or `4 1 0.0 0 stuck`."""
    return ";".join("0" if one == _HARMLESS else " ".join(_parts(one)) for one in harms)


def _parts(one: TrialHarm) -> tuple[str, ...]:
    return str(int(one.rank)), str(int(one.silently)), repr(one.stalls_ms), str(int(one.everything)), one.after_heal


@cache
def harms_in(text: str) -> tuple[TrialHarm, ...]:
    """Return the harms of a text."""
    return tuple(map(_harm, text.split(";"))) if text else ()


def _harm(text: str) -> TrialHarm:
    if text == "0":
        return _HARMLESS
    rank, silently, stalls_ms, everything, after_heal = text.split(" ")
    return TrialHarm(
        rank=Harm(int(rank)),
        silently=silently == "1",
        stalls_ms=float(stalls_ms),
        everything=everything == "1",
        after_heal=AfterHeal(after_heal),
    )


class RatedFile(EvidenceFile):
    """A file with that table, whose trials need not be read."""

    def rated(self, wanted: Wanted, origins: Origins) -> dict[Cell, SettledCell]:
        """Return the settled cells that are wanted. Their trials are read where one is asked for, while it is open."""
        identity = ", ".join(f"c.{name}" for name in IDENTITY)
        query = (
            f"SELECT c.id, {identity}, r.run_id, c.trial, c.conditions, {_COLUMNS} FROM cells c "  # noqa: S608  # numbers
            f"JOIN runs r ON r.id = c.run JOIN worth w ON w.cell = c.id {self._where(wanted)} ORDER BY c.id"
        )
        found: dict[Cell, SettledCell] = {}
        with self._damage():
            for row in self._select(query):
                cell = self._cell(row)
                run_id, trial, conditions, *values, count, reason = row[AFTER_IDENTITY:]
                trials = StoredTrials(count, self._worth(values, reason), partial(self._trials, row[0]))
                found[cell] = SettledCell(
                    cell=cell,
                    run_id=run_id,
                    trial=trial,
                    verdicts=trials,
                    conditions=conditions,
                    origin=origins(run_id, cell),
                )
        return found

    def _worth(self, values: Sequence[Any], reason: str) -> Worth:
        outcome, conforms, rules, loses, mixed, harms, worst, worst_conforms = values
        return Worth(
            outcome=self._member(Outcome, outcome),
            conforms=_answer(conforms),
            rules=rules,
            loses=bool(loses),
            mixed=bool(mixed),
            harms=harms_in(harms),
            worst=Worst(self._member(Outcome, worst), _answer(worst_conforms), reason),
        )

    def _trials(self, number: int) -> tuple[Verdict, ...]:
        """Return the verdicts of a cell by its number."""
        ((_, verdicts),) = self._grouped(f"WHERE c.id = {number}", facts=False)
        return tuple(verdicts)


def _answer(value: int | None) -> bool | None:
    return None if value is None else bool(value)
