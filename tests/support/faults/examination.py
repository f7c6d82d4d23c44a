"""Examination of a round's folder: its leftovers and stored trials, before and after `--resume`."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterable
from pathlib import Path

from probe.files.locks import is_left
from probe.model import Outcome
from probe.model.history import FAILING_FROM
from probe.model.results import ResultsError
from probe.store import runs, trials
from probe.store.reader import TrialRow, histories
from tests.support.faults.observation import Observed
from tests.support.faults.round import Round

LOCKS = ".locks"
BESIDE = re.compile(r"; delete it and (\S+), and resume its run$")
"""The further file that a complaint asks to delete, in the folder of its run."""


def observed(round_: Round) -> Observed:
    """Resume what was interrupted, unless the round excludes it; return what it left and what is stored."""
    complaints: list[str] = []
    outcomes = [_unblamed(round_, _by_cell(_stored(place, complaints))) for place in round_.earlier]
    before = _stored(round_.results, complaints)
    first = () if round_.damaged else tuple(complaints)
    if round_.damaged:
        _delete(round_.results, complaints)
    resume(round_)
    complaints.clear()  # damage was named; files that `--resume` wrote must be read
    after = _stored(round_.results, complaints)
    return Observed(
        commands=tuple(round_.ended),
        problems=tuple(round_.problems),
        temporary=_names(round_.temporary),
        half_written=tuple(one for place in (*round_.earlier, round_.results) for one in _half_written(place)),
        mounts=tuple(one for one in _mounts(round_.folder) if Path(one) not in round_.mounts),
        locks=_locks(round_.results),
        unreadable=(*first, *complaints),
        outcomes=dict(ChainMap(_by_cell([*before, *after]), *outcomes)),
        final=_by_cell(row for row in after if row.trial < FAILING_FROM),
    )


def resume(round_: Round) -> None:
    """Complete the runs that have not ended, or have broken cells; play a new one where none has its description."""
    known = runs(str(round_.results), warn=lambda _: None)
    described = [one for one in known if one.shards]
    rows = (row for row in _stored(round_.results, []) if row.trial < FAILING_FROM)
    failed = {row.run_id for row in rows if row.verdict.outcome is Outcome.BROKEN}
    waiting = [one.run_id for one in described if round_.damaged or not one.finished or one.run_id in failed]
    for arguments in [("run", "--resume", one, "--repeat-budget", "0") for one in waiting]:
        with round_.running(*arguments, "--results", str(round_.results)):
            pass
    if len(described) < len(known) or not known:
        with round_.running(*round_.run()):
            pass
    with round_.running("show", "--results", str(round_.results)):
        pass


def _unblamed(round_: Round, found: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Return the outcomes that count: of cells whose driver was replaced those that it may not have, named so."""
    counted: dict[str, frozenset[str]] = {}
    for cell, had in found.items():
        allowed = [one for begin, one in round_.blamed.items() if cell.startswith(begin)]
        counted |= {f"{cell} with its driver replaced": had - allowed[0]} if allowed else {cell: had}
    return counted


def _stored(results: Path, complaints: list[str]) -> list[TrialRow]:
    """Read all trials and their histories."""
    place = str(results)
    try:
        for one in runs(place, complaints.append):
            list(histories(place, one.run_id, warn=complaints.append))
        return list(trials(place, warn=complaints.append))
    except ResultsError as error:
        complaints.append(str(error))
        return []


def _delete(results: Path, complaints: list[str]) -> None:
    """Delete the files that the reader asks to delete (docs/operations.md, "a corrupt file")."""
    for line in complaints:
        name = line.partition(" cannot be read")[0]
        if name.startswith(f"{results}/"):
            Path(name).unlink(missing_ok=True)
            if other := BESIDE.search(line):
                (Path(name).parents[1] / other[1]).unlink(missing_ok=True)


def _by_cell(rows: Iterable[TrialRow]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(str(row.cell), set()).add(str(row.verdict.outcome))
    return {cell: frozenset(had) for cell, had in found.items()}


def _names(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(str(path.relative_to(folder)) for path in folder.iterdir()))


def _half_written(results: Path) -> tuple[str, ...]:
    hidden = (path for path in results.rglob(".*") if path.name != LOCKS)
    return tuple(sorted(str(path.relative_to(results)) for path in hidden))


def _mounts(folder: Path) -> tuple[str, ...]:
    places = (line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines())
    return tuple(sorted(place for place in places if place.startswith(f"{folder}/")))


def _locks(results: Path) -> tuple[str, ...]:
    return tuple(sorted(path.name for path in (results / LOCKS).glob("*.lock") if not is_left(path)))
