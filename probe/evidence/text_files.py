"""Evidence as text: a folder of sorted lines that git keeps, from which the file of evidence is built.

    runs.tsv                    the short name, the id and the start of each run that a line names
    confirmed.tsv               per engine and family: rules, conditions, since when each cell was confirmed
    ENGINE/FAMILY.tsv           a line per settled cell (`probe.evidence.cell_lines`)
    ENGINE/FAMILY.first.tsv     what clients sent first on connections, by control cell

A cell whose new trials say the same keeps its line, so that a commit has the lines of cells that changed. Standard
library only, since an installation from the source archive builds the file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from probe.cells.aggregate import SettledCell
from probe.errors import reason_of
from probe.evidence.cell_lines import Place, cell_of, line_of
from probe.evidence.fact_tokens import whole_number
from probe.evidence.handshake_lines import handshake_lines, handshakes_of
from probe.evidence.sameness import is_kept
from probe.evidence.schema import EvidenceError, Run
from probe.evidence.sentences import sentences
from probe.evidence.writer import Contents
from probe.files.atomic_writes import filling
from probe.model.cell import Cell, Engine
from probe.model.counts import commonest
from probe.model.handshake import Handshake
from probe.model.versions import version_key

RUNS, CONFIRMED, LINES, FIRST = "runs.tsv", "confirmed.tsv", ".tsv", ".first.tsv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed:
    """Under which rules and conditions most cells of a family were confirmed, and since when each has been."""

    engine: Engine
    family: str
    rules: int
    conditions: int
    started: str
    """Start of the oldest run among the newest of each cell, ISO 8601: no cell was shown before it alone."""

    def line(self) -> str:
        """Return it as a line of `confirmed.tsv`."""
        return "\t".join([self.engine, self.family, str(self.rules), str(self.conditions), self.started])


def read_folder(folder: Path) -> Contents:
    """Return what the text says. EvidenceError names the file or line that cannot be read."""
    runs = [(short, Run(run_id=run_id, started=day)) for short, run_id, day in _table(folder / RUNS, 3)]
    names = {short: run.run_id for short, run in runs}
    cells: dict[Cell, SettledCell] = {}
    sent: dict[Cell, tuple[Handshake, ...]] = {}
    with _readable(folder / CONFIRMED):
        confirmed = [_confirmed(*values) for values in _table(folder / CONFIRMED, 5)]
    for one in confirmed:
        place = Place(family=one.family, engine=one.engine, rules=one.rules, conditions=one.conditions, runs=names)
        mine = [cell_of(line, place, sentences) for line in _lines(folder / one.engine / f"{one.family}{LINES}")]
        cells.update((item.cell, item) for item in mine)
        first = folder / one.engine / f"{one.family}{FIRST}"
        if first.exists():
            with _readable(first):
                sent.update(handshakes_of(_lines(first), [item.cell for item in mine]))
    days = {(str(one.engine), one.family): one.started for one in confirmed}
    _check_all_confirmed(folder, days)
    return Contents(cells=cells, runs=[run for _, run in runs], handshakes=sent, confirmed=days)


def _check_all_confirmed(folder: Path, known: Collection[tuple[str, str]]) -> None:
    """Raise EvidenceError if cells lie in a file that `confirmed.tsv` does not name: they would be lost in silence."""
    for path in sorted(folder.glob(f"*/*{LINES}")):
        family = path.name.removesuffix(FIRST).removesuffix(LINES)
        if (path.parent.name, family) not in known:
            raise EvidenceError(f"{folder / CONFIRMED} does not name {path}; restore it with `git checkout`")


def write_folder(folder: Path, contents: Contents) -> int:
    """Write contents as text and return the number of lines that changed. EvidenceError if that fails.

    What the folder holds already is kept where it says the same; its cells that are not in `contents` go.
    """
    held = read_folder(folder) if (folder / RUNS).exists() else Contents(cells={}, runs=[])
    cells = {cell: _kept(held.cells.get(cell), item) for cell, item in contents.cells.items()}
    same = {cell for cell, item in cells.items() if cell in held.cells and is_kept(held.cells[cell], item)}
    started = {run.run_id: run.started for run in (*held.runs, *contents.runs)}
    sent = {
        cell: held.handshakes[cell] if cell in same and cell in held.handshakes else first
        for cell, first in contents.handshakes.items()
    }
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with filling(folder) as made:
            _write(made, contents, cells, sent, started)
    except OSError as error:
        raise EvidenceError(f"{folder} cannot be written: {reason_of(error)}; free the place") from error
    return len(contents.cells) - len(same)


def _write(
    folder: Path,
    contents: Contents,
    cells: Mapping[Cell, SettledCell],
    sent: Mapping[Cell, Collection[Handshake]],
    started: Mapping[str, str],
) -> None:
    used = sorted({item.run_id for item in cells.values()})
    short = _short(used)
    _put(folder / RUNS, [f"{short[run_id]}\t{run_id}\t{started[run_id]}" for run_id in used])
    groups: dict[tuple[Engine, str], list[SettledCell]] = defaultdict(list)
    for item in cells.values():
        groups[item.cell.engine, item.cell.family].append(item)
    confirmed = []
    for (engine, family), mine in sorted(groups.items()):
        place = Place(
            family=family,
            engine=engine,
            rules=commonest(item.rules for item in mine),
            conditions=commonest(item.conditions for item in mine),
            runs={short[run_id]: run_id for run_id in used},
        )
        oldest = min(started[contents.cells[item.cell].run_id] for item in mine)
        confirmed.append(
            Confirmed(engine=engine, family=family, rules=place.rules, conditions=place.conditions, started=oldest)
        )
        ordered = sorted(mine, key=lambda item: _order(item.cell))
        _put(folder / engine / f"{family}{LINES}", [line_of(item, place, sentences) for item in ordered])
        if first := [(item.cell, sent[item.cell]) for item in ordered if sent.get(item.cell)]:
            _put(folder / engine / f"{family}{FIRST}", list(handshake_lines(first)))
    _put(folder / CONFIRMED, [one.line() for one in confirmed])


def _kept(held: SettledCell | None, fresh: SettledCell) -> SettledCell:
    """Return the older trials, as confirmed by the new ones, where both say the same; else the new ones."""
    if held is None or not is_kept(held, fresh):
        return fresh
    verdicts = tuple(replace(one, rules=fresh.rules) for one in held.verdicts)
    return replace(held, verdicts=verdicts, conditions=fresh.conditions)  # comparable ones


def _order(cell: Cell) -> tuple[object, ...]:
    line = version_key(cell.broker)
    return version_key(cell.version), str(cell.role), cell.scenario, cell.profile, line, str(cell.workload)


def _short(run_ids: Sequence[str]) -> dict[str, str]:
    """Return a short name for each run: the end of its id, or the whole id where ends are equal."""
    ends = [run_id.rpartition("-")[2] for run_id in run_ids]
    return {run_id: end if ends.count(end) == 1 else run_id for run_id, end in zip(run_ids, ends, strict=True)}


def _confirmed(engine: str, family: str, rules: str, conditions: str, started: str) -> Confirmed:
    return Confirmed(
        engine=Engine(engine),
        family=family,
        rules=whole_number(rules),
        conditions=whole_number(conditions),
        started=started,
    )


def _table(path: Path, columns: int) -> list[list[str]]:
    rows = [line.split("\t") for line in _lines(path)]
    if odd := [row for row in rows if len(row) != columns]:
        raise EvidenceError(f"{path}: {odd[0][0][:60]!r} has not {columns} columns; restore it with `git checkout`")
    return rows


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn what makes no sense in a file into an EvidenceError that names it."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EvidenceError(f"{path} cannot be read: {reason_of(error)}; restore it with `git checkout`") from None


def _lines(path: Path) -> list[str]:
    return _read(path).splitlines()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # no UTF-8, or a name that no file can have
        reason = reason_of(error) if isinstance(error, OSError) else error
        raise EvidenceError(f"{path} cannot be read: {reason}; restore it with `git checkout`") from None


def _put(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
