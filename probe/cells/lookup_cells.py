"""The cells of evidence that a look-up asks about, by its options. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from probe.catalogue.families import Family
from probe.catalogue.selectors import Chosen, own_profile
from probe.cells.aggregate import SettledCell
from probe.cells.audit import BAD, Fault, examine
from probe.cells.cell_order import in_order
from probe.cells.lines import completed
from probe.model import CONTROL, Cell, Profile, Role
from probe.model.profile import DEFAULT_PROFILE, named_profile
from probe.scenarios.own_profiles import profile_of, with_own


def fitting(
    cells: Iterable[Cell], asked: Chosen, profile: str | None, scenarios: Sequence[str] | None
) -> Iterator[Cell]:
    """Yield the cells that are asked about. Control cells have the profiles of the scenarios that they stand for."""
    controls: list[Cell] = []
    profiles: set[tuple[str, Role, str]] = set()
    for cell in cells:
        if cell.scenario == CONTROL:
            controls.append(cell)
        elif _matches(cell, scenarios) and _fits(cell, asked, profile):
            profiles.add((cell.version, cell.role, cell.profile))
            yield cell
    for cell in controls:
        if (cell.version, cell.role, cell.profile) in profiles or _fits(cell, asked, profile):
            yield cell


def examined(
    own: Iterable[Cell],
    known: Mapping[Cell, SettledCell],
    asked: Chosen,
    line: str,
    profile: str | None = None,
    scenarios: Sequence[str] | None = None,
) -> tuple[Fault, ...]:
    """Return the finding for every cell that is asked about on a release line, from what is known of the client."""
    cells = in_order({as_asked(cell, asked, line) for cell in fitting(own, asked, profile, scenarios)})
    return examine(cells, completed(cells, known), usual_settings=True)


def _fits(cell: Cell, asked: Chosen, profile: str | None) -> bool:
    """Return whether a cell has a profile that is asked about, with or without the settings of the application."""
    if asked.application is None:
        return _in_profile(cell, cell.profile, asked, profile)
    own = Profile.parse(cell.profile)
    plain = own.plain()
    settings = {plain, asked.application.profile(plain, cell.role)}
    return asked.application.plays(cell.role) and own in settings and _in_profile(cell, str(plain), asked, profile)


def _in_profile(cell: Cell, plain: str, asked: Chosen, profile: str | None) -> bool:
    if profile is not None:
        return plain == profile or fnmatchcase(plain, profile)
    return plain in {DEFAULT_PROFILE, str(_own_profile(cell, asked.family))}


def _own_profile(cell: Cell, family: Family) -> Profile:
    """Return the profile with which a run plays the cell's scenario, with the scenario's own keys."""
    name = own_profile(profile_of(cell.scenario), family, cell.version, cell.role)
    return with_own(cell.scenario, Profile(name or DEFAULT_PROFILE))


def in_usual_profile(cell: Cell, family: Family) -> Cell:
    """Return a cell in the profile with which a run plays its scenario."""
    return replace(cell, profile=str(_own_profile(cell, family)))


def shown_profiles(profile: str | None, faults: Iterable[Fault]) -> str:
    """Return the profiles that are asked about, in words."""
    if profile is not None:
        return f"profile {profile}"
    own = sorted({named_profile(item.cell.profile) for item in faults} - {""})
    more = f", {' and '.join(own)} where it is the scenario's own" if own else ""
    return f"profile {DEFAULT_PROFILE}{more}"


def _matches(cell: Cell, scenarios: Sequence[str] | None) -> bool:
    return not scenarios or any(fnmatchcase(cell.scenario, glob) for glob in scenarios)


def is_asked(fault: Fault, scenarios: Sequence[str] | None) -> bool:
    """Return whether a fault is shown: a control cell that was not asked for only if it fails."""
    return _matches(fault.cell, scenarios) or fault.finding in BAD


def as_asked(cell: Cell, asked: Chosen, line: str) -> Cell:
    """Return the cell on a release line, with the settings of the application."""
    own = replace(cell, broker=line)
    if asked.application is None:
        return own
    return replace(own, profile=str(asked.application.profile(Profile.parse(cell.profile).plain(), cell.role)))
