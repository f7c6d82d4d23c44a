"""Answers of settled cells about the clients of inventories: a client itself, a relative, the library inside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from probe.catalogue.releases import taken_back
from probe.catalogue.selectors import Chosen
from probe.cells.aggregate import SettledCell
from probe.cells.application_precedence import itself_first, of_relative, of_stand_in, same_question
from probe.cells.audit import BAD, TOLD, UNPROVEN, Fault, Finding, Report, Upgrade, examine
from probe.cells.audit_upgrades import first_good, upgrade, with_remedies
from probe.cells.between import filled
from probe.cells.control_cells import without_implied
from probe.cells.loss_words import as_written
from probe.cells.own_defaults import in_defaults
from probe.cells.role_levels import as_suffered
from probe.cli.wiring.alternatives import otherwise, to_know, unmended
from probe.cli.wiring.audit_levels import levels_in, own_defaults
from probe.cli.wiring.audit_requests import AuditRequest, profiles_of
from probe.cli.wiring.audit_suspicions import feared_of, lacking_defaults
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.evidence import open_evidence
from probe.model import Cell, Profile
from probe.model.versions import release_key

if TYPE_CHECKING:
    from probe.catalogue.apps import Application


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources of answers."""

    evidence: Sequence[str] | None
    """As `--evidence` names it; None = the user's own and the package's."""
    results: str
    max_age: int
    """Age in days up to which evidence shows that a client passes."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of evidence."""

    stored: Mapping[Cell, SettledCell]
    around: Mapping[Cell, Fault]
    """Findings of the releases around a cell's, for cells without evidence."""
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Cells of each release on the asked line, by the families of such cells."""


def answered(asked: Sequence[AuditRequest], sources: Sources, jobs: int | None, *, fill: bool) -> Answers:
    """Return the answers of evidence; with `fill`, cells without one are run first.

    The library's defaults answer where they were measured, in place of `isolated`.
    """
    cells = [cell for item in asked for cell in item.all_cells]
    both = [*cells, *own_defaults(cells)]

    def answers() -> Answers:
        with open_evidence(sources.evidence, sources.results, sources.max_age) as found:
            stored = found.answer(both)
            open_cells = [cell for cell in cells if cell not in stored]
            open_cells += [cell for item in asked for cell in lacking_defaults(item, stored)]
            if not open_cells:
                return Answers(stored, {})
            from probe.cli.wiring.between import around_cells  # noqa: PLC0415  # only where something is not known

            asked_of = {cell.family: (cell.family, str(cell.engine), cell.broker) for cell in open_cells}
            counts = {family: found.counts(*of) for family, of in asked_of.items()}
            return Answers(stored, around_cells(found, families(), open_cells), counts)

    if not fill:
        return answers()
    from probe.cli.wiring.missing_cells import fill_in  # noqa: PLC0415  # loads what runs need

    return fill_in(sources.results, jobs, answers, lambda stored: _missing(asked, stored))


def _missing(asked: Iterable[AuditRequest], known: Answers) -> list[Cell]:
    """Return the cells whose findings are not known in their own configuration: of the client itself, if it can be."""
    missing: dict[Cell, None] = {}
    for item in asked:
        for fault in _faults(item, known):
            if fault.finding in UNPROVEN:
                missing |= dict.fromkeys(_measured_by(fault, item))
    return [*missing]


def _measured_by(fault: Fault, asked: AuditRequest) -> list[Cell]:
    """Return the cells that answer a question: the application's own, if it can be run, else the library's."""
    wanted = asked.cells if asked.is_runnable else asked.library_cells
    return [cell for cell in wanted if same_question(cell, fault.cell)] or [fault.cell]


def _faults(asked: AuditRequest, known: Answers) -> tuple[Fault, ...]:
    """Return what is known of the client itself, then what a relative and the library inside show of it.

    An application's releases around it may have another library inside: where that is known, it tells more.
    """
    one, stored = asked.identity, known.stored
    found = examine(asked.cells, stored)
    found = without_implied(found if one and one.library else filled(found, known.around.get))
    if one and one.relative:
        kind = {"measurable": one.is_obtainable, "stands_for": one.stands_for}
        near = of_relative(asked.cells, one.relative.client, stored, **kind)
        found = itself_first(found, tuple(near))
    if one and one.library and one.library.application:
        usual = not asked.service.properties
        inside = filled(examine(asked.library_cells, stored, usual_settings=usual), known.around.get)
        inside = without_implied(inside)
        if not one.library.application.app.is_proven_by_library:
            inside = _of_library(inside, one.library)
        own = [item for item in found if asked.is_runnable or item.evidence is not None]
        found = itself_first(own, inside)
    kept = (one for one in found if asked.named or one.finding is not Finding.UNKNOWN or not one.cell.unusual)
    return as_written(kept, families())


def _of_library(faults: Iterable[Fault], library: Chosen) -> tuple[Fault, ...]:
    """Return the library's faults as what they show of the application; what is not measured stays as a question."""
    words = f"{library.client} inside it"
    held = {item.cell: item for item in of_stand_in(faults, words)}
    return tuple(held.get(item.cell, item) for item in faults)


def report(asked: AuditRequest, known: Answers) -> Report:
    """Return the findings about a client."""
    plain = _faults(asked, known)
    faults = as_suffered(plain, known.stored)
    levels = levels_in(asked, plain, known.stored)
    asked = _in_defaults(asked, faults)
    return Report(
        name=asked.service.name,
        client=asked.service.shown,
        stands_for=_stands_for(asked, faults),
        count=asked.service.count,
        faults=faults,
        upgrade=_upgrade(asked, faults, known.stored),
        problem=asked.problem,
        place=asked.service.place,
        note="; ".join(filter(None, (asked.service.note, *_taken_back(asked)))),
        levels=levels,
        suspicions=feared_of(asked, faults, known.stored, known.around),
        is_broken=bool(asked.service.broken),
    )


def with_ways_out(asked: Sequence[AuditRequest], known: Answers) -> list[Report]:
    """Return what is found about these clients, with what mends it, or what else may be done."""
    reports = with_remedies([report(item, known) for item in asked], known.stored)
    return [_with_otherwise(one, item, known) for one, item in zip(reports, asked, strict=True)]


def _with_otherwise(one: Report, asked: AuditRequest, known: Answers) -> Report:
    identity = asked.identity
    if identity is None:
        return one
    mended = {fault.evidence.cell for fault in one.faults if fault.evidence is not None and fault.mended_in}
    bad = unmended(one.of(*TOLD), mended)
    library = identity.library if identity.library is not None and identity.library.application else None
    application = library.application if library is not None else None
    counts = known.counts.get((library or identity.first).client.family, {})
    return replace(
        one,
        otherwise=otherwise(identity.first, application, bad, lambda _: known.stored),
        measured=to_know(identity.first, library, counts) if counts else "",
    )


def _in_defaults(asked: AuditRequest, faults: Iterable[Fault]) -> AuditRequest:
    """Return the request with the cells that these findings are of."""
    used = {one.cell for one in faults}

    def chosen(cells: Iterable[Cell]) -> tuple[Cell, ...]:
        return tuple(own if (own := in_defaults(cell)) in used and own else cell for cell in cells)

    return replace(asked, cells=chosen(asked.cells), library_cells=chosen(asked.library_cells))


def _taken_back(asked: AuditRequest) -> Iterator[str]:
    """Yield which release was taken back: that of the client, or that of the library inside it."""
    one = asked.identity
    for chosen in (one.itself, one.library) if one is not None else ():
        if chosen is not None and (words := taken_back(chosen.client.family, chosen.client.version)):
            yield words


def _stands_for(asked: AuditRequest, faults: Iterable[Fault]) -> str:
    """Return the client that the findings are of: the application itself, if it was measured or can be."""
    one = asked.identity
    if one is None:
        return ""
    itself = one.itself
    own = itself is not None and (one.library is None or any(item.cell.client == itself.client for item in faults))
    chosen = itself if own else one.library or itself
    return str(chosen.client) if chosen else ""


def _upgrade(asked: AuditRequest, faults: Sequence[Fault], stored: Mapping[Cell, SettledCell]) -> Upgrade | None:
    """Return the smallest upgrade by the cells of the client itself, if any of these is bad; else by the library's."""
    own = [item for item in faults if not item.stand_in]
    if not asked.library_cells or any(item.finding in BAD and item.cell in asked.cells for item in own):
        return upgrade(own, stored)
    inside = [
        replace(item, cell=cell) for item in faults for cell in asked.library_cells if same_question(cell, item.cell)
    ]
    return first_good(inside, _releases(asked, [item.cell for item in inside]), stored) or upgrade(inside, stored)


def _releases(asked: AuditRequest, cells: Sequence[Cell]) -> Iterator[tuple[str, list[Cell]]]:
    """Yield the later releases of a service's application, each with these cells in its configuration."""
    library = asked.identity.library if asked.identity else None
    own = library.application if library else None
    if own is None:
        return
    (profile,) = profiles_of(asked.service, asked.service.properties)
    later = [item for item in own.app.versions if release_key(item.since) > release_key(own.version)]
    for item in sorted(later, key=lambda one: release_key(one.since)):
        release = replace(own, version=item.since)
        yield str(release), [_in_release(cell, release, item.library, profile) for cell in cells]


def _in_release(cell: Cell, release: Application, library: str, profile: Profile) -> Cell:
    own = replace(profile, name=Profile.parse(cell.profile).name)  # a scenario may have one of its own
    return replace(cell, version=library, profile=str(release.profile(own, cell.role)))
