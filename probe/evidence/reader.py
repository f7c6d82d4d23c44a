"""Read a file of evidence: settled cells, handshakes, and what the file says about itself. Standard library only."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from probe.cells.aggregate import SettledCell
from probe.cells.log_in_words import FACTS as FACTS_OF_LOG_INS
from probe.cells.log_in_words import is_about_log_ins
from probe.evidence.cell_choice import EVERYTHING, Wanted
from probe.evidence.schema import IS_SHORT, JUDGED, SHORT_WORD, EvidenceError, Run, plain_facts
from probe.model.cell import Cell, Engine, Outcome, Role, Workload
from probe.model.codec import decode
from probe.model.columns import FACTS, IDENTITY, Facts
from probe.model.harm import FACTS_OF_HARM, may_harm
from probe.model.results import facts_of
from probe.model.verdicts import Verdict

if TYPE_CHECKING:
    from probe.cells.origin import Origin
    from probe.model.handshake import Handshake

Origins = Callable[[str, Cell], "Origin | None"]
"""Returns the origin of the cell of a run, by the run's id."""
_Member = TypeVar("_Member", bound=StrEnum)
_NO_FACTS = Facts()
REMEDY = "make it again with `probe matrix` or `probe publish-evidence`, or name another file"
_SCENARIO = 1 + IDENTITY.index("scenario")
_OF_LOOKUPS = tuple(dict.fromkeys((*FACTS_OF_HARM, *FACTS_OF_LOG_INS)))
AFTER_IDENTITY = 1 + len(IDENTITY)  # place of the first column after it, in a row that begins with a cell's number


class EvidenceFile:
    """An open file of evidence. What is read of it is kept for as long as it is open."""

    def __init__(self, database: sqlite3.Connection, name: str) -> None:
        self.name = name
        self._database = database
        self._words: dict[int, str] = {}
        self._members: dict[tuple[type[StrEnum], int], StrEnum] = {}

    @cached_property
    def about(self) -> Mapping[str, str]:
        """The file's description of itself: schema, program, rules, conditions per engine, cells, trials."""
        return dict(self._select("SELECT name, value FROM about"))

    def versions(self, family: str) -> list[str]:
        """Return the versions of a family that have cells, in no order."""
        query = f"SELECT DISTINCT c.version FROM cells c {self._where(Wanted(family=[family]))}"  # noqa: S608  # numbers
        return [self._word(version) for (version,) in self._select(query)]

    def counts(self, family: str, engine: str, line: str) -> dict[str, int]:
        """Return the number of cells of each version of a family with one engine on one release line."""
        where = self._where(Wanted(family=[family], engine=[engine], broker=[line]))
        query = f"SELECT c.version, COUNT(*) FROM cells c {where} GROUP BY c.version"  # noqa: S608  # numbers
        return {self._word(version): count for version, count in self._select(query)}

    def questions(self, wanted: Wanted) -> Iterator[Cell]:
        """Yield one of the wanted cells for each question, whatever its version is."""
        names, others = ", ".join(IDENTITY), ", ".join(name for name in IDENTITY if name != "version")
        query = f"SELECT MIN(id), {names} FROM cells c {self._where(wanted)} GROUP BY {others}"  # noqa: S608  # numbers
        yield from map(self._cell, self._select(query))

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The runs whose trials it has, oldest first."""
        rows = self._select("SELECT run_id, started, stamp FROM runs ORDER BY run_id")
        return tuple(Run(run_id=run_id, started=started, stamp=stamp) for run_id, started, stamp in rows)

    @cached_property
    def confirmed(self) -> Mapping[tuple[str, str], str]:
        """By engine and family: the start of the run that showed the same last, ISO 8601; empty in older files."""
        if not self._select("SELECT 1 FROM sqlite_master WHERE name = 'confirmed'"):
            return {}
        rows = self._select("SELECT engine, family, started FROM confirmed")
        return {(engine, family): started for engine, family, started in rows}

    def copy_to(self, database: sqlite3.Connection) -> None:
        """Copy everything into another, empty database."""
        self._database.backup(database)

    def cells(
        self,
        wanted: Wanted = EVERYTHING,
        *,
        among: Collection[Cell] | None = None,
        facts: bool = False,
        origins: Origins = lambda *_: None,
    ) -> dict[Cell, SettledCell]:
        """Return the settled cells that are wanted, in the order of the file.

        Without `facts`, which take most of the time, verdicts have those of harm only, where there may be some, and
        those of log-ins where the scenario is about these.
        `among` limits the answer to these cells. `origins` returns the origin of a cell. EvidenceError if the file is
        damaged.
        """
        if among is not None:
            wanted = Wanted.of(among)
        chosen = frozenset(among) if among is not None else None
        found: dict[Cell, SettledCell] = {}
        with self._damage():
            for row, verdicts in self._grouped(self._where(wanted), facts=facts):
                cell = self._cell(row)
                if chosen is None or cell in chosen:
                    found[cell] = SettledCell(
                        cell=cell,
                        run_id=row[AFTER_IDENTITY],
                        trial=row[AFTER_IDENTITY + 1],
                        verdicts=tuple(verdicts),
                        conditions=row[AFTER_IDENTITY + 2],
                        origin=origins(row[AFTER_IDENTITY], cell),
                    )
        return found

    def places(self, cells: Iterable[Cell]) -> list[int]:
        """Return the numbers of cells in the table `cells`."""
        chosen = frozenset(cells)
        with self._damage():
            rows = self._select(f"SELECT id, {', '.join(IDENTITY)} FROM cells c {self._where(Wanted.of(chosen))}")  # noqa: S608  # numbers
            return [row[0] for row in rows if self._cell(row) in chosen]

    def handshakes(self, wanted: Wanted = EVERYTHING) -> dict[Cell, tuple[Handshake, ...]]:
        """Return what the clients of control cells sent first on a connection."""
        from probe.model.handshake import Handshake  # noqa: PLC0415  # look-ups read none

        found: dict[Cell, tuple[Handshake, ...]] = {}
        names = ", ".join(f"c.{name}" for name in IDENTITY)
        query = (
            f"SELECT c.id, {names}, h.handshake FROM handshakes h JOIN cells c ON c.id = h.cell {self._where(wanted)}"  # noqa: S608  # numbers
        )
        with self._damage():
            for row in self._select(f"{query} ORDER BY h.cell, h.place"):
                cell = self._cell(row)
                one = decode(Handshake, json.loads(self._word(row[AFTER_IDENTITY])))
                found[cell] = (*found.get(cell, ()), one)
        return found

    def judged(self) -> list[tuple[Any, ...]]:
        """Return the rows of the view `judged`, with the columns `JUDGED`."""
        return self._select(f"SELECT {', '.join(JUDGED)} FROM judged")  # noqa: S608  # names of ours

    def _grouped(self, where: str, *, facts: bool) -> Iterator[tuple[tuple[Any, ...], list[Verdict]]]:
        """Yield the row of every cell with its verdicts. `where` is a condition of `_where`."""
        identity = ", ".join(f"c.{name}" for name in IDENTITY)
        names = tuple(FACTS) if facts else _OF_LOOKUPS
        more = "".join(f", t.{name}" for name in names)
        reason = "(SELECT word FROM words WHERE id = t.reason)"
        query = (
            f"SELECT c.id, {identity}, r.run_id, c.trial, c.conditions, t.outcome, t.conforms, t.rules, {reason}{more} "  # noqa: S608  # numbers
            f"FROM cells c JOIN runs r ON r.id = c.run JOIN trials t ON t.cell = c.id {where} "
            "ORDER BY c.id, t.place"
        )
        held: tuple[Any, ...] | None = None
        verdicts: list[Verdict] = []
        for row in self._select(query):
            if held is not None and held[0] != row[0]:
                yield held, verdicts
                verdicts = []
            held = row
            values = row[AFTER_IDENTITY + 7 :]
            kept = dict(zip(names, values, strict=True)) if facts else self._kept(row[_SCENARIO], values)
            verdicts.append(self._verdict(row[AFTER_IDENTITY + 3 : AFTER_IDENTITY + 7], kept))
        if held is not None:
            yield held, verdicts

    def _kept(self, scenario: int, values: Sequence[Any]) -> Mapping[str, Any]:
        """Return the facts `_OF_LOOKUPS` of a trial, as far as look-ups need them."""
        if is_about_log_ins(self._word(scenario)):
            return dict(zip(_OF_LOOKUPS, values, strict=True))
        return dict(zip(FACTS_OF_HARM, values, strict=False)) if may_harm(values) else {}  # the first ones

    def _verdict(self, judged: tuple[Any, ...], facts: Mapping[str, Any]) -> Verdict:
        outcome, conforms, rules, reason = judged
        return Verdict(
            outcome=self._member(Outcome, outcome),
            reason=reason,
            conforms=None if conforms is None else bool(conforms),
            facts=facts_of(plain_facts(facts, self._word)) if facts else _NO_FACTS,
            rules=rules,
        )

    def _cell(self, row: tuple[Any, ...]) -> Cell:
        """Build the cell of a row that begins with `id` and the identity."""
        words, family, version, role, profile, scenario, engine, broker, workload = self._word, *row[1:AFTER_IDENTITY]
        return Cell(
            words(family),
            words(version),
            self._member(Role, role),
            words(profile),
            words(scenario),
            self._member(Engine, engine),
            words(broker),
            self._member(Workload, workload),
        )

    def _member(self, kind: type[_Member], number: int) -> _Member:
        """Return a member of an enum by the number of its word."""
        found = self._members.get((kind, number))
        if found is None:
            found = self._members[kind, number] = kind(self._word(number))
        return found  # type: ignore[return-value]  # a member of the enum in its key

    def _where(self, wanted: Wanted) -> str:
        """Return the condition of a selection. It holds numbers of words only."""
        asked = {item.name: words for item in fields(wanted) if (words := getattr(wanted, item.name)) is not None}
        numbers = self._numbers({word for words in asked.values() for word in words})
        lists = {
            name: ", ".join(str(numbers[word]) for word in words if word in numbers) for name, words in asked.items()
        }
        parts = [f"c.{name} IN ({some})" for name, some in lists.items()]
        return f"WHERE {' AND '.join(parts)}" if parts else ""

    def _numbers(self, words: Collection[str]) -> dict[str, int]:
        """Return the numbers of the words that the file has; the index has the short ones only."""
        query = "SELECT word, id FROM words WHERE word IN (SELECT value FROM json_each(?))"
        short = [word for word in words if len(word) <= SHORT_WORD]
        found = dict(self._select(f"{query} AND {IS_SHORT}", json.dumps(short)))
        if len(short) < len(words):
            found.update(self._select(query, json.dumps([word for word in words if len(word) > SHORT_WORD])))
        return found

    def _word(self, number: int) -> str:
        if number not in self._words:
            ((self._words[number],),) = self._select("SELECT word FROM words WHERE id = ?", number)
        return self._words[number]

    def _select(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._database.execute(query, values).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where SQLite's own message has damaged names
            raise EvidenceError(f"{self.name} cannot be read: {error}; {REMEDY}") from None

    @contextmanager
    def _damage(self) -> Iterator[None]:
        """Turn values that do not fit the model into EvidenceError."""
        try:
            yield
        except (KeyError, TypeError, ValueError) as error:
            raise EvidenceError(
                f"{self.name} does not fit this program: {error}; use a newer probe, or {REMEDY}"
            ) from None
