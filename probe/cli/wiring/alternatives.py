"""Texts of a look-up beside the client: later releases of its application, other libraries, measured neighbours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from probe.catalogue.apps import Application
from probe.catalogue.families import Family
from probe.catalogue.identities import lists_line
from probe.catalogue.selectors import Chosen
from probe.cells.aggregate import SettledCell
from probe.cells.answer_context import Asking, Remedies
from probe.cells.audit import Fault
from probe.cells.causes import causes, is_mended_by_acks
from probe.cells.levels import RoleLevel
from probe.cells.library_changes import first_change, questions
from probe.cli.laboratory import absent_packages
from probe.cli.wiring.between import measured_near
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.evidence import Evidence
from probe.cli.wiring.sides import AskedClient
from probe.evidence.cell_choice import Wanted
from probe.model import Cell
from probe.model.roles import UNLEVELLED

Read = Callable[[Collection[Cell]], Mapping[Cell, SettledCell]]
"""Reads the answers about cells."""
USEFUL = 8
"""A release is worth a look-up if it has one of this many of the most cells that a release of its family has."""


def asking_of(
    found: Evidence,
    sides: Sequence[AskedClient],
    faults: Sequence[Fault],
    ways_out: Remedies,
    levels: Collection[RoleLevel],
) -> Asking:
    """Return what an answer says to who asked of this client, whose levels are known as far as it was measured."""
    is_measured = bool(levels) and not any(one.is_little_known for one in levels)
    library = next((side.chosen for side in sides if side.chosen.application), None)
    one = library.application if library else None
    asked = sides[0].chosen
    family, cells = (library or asked).client.family, [] if is_measured else faults[:1]
    counts = next((found.counts(family, str(item.cell.engine), item.cell.broker) for item in cells), {})
    return Asking(
        otherwise=otherwise(asked, one, unmended(faults, ways_out.mending), lambda cells: found.find(Wanted.of(cells))),
        measured="" if is_measured else to_know(asked, library, counts),
        named=lambda cell, version: _named(one, cell, version),
    )


def unmended(faults: Sequence[Fault], mending: Collection[Cell]) -> list[Cell]:
    """Return the cells that decide a level, stop or lose work, and that no later release is known to mend."""
    grave = [fault for cause in causes(faults) if cause.scored for fault in cause.faults]
    open_ones = [one for one in grave if one.cell.role not in UNLEVELLED and not is_mended_by_acks(one)]
    return [one.cell for one in open_ones if one.evidence and one.evidence.cell not in mending]


def _named(one: Application | None, cell: Cell, version: str) -> str:
    return one.app.words_of(version, one.version) if one and cell.family == one.app.family else version


def otherwise(asked: Chosen, one: Application | None, bad: Sequence[Cell], read: Read) -> str:
    """Return what may be done about cells that no later release is known to mend; empty if there are none.

    Of an application `one` it is a later release, of a library the others of its language.
    """
    if not bad:
        return ""
    if one is None:
        return other_libraries(asked, families())
    wanted = questions(one.app, one.version, bad)
    first = first_change(one.app, one.version, bad, read(wanted) if wanted else {})
    if first is None:
        return one.app.changes_of_library(one.version)
    library = f"{one.app.family} {first.library}"
    return f"suspected to: {one.app.name} {first.since}, since {library} inside it goes on there by itself"


def other_libraries(asked: Chosen, known: Mapping[str, Family]) -> str:
    """Return the other libraries of a client's language with releases that are no older than it, in words."""
    own = asked.family
    listed = own.find(asked.client.version)
    since = listed.released if listed is not None else ""
    later = [
        f"{other.family}@{other.newest.version}"
        for name, other in sorted(known.items())
        if name != own.family and own.language and other.language == own.language and other.newest.released >= since
    ]
    return f"other clients for {own.language} to look up: {', '.join(later)}" if later else ""


def to_know(asked: Chosen, library: Chosen | None, counts: Mapping[str, int]) -> str:
    """Return the look-ups of the nearest releases with many cells, and the run that measures a client; empty if none.

    Where the library inside an application is known, the releases are its own, and its release is one of them.
    `counts` are the cells of each release of that family.
    """
    of = library or asked
    near = measured_near(counts, of.client.version, USEFUL)
    if not of.application and near == [of.client.version]:
        near = []
    look_ups = ", ".join(f"`probe lookup {of.client.family}@{one}`" for one in near)
    return "; ".join([*([f"measured near it: {look_ups}"] if near else []), *_run_of(asked)])


def _run_of(asked: Chosen) -> Iterator[str]:
    if lists_line(asked) and not absent_packages():
        yield f"`probe run --client {asked.client} --baseline` measures it"
