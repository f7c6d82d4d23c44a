"""Findings about an application itself come before those about the library inside it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from probe.cells.aggregate import SettledCell
from probe.cells.audit import Fault, Finding, examine
from probe.model import Cell, Client, Profile

WEAKER: Mapping[Finding, Finding] = {
    Finding.FAILS: Finding.SUSPECTED,
    Finding.LIKELY_STOPS: Finding.SUSPECTED,
    Finding.LIKELY_FAILS: Finding.SUSPECTED,
    Finding.LOSES: Finding.SUSPECTED,
    Finding.LIKELY_FINE: Finding.SUSPECTED_FINE,
    Finding.PASSES: Finding.SUSPECTED_FINE,
}
"""The meaning of a library's finding for an application around it, which may retry, give up or reconnect by itself."""

Asked = tuple[str, ...]


def of_stand_in(faults: Iterable[Fault], words: str) -> tuple[Fault, ...]:
    """Return what is known of something else as what it shows of the client; `words` say what that is."""
    return tuple(
        replace(item, stand_in=_in_turn(words, item.stand_in), finding=WEAKER.get(item.finding, item.finding))
        for item in faults
        if item.evidence is not None
    )


def _in_turn(words: str, measured: str) -> str:
    """Return what stands for a client, and what was measured in place of that; empty = nothing else."""
    return f"{words}: {measured}" if measured else words


def like(relative: Client) -> str:
    """Return what another release of an application is to the one that is asked about."""
    return f"{relative}, which has the same library inside"


def of_commit(faults: Iterable[Fault], measured: Client) -> tuple[Fault, ...]:
    """Return what is measured for releases that no registry serves: it proves what they do, and says where it was."""
    words = f"measured at {measured}, since no registry serves this release"
    return tuple(replace(item, stand_in=words) for item in faults if item.evidence is not None)


def of_relative(
    cells: Iterable[Cell],
    relative: Client,
    stored: Mapping[Cell, SettledCell],
    *,
    measurable: bool,
    stands_for: bool = False,
) -> Iterator[Fault]:
    """Yield what another version with the same library inside shows of an application.

    The cells are the application's own if it is `measurable`, so that a run of them tells more; else the other's, and
    always where the other `stands_for` it.
    """
    for cell in cells:
        (item,) = examine([replace(cell, version=relative.version)], stored)
        if stands_for:
            yield from of_commit([item], relative)
        else:
            asked = cell if measurable else item.cell
            yield from of_stand_in([replace(item, cell=asked)], like(relative))


def itself_first(own: Sequence[Fault], other: Sequence[Fault], *, by_profile: bool = False) -> tuple[Fault, ...]:
    """Return the client's own answers, and those of a stand-in to the questions that have none.

    A scenario that was asked in different profiles is one question unless `by_profile`. An application has a way of its
    own to write and read, so its answer stands for every workload of the library inside. A question that neither
    answers stays the client's own.
    """
    known = {_asked(item.cell, by_profile=by_profile)[1:] for item in own if item.evidence is not None}
    works = {_place(item.cell) for item in own if item.finding is not Finding.UNKNOWN}
    helps = [
        item
        for item in other
        if _asked(item.cell, by_profile=by_profile)[1:] not in known
        and not (item.is_control and _place(item.cell) in works)
    ]
    helped = {_asked(item.cell, by_profile=by_profile) for item in helps if item.evidence is not None}
    kept = [item for item in own if item.evidence or _asked(item.cell, by_profile=by_profile) not in helped]
    asked = {_asked(item.cell, by_profile=by_profile) for item in kept}
    return (*kept, *(item for item in helps if _asked(item.cell, by_profile=by_profile) not in asked))


def same_question(one: Cell, other: Cell) -> bool:
    """Return whether two cells put the same question, to whichever client."""
    return _asked(one, by_profile=False) == _asked(other, by_profile=False)


def _asked(cell: Cell, *, by_profile: bool) -> Asked:
    profile = Profile.parse(cell.profile).name if by_profile else ""
    return (str(cell.workload), *_place(cell), cell.scenario, profile)


def _place(cell: Cell) -> Asked:
    return str(cell.role), str(cell.engine), cell.broker
