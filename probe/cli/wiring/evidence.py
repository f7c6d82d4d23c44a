"""The evidence that look-ups answer from: opened, checked, and asked for settled cells."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from probe.catalogue.files import data_file
from probe.catalogue.races import known_races
from probe.cells.aggregate import SettledCell
from probe.cells.chance import Kind, doubted, kind_of
from probe.cells.evidence_choice import choose, disagreements
from probe.cells.kept_brokers import with_kept_brokers
from probe.cells.lines import from_neighbours, lacking
from probe.cells.loss_words import with_losses
from probe.cells.origin import OWN, SHIPPED, Origin
from probe.cli.console.streams import say
from probe.cli.wiring.catalogue import families
from probe.evidence import places
from probe.evidence.access import opened
from probe.evidence.cell_choice import Wanted
from probe.evidence.places import SETTLED, Held
from probe.evidence.reader import EvidenceFile
from probe.model import Cell, Outcome
from probe.model.counts import counted
from probe.model.engines import REAL
from probe.model.results import RUN_PREFIX, TRIALS, VERDICTS
from probe.model.versions import VersionKey, version_key
from probe.store.local_paths import refuse_a_file

if TYPE_CHECKING:
    from probe.model.handshake import Handshake

DEFAULT = (OWN, SHIPPED)


class Evidence:
    """Open files of evidence, in order of preference."""

    def __init__(self, files: Sequence[tuple[Held, EvidenceFile]], today: date, max_age: int) -> None:
        self._files = files
        self._today = today
        self._max_age = max_age
        self._origins: dict[tuple[str, str, str], Origin] = {}
        self._races: dict[str, list[SettledCell]] = {}

    @property
    def names(self) -> list[str]:
        """The files that are there, by the names of their evidence."""
        return [held.evidence for held, _ in self._files]

    def find(self, wanted: Wanted, *, facts: bool = False) -> dict[Cell, SettledCell]:
        """Return the answers of all evidence about the wanted cells, with what makes too little or too much of a pass.

        Answers with few trials where chance decides say so, and those that lost records how the client writes.
        """
        read = self._read(wanted, facts=facts)
        found = doubted(read, self.races_of({cell.family for cell in read}), self._known)

        def in_profiles(cells: Collection[Cell]) -> Collection[SettledCell]:
            return self._read(replace(Wanted.of(cells), profile=None)).values()

        def on_real(cells: Collection[Cell]) -> Collection[SettledCell]:
            return self._read(replace(Wanted.of(cells), engine=REAL, broker=None)).values()

        return with_kept_brokers(with_losses(found, families(), on_real, in_profiles), families())

    def each(self, wanted: Wanted, *, facts: bool = False) -> list[Mapping[Cell, SettledCell]]:
        """Return the answers of each evidence, in order of preference."""
        return [self._cells(held, file, wanted, facts=facts) for held, file in self._files]

    def _read(self, wanted: Wanted, *, facts: bool = False) -> dict[Cell, SettledCell]:
        return choose(self.each(wanted, facts=facts))

    def races_of(self, named: Collection[str]) -> list[SettledCell]:
        """Return the cells of families whose trials disagree."""
        for family in set(named) - self._races.keys():
            some = Wanted(family=[family], outcome=[str(Outcome.FLAKY)])
            self._races[family] = [one for cells in self.each(some) for one in cells.values()]
        return [item for family in sorted(named) for item in self._races[family]]

    @cached_property
    def _known(self) -> Mapping[Kind, str]:
        """The known results that only some trials show."""
        return {kind_of(cell): words for cell, words in known_races(data_file("known_results.toml")).items()}

    def versions(self, family: str) -> frozenset[str]:
        """Return the versions of a family that have cells."""
        return frozenset(version for _, file in self._files for version in file.versions(family))

    def counts(self, family: str, engine: str, line: str) -> dict[str, int]:
        """Return the number of cells of each version of a family on a release line."""
        found: dict[str, int] = {}
        for _, file in self._files:
            for version, count in file.counts(family, engine, line).items():
                found[version] = max(count, found.get(version, 0))
        return found

    def questions(self, wanted: Wanted, version: str) -> set[Cell]:
        """Return the wanted cells of any version as those of one version."""
        return {replace(cell, version=version) for _, file in self._files for cell in file.questions(wanted)}

    def handshakes(self, wanted: Wanted) -> dict[Cell, tuple[Handshake, ...]]:
        """Return what clients sent first on their connections."""
        found: dict[Cell, tuple[Handshake, ...]] = {}
        for _, file in reversed(self._files):
            found.update(file.handshakes(wanted))
        return found

    def later(self, cells: Collection[Cell], *, any_profile: bool = True) -> dict[Cell, SettledCell]:
        """Return the answers to the questions of these cells about the same and later versions of their families."""
        oldest: dict[str, VersionKey] = {}
        for cell in cells:
            key = version_key(cell.version)
            oldest[cell.family] = min(key, oldest.get(cell.family, key))
        versions = {
            version
            for family, key in oldest.items()
            for _, file in self._files
            for version in file.versions(family)
            if version_key(version) >= key
        }
        wanted = replace(Wanted.of(cells), version=versions)
        return self.find(replace(wanted, profile=None) if any_profile else wanted)

    def answer(self, cells: Collection[Cell]) -> dict[Cell, SettledCell]:
        """Return the answers about cells, about later versions, and in other profiles.

        A cell whose release line has no evidence is answered by the lines on both sides.
        """
        found = self.later(cells)
        if open_cells := lacking(cells, found):
            other_lines = self.find(replace(Wanted.of(open_cells), broker=None))
            found.update(from_neighbours(open_cells, other_lines.values()))
        return found

    def _cells(self, held: Held, file: EvidenceFile, wanted: Wanted, *, facts: bool) -> Mapping[Cell, SettledCell]:
        started = {run.run_id: run.started for run in file.runs}

        def origin(run_id: str, cell: Cell) -> Origin:
            again = file.confirmed.get((str(cell.engine), cell.family), "")
            return self._origin(held.evidence, started[run_id][:10], again[:10])

        return file.cells(wanted, facts=facts, origins=origin)

    def _origin(self, evidence: str, measured: str, again: str) -> Origin:
        key = evidence, measured, again
        if key not in self._origins:
            newest = max(measured, again)
            days = max(0, (self._today - date.fromisoformat(newest)).days) if newest else 0
            self._origins[key] = Origin(
                evidence=evidence,
                measured=measured,
                confirmed=again if again > measured else "",
                days=days,
                is_old=not newest or days > self._max_age,
            )
        return self._origins[key]


@contextmanager
def open_evidence(names: Sequence[str] | None, results: str, max_age: int) -> Iterator[Evidence]:
    """Open the named evidence, by default the user's own and the package's. What is not there is left out.

    EvidenceError for a named file that is missing, and for any that is damaged. One line says if runs are newer than
    the settled cells of the results folder.
    """
    with ExitStack() as stack:
        held = [item for name in dict.fromkeys(names or DEFAULT) if (item := _held(name, results)) is not None]
        files = [(item, stack.enter_context(opened(item.source, item.name, item.digest))) for item in held]
        own = next((file for item, file in files if item.evidence == OWN), None)
        if OWN in (names or DEFAULT):
            _say_newer(results, own)
        yield Evidence(files, datetime.now(UTC).date(), max_age)


def _held(name: str, results: str) -> Held | None:
    if name == OWN:
        return _own(results)
    if name == SHIPPED:
        return places.shipped()
    if places.is_url(name):
        from probe.evidence.download import of_site  # noqa: PLC0415  # loads urllib, which other evidence does not need
        from probe.toolchain.tools import cache_root  # noqa: PLC0415  # makes the cache folder

        return of_site(name, cache_root())
    return places.of_named(name)


def _own(results: str) -> Held | None:
    if "://" not in results:
        refuse_a_file(results)
        return places.own(results)
    from probe.store.files import Place  # noqa: PLC0415  # loads pyarrow, which only URLs need

    place = Place(results)
    if not place.exists(SETTLED):
        return None
    return Held(evidence=OWN, name=f"{results}/{SETTLED}", source=place.read_bytes(SETTLED), digest=None)


def _say_newer(results: str, own: EvidenceFile | None) -> None:
    """Say how many runs of a local folder are newer than its settled cells."""
    if "://" in results:
        return
    known = {run.run_id for run in own.runs} if own is not None else set()
    written = _changed(f"{results}/{SETTLED}")
    newer = [
        name for name in _runs(results) if name.removeprefix(RUN_PREFIX) not in known or _since(results, name) > written
    ]
    if newer:
        are = "is" if len(newer) == 1 else "are"
        say(
            f"{results}: {counted(len(newer), 'run')} {are} newer than {SETTLED} and not looked at; "
            f"`probe matrix --results {results}` adds them"
        )


def _runs(results: str) -> list[str]:
    try:
        with os.scandir(results) as entries:
            return [entry.name for entry in entries if entry.name.startswith(RUN_PREFIX) and entry.is_dir()]
    except FileNotFoundError:
        return []


def _since(results: str, run: str) -> float:
    return max(_changed(f"{results}/{run}/{kind}") for kind in (TRIALS, VERDICTS))


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime  # noqa: PTH116  # one call per folder
    except OSError:
        return 0.0


def say_differing(answers: Collection[SettledCell]) -> None:
    """Say how many answers differ between evidence, and what follows."""
    if found := disagreements(answers):
        say(f"evidence disagrees on {counted(len(found), 'cell')}: the worse counts")
