"""The evidence that look-ups answer from: opened, checked, and asked for settled cells."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
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
from probe.cli.wiring.newer_runs import say_newer
from probe.evidence import places
from probe.evidence.access import opened
from probe.evidence.cell_choice import Wanted
from probe.evidence.places import SETTLED, Held
from probe.evidence.reader import EvidenceFile
from probe.evidence.worth import RatedFile
from probe.model import Cell, Outcome
from probe.model.counts import counted
from probe.model.engines import REAL
from probe.model.versions import VersionKey, version_key
from probe.store.local_paths import refuse_a_file

if TYPE_CHECKING:
    from probe.model.handshake import Handshake

DEFAULT = (OWN, SHIPPED)


class Evidence:
    """Open files of evidence, in order of preference."""

    def __init__(
        self, files: Sequence[tuple[Held, EvidenceFile]], today: date, max_age: int, *, late: bool = False
    ) -> None:
        """With `late` the trials of answers may be read when one is asked for, until the evidence is closed."""
        self._files = files
        self._late = late
        self._today = today
        self._max_age = max_age
        self._origins: dict[tuple[str, str, str], Origin] = {}
        self._races: dict[str, list[SettledCell]] = {}

    @property
    def names(self) -> list[str]:
        """The files that are there, by the names of their evidence."""
        return [held.evidence for held, _ in self._files]

    def find(self, wanted: Wanted, *, facts: bool = False, late: bool = False) -> dict[Cell, SettledCell]:
        """Return the answers of all evidence about the wanted cells, with what makes too little or too much of a pass.

        Answers with few trials where chance decides say so, and those that lost records how the client writes. `late`
        is that of all answers, for these alone.
        """
        read = self._read(wanted, facts=facts, late=late or self._late)
        found = doubted(read, self.races_of({cell.family for cell in read}), self._known)

        def in_profiles(cells: Collection[Cell]) -> Collection[SettledCell]:
            return self._read(replace(Wanted.of(cells), profile=None), late=True).values()

        def on_real(cells: Collection[Cell]) -> Collection[SettledCell]:
            return self._read(replace(Wanted.of(cells), engine=REAL, broker=None), late=True).values()

        return with_kept_brokers(with_losses(found, families(), on_real, in_profiles), families())

    def each(self, wanted: Wanted, *, facts: bool = False, late: bool = False) -> list[Mapping[Cell, SettledCell]]:
        """Return the answers of each evidence, in order of preference."""
        return [self._cells(held, file, wanted, facts=facts, late=late) for held, file in self._files]

    def _read(self, wanted: Wanted, *, facts: bool = False, late: bool = False) -> dict[Cell, SettledCell]:
        return choose(self.each(wanted, facts=facts, late=late))

    def races_of(self, named: Collection[str]) -> list[SettledCell]:
        """Return the cells of families whose trials disagree."""
        for family in set(named) - self._races.keys():
            some = Wanted(family=[family], outcome=[str(Outcome.FLAKY)])
            self._races[family] = [one for cells in self.each(some, late=True) for one in cells.values()]
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
        """Return the answers to the questions of these cells about the same and later versions of their families.

        Their trials may be read until the evidence is closed.
        """
        wanted = self._later(cells)
        return self.find(replace(wanted, profile=None) if any_profile else wanted, late=True)

    def _later(self, cells: Collection[Cell]) -> Wanted:
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
        return replace(Wanted.of(cells), version=versions)

    def answer(self, cells: Collection[Cell]) -> dict[Cell, SettledCell]:
        """Return the answers about cells, about later versions, and in other profiles.

        A cell whose release line has no evidence is answered by the lines on both sides.
        """
        wanted, asked = replace(self._later(cells), profile=None), {cell.version for cell in cells}
        found = self.find(replace(wanted, version=asked))
        found.update(self.find(replace(wanted, version=frozenset(wanted.version or ()) - asked), late=True))
        if open_cells := lacking(cells, found):
            other_lines = self.find(replace(Wanted.of(open_cells), broker=None))
            found.update(from_neighbours(open_cells, other_lines.values()))
        return found

    def _cells(
        self, held: Held, file: EvidenceFile, wanted: Wanted, *, facts: bool, late: bool
    ) -> Mapping[Cell, SettledCell]:
        started = {run.run_id: run.started for run in file.runs}

        def origin(run_id: str, cell: Cell) -> Origin:
            again = file.confirmed.get((str(cell.engine), cell.family), "")
            return self._origin(held.evidence, started[run_id][:10], again[:10])

        if late and not facts and isinstance(file, RatedFile):
            return file.rated(wanted, origin)
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
def open_evidence(names: Sequence[str] | None, results: str, max_age: int, *, late: bool = False) -> Iterator[Evidence]:
    """Open the named evidence, by default the user's own and the package's. What is not there is left out.

    With `late` no answer may be used once it is closed.

    EvidenceError for a named file that is missing, and for any that is damaged. One line says if runs are newer than
    the settled cells of the results folder.
    """
    with ExitStack() as stack:
        held = [item for name in dict.fromkeys(names or DEFAULT) if (item := _held(name, results)) is not None]
        files = [(item, stack.enter_context(_opened(item))) for item in held]
        own = next((file for item, file in files if item.evidence == OWN), None)
        if OWN in (names or DEFAULT):
            say_newer(results, own)
        yield Evidence(files, datetime.now(UTC).date(), max_age, late=late)


def _opened(item: Held) -> AbstractContextManager[EvidenceFile]:
    return opened(item.source, item.name, item.digest, is_ours=item.is_ours)


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


def say_differing(answers: Collection[SettledCell]) -> None:
    """Say how many answers differ between evidence, and what follows."""
    if found := disagreements(answers):
        say(f"evidence disagrees on {counted(len(found), 'cell')}: the worse counts")
