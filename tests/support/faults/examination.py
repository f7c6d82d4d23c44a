"""Examination of a round's folder: its leftovers and stored trials, before and after `--resume`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from probe.files.locks import is_left
from probe.model.history import FAILING_FROM
from probe.model.results import ResultsError
from probe.store import runs, trials
from probe.store.reader import TrialRow, histories
from tests.support.faults.observation import Observed
from tests.support.faults.round import Round

LOCKS = ".locks"


def observed(round_: Round) -> Observed:
    """Resume what was interrupted, unless the round excludes it; return what it left and what is stored."""
    complaints: list[str] = []
    before = _stored(round_, complaints)
    first = () if round_.damaged else tuple(complaints)
    if round_.damaged:
        _delete(round_.results, complaints)
    resume(round_)
    complaints.clear()
    after = _stored(round_, complaints)
    return Observed(
        commands=tuple(round_.ended),
        temporary=_names(round_.temporary),
        half_written=_half_written(round_.results),
        mounts=tuple(one for one in _mounts(round_.folder) if Path(one) not in round_.mounts),
        locks=_locks(round_.results),
        unreadable=(*first, *complaints),
        outcomes=_by_cell([*before, *after]),
        final=_by_cell(row for row in after if row.trial < FAILING_FROM),
    )


def resume(round_: Round) -> None:
    """Complete the runs that have not ended; play a new one where none was begun."""
    known = runs(str(round_.results), warn=lambda _: None)
    waiting = [one.run_id for one in known if round_.damaged or not one.finished]
    for arguments in [("run", "--resume", one, "--repeat-budget", "0") for one in waiting]:
        with round_.running(*arguments, "--results", str(round_.results)):
            pass
    if not known:
        with round_.running(*round_.run()):
            pass
    with round_.running("show", "--results", str(round_.results)):
        pass


def _stored(round_: Round, complaints: list[str]) -> list[TrialRow]:
    """Read all trials and their histories."""
    place = str(round_.results)
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
