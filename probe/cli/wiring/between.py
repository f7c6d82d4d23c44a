"""Answers of the releases around an unmeasured one, from evidence and the lists of releases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from probe.catalogue.families import Family
from probe.catalogue.identities import driven_as
from probe.catalogue.releases import GAPS, change_between, has_one_line, releases_of
from probe.cells.aggregate import SettledCell
from probe.cells.audit import Fault, Finding, in_plain_profile
from probe.cells.between import Between, filled
from probe.cells.cell_order import in_order
from probe.cells.harm import of_chance
from probe.cells.own_defaults import in_usual
from probe.cli.wiring.catalogue import apps
from probe.cli.wiring.family_cells import CellSource
from probe.cli.wiring.sides import AskedClient
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, Client, Engine, Role
from probe.model.profile import DEFAULT_PROFILE
from probe.model.versions import line_of, version_key
from probe.planning.reasons import unplayable

if TYPE_CHECKING:
    from probe.model.handshake import Handshake

DEEP = 2
"""Releases with many cells that are read on each side: the nearest one, and the one beyond it."""
MANY = 2
"""A release has many cells if it has one of this many of the most that a release of its family has."""

Shapes = Mapping[tuple[str, Role], frozenset[tuple[int, int]]]
"""Requests that were sent, by version and role: API keys with their versions."""


def around(counts: Mapping[str, int], version: str) -> list[str]:
    """Return the releases to read for one: on each side outward, until two of them have many cells."""
    bar = max(counts.values(), default=0) / MANY
    ordered = sorted(counts, key=version_key)
    here = version_key(version)
    sides = (
        [one for one in reversed(ordered) if version_key(one) < here],
        [one for one in ordered if version_key(one) > here],
    )
    return [one for side in sides for one in _until(side, lambda one: counts[one] >= bar)]


def measured_near(counts: Mapping[str, int], version: str, share: int) -> list[str]:
    """Return a version itself if it has many cells, else the nearest ones with many on each side, the older first.

    Many is one of `share` of the most that a release has.
    """
    bar = max(counts.values(), default=0) / share
    deep = sorted((one for one in counts if counts[one] >= bar), key=version_key)
    if version in deep:
        return [version]
    here = version_key(version)
    older, newer = ([one for one in deep if (version_key(one) > here) is is_newer] for is_newer in (False, True))
    return [*older[-1:], *newer[:1]]


def _until(side: Iterable[str], is_deep: Callable[[str], bool]) -> Iterable[str]:
    left = DEEP
    for one in side:
        yield one
        left -= is_deep(one)
        if not left:
            return


def between(
    evidence: CellSource, known: Mapping[str, Family], client: Client, stored: Iterable[SettledCell], line: str
) -> Between | None:
    """Return what answers for a release from those around it; None if its registry has no such release."""
    releases = releases_of(client.family)
    if releases.lacks(client.version) and client.family not in GAPS:
        return None
    usable = [item for item in stored if item.cell.version not in releases.withdrawn]
    differences = Differences(evidence, known[client.family], line)
    return Between(usable, of_chance(evidence.races_of({client.family})), differences, differences.has_another_library)


def with_guesses(
    evidence: CellSource,
    side: AskedClient,
    own: Mapping[Cell, SettledCell],
    wanted: Wanted,
    findings: Callable[[Iterable[Cell]], Sequence[Fault]],
) -> Sequence[Fault]:
    """Return the findings of a client's own cells, and what the releases around it say of those that it lacks.

    `own` are its answers on every line, `wanted` is what was asked about it, on one line.
    """
    known, lacks = findings(own), gaps(evidence, side, own, wanted)
    guesses = {item.cell: item for item in findings(lacks)} if lacks else {}
    every = [*known, *(guesses[cell] for cell in guesses.keys() - {item.cell for item in known})]
    around = around_cells(evidence, {side.chosen.client.family: side.chosen.family}, _open(every))
    found = {item.cell: item for item in filled(every, around.get)}
    return [found[cell] for cell in in_order(found) if cell not in guesses or found[cell].evidence is not None]


def gaps(evidence: CellSource, side: AskedClient, own: Collection[Cell], wanted: Wanted) -> set[Cell]:
    """Return the wanted cells that a client lacks and can have, and that releases around it have."""
    client, (engine,), (line,) = side.chosen.client, wanted.engine or (), wanted.broker or ()
    versions = around(evidence.counts(client.family, engine, line), client.version)
    there = evidence.questions(replace(wanted, version=versions), client.version)
    return {cell for cell in there.difference(own) if not unplayable(cell, side.chosen)}


def _open(faults: Iterable[Fault]) -> list[Cell]:
    return [item.cell for item in faults if item.finding is Finding.UNKNOWN and item.evidence is None]


def around_cells(evidence: CellSource, known: Mapping[str, Family], cells: Iterable[Cell]) -> dict[Cell, Fault]:
    """Return what the releases around say of cells without evidence, where they say anything."""
    asked: dict[tuple[Client, str, Engine], list[Cell]] = {}
    for cell in cells:
        asked.setdefault((cell.client, cell.broker, cell.engine), []).append(cell)
    read: dict[tuple[str, str, Engine], list[SettledCell]] = {}
    found: dict[Cell, Fault] = {}
    for (client, line, engine), mine in asked.items():
        key = client.family, line, engine
        if key not in read:
            every = [item for (one, *place), items in asked.items() if (one.family, *place) == key for item in items]
            read[key] = _read(evidence, every)
        one = between(evidence, known, client, read[key], line)
        answers = ((cell, one.answer(cell)) for cell in mine) if one is not None else ()
        found.update((cell, answer) for cell, answer in answers if answer is not None)
    return found


def _read(evidence: CellSource, cells: Sequence[Cell]) -> list[SettledCell]:
    """Return the answers of the releases around all of these cells, which are of one family, engine and line.

    Where the library's defaults are asked for, those of the releases themselves are among them, in the usual profile.
    """
    first = cells[0]
    counts = evidence.counts(first.family, str(first.engine), first.broker)
    asked = {cell.version for cell in cells}
    versions = {name for version in asked for name in around(counts, version)}
    plain, usual = [in_plain_profile(cell) for cell in cells], list(filter(None, map(in_usual, cells)))
    if not versions:
        return []
    found = evidence.find(replace(Wanted.of([*cells, *plain]), version=versions))
    if usual:
        found = {**found, **evidence.find(replace(Wanted.of(usual), version=versions | asked))}
    return list(found.values())


class Differences:
    """Known differences of two releases of a family, for what lies between them."""

    def __init__(self, evidence: CellSource, family: Family, line: str) -> None:
        self._family = family
        self._line = line
        self._evidence = evidence
        self._asked = cache(self._why)
        self._sent: dict[tuple[str, Engine], Shapes] = {}

    def __call__(self, cell: Cell, older: str, newer: str) -> str:
        """Return why they do not; empty if they do."""
        return self._asked(cell.version, older, newer, cell.role, cell.engine)

    def has_another_library(self, version: str, other: str) -> bool:
        """Return whether two releases of an application are known to have other libraries inside."""
        both = {_inside(self._family, one) for one in (version, other)} - {""}
        return len(both) > 1

    def _why(self, version: str, older: str, newer: str, role: Role, engine: Engine) -> str:
        releases = releases_of(self._family.family)
        own = releases.find(version)
        if own is not None and own.withdrawn:
            return f"{version} was {own.withdrawn}"
        if releases.is_older_than(version):
            return f"newer than what {releases.source} had on {releases.read}"
        return self._by_numbers(version, older, newer) or self._by_behaviour(older, newer, role, engine)

    def _by_numbers(self, version: str, older: str, newer: str) -> str:
        name = self._family.family
        if not has_one_line(name) and len({_minor(one) for one in (version, older, newer)}) > 1:
            return "of other lines"
        if line_of(older) != line_of(newer):
            return "another major version"
        change = change_between(name, older, newer)
        return f"since {change.since} {change.what}" if change else ""

    def _by_behaviour(self, older: str, newer: str, role: Role, engine: Engine) -> str:
        family = self._family
        if _inside(family, older) != _inside(family, newer):
            return "another library inside"
        if _defaults(family, older, role) != _defaults(family, newer, role):
            return "other defaults"
        sent = self._shapes(engine, (older, newer))
        if (older, role) not in sent or (newer, role) not in sent:
            return "what they send is not known"
        return "" if sent[older, role] == sent[newer, role] else "they send other requests"

    def _shapes(self, engine: Engine, versions: Collection[str]) -> Shapes:
        key = ",".join(versions), engine
        if key not in self._sent:
            wanted = Wanted(
                family=[self._family.family],
                version=versions,
                engine=[str(engine)],
                broker=[self._line],
                profile=[DEFAULT_PROFILE],
            )
            self._sent[key] = _shapes(self._evidence.handshakes(wanted))
        return self._sent[key]


def _shapes(found: Mapping[Cell, Iterable[Handshake]]) -> Shapes:
    sent: dict[tuple[str, Role], set[tuple[int, int]]] = {}
    for cell, handshakes in found.items():
        for one in handshakes:
            sent.setdefault((cell.version, cell.role), set()).update(one.versions)
    return {key: frozenset(value) for key, value in sent.items()}


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _inside(family: Family, version: str) -> str:
    """Return the library inside a release of an application, as its family or its entry says; empty if unknown."""
    found = family.find(version)
    if found is not None or not any(item.library for item in family.versions):
        return str(found.library) if found is not None and found.library else ""
    entries = driven_as(family.family, apps())
    return next((str(Client(app.family, one.library)) for app in entries if (one := app.find(version))), "")


def _defaults(family: Family, version: str, role: Role) -> tuple[object, ...]:
    """Return what client.toml knows of a version's defaults."""
    one, acks = family.behaviour, (family.behaviour.acks_one, family.behaviour.acks_none)
    return (
        family.limit(one.back_off_ms, version),
        family.limit(one.min_discovery_age_ms, version),
        tuple(span is not None and span.covers(version) for span in acks),
        tuple(item.api for item in one.unasked if item.role == role and item.covers(version)),
        one.old_requests is not None and one.old_requests.covers(version),
        one.names_node is not None and one.names_node.covers(version),
    )
