"""Stand-ins for a client of a look-up: the client itself, then a release like it, then the library inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from probe.catalogue.identities import Identity
from probe.catalogue.releases import not_served, taken_back
from probe.catalogue.selectors import Chosen
from probe.cells.application_precedence import itself_first, like, of_commit, of_stand_in
from probe.cells.audit import Fault
from probe.model import Client


@dataclass(frozen=True, slots=True)
class AskedClient:
    """One client whose evidence answers."""

    chosen: Chosen
    stand_in: str = ""
    """Its relation to the client that is asked about, in words, if it proves nothing about that; empty = it does."""
    instead_of: Client | None = None
    """The client that a run would measure to know it; None = this one."""

    is_proof: bool = False
    """Whether it is what is measured for a release that no registry serves."""

    has_others: bool = False
    """Whether the library inside is known, which tells more than the application's releases around this one."""

    @property
    def is_proven(self) -> bool:
        """Whether what was measured of it is a measurement of the client that is asked about."""
        return self.is_proof or not self.stand_in

    @property
    def words(self) -> str:
        """Return the client, and that it has an application's settings."""
        one = self.chosen.application
        has_own = one is not None and one.app.kind == "application"
        return f"{self.chosen.client} with its settings" if has_own else str(self.chosen.client)


def library_side(chosen: Chosen) -> AskedClient:
    """Return the side of a library, alone or inside an application or wrapper."""
    one = chosen.application
    is_proof = one is None or one.app.is_proven_by_library
    return AskedClient(chosen, "" if is_proof else f"{chosen.client} inside it")


def sides_of(identity: Identity) -> tuple[AskedClient, ...]:
    """Return what answers, the client itself first."""
    itself, relative, library = identity.itself, identity.relative, identity.library
    return (
        *([AskedClient(itself, has_others=library is not None)] if itself else []),
        *(_relative_side(relative, identity) if relative else ()),
        *([library_side(library)] if library else []),
    )


def _relative_side(relative: Chosen, identity: Identity) -> Iterator[AskedClient]:
    if identity.stands_for:
        yield AskedClient(relative, str(relative.client), is_proof=True, has_others=True)
    else:
        yield AskedClient(relative, like(relative.client), identity.measurable, has_others=True)


def answers_of(
    sides: Sequence[AskedClient], known: Callable[[AskedClient], tuple[Fault, ...]], *, by_profile: bool
) -> tuple[Fault, ...]:
    """Return what is known of the first side, then of the next ones to the questions that have no answer."""
    found: tuple[Fault, ...] = ()
    for side in sides:
        mine = known(side)
        found = itself_first(found, _of(side, mine) if side.stand_in else mine, by_profile=by_profile)
    return found


def _of(side: AskedClient, faults: Sequence[Fault]) -> tuple[Fault, ...]:
    if side.is_proof:
        return of_commit(faults, side.chosen.client)
    found = of_stand_in(faults, side.stand_in)
    one = side.instead_of
    return tuple(replace(item, cell=replace(item.cell, version=one.version)) for item in found) if one else found


def used_of(sides: Sequence[AskedClient], faults: Sequence[Fault]) -> list[str]:
    """Return the clients that answered, in words."""
    return [side.words for side in sides if _answered(side, faults)] or [sides[0].words]


def notes_of(sides: Sequence[AskedClient], faults: Sequence[Fault]) -> Iterator[str]:
    """Yield which release was taken back, and what is to be known of a library inside where it answered."""
    clients = dict.fromkeys(side.chosen.client for side in sides)
    yield from (f"  {words}" for one in clients if (words := taken_back(one.family, one.version)))
    first = sides[0].chosen.client
    yield from (f"  {words}" for words in [not_served(first.family, first.version)] if words)
    if not any(item.stand_in for item in faults):
        return
    for side in sides:
        one = side.chosen.application
        if one is None or not side.stand_in:
            continue
        inside = one.app.find(one.version)
        notes = "; ".join(filter(None, (inside.note if inside else "", one.app.note)))
        if notes:
            yield f"  {side.stand_in}: {notes}"


def _answered(side: AskedClient, faults: Sequence[Fault]) -> bool:
    return any(item.evidence and item.evidence.cell.client == side.chosen.client for item in faults)
