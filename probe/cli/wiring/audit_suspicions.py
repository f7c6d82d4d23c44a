"""Suspicions of an audit: what releases around a service's client suffer with the library's defaults."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from probe.cells.audit import Fault
from probe.cells.loss_words import as_written
from probe.cells.suspicions import suspicions, unmeasured
from probe.cli.wiring.audit_requests import AuditRequest
from probe.cli.wiring.catalogue import families
from probe.model import Cell
from probe.model.engines import DEFAULT_ENGINE


def lacking_defaults(asked: AuditRequest, known: Collection[Cell]) -> list[Cell]:
    """Return the asked scenarios in which a library was not measured with its defaults; with other settings, none."""
    identity = asked.identity
    one = None if identity is None else identity.relative if identity.stands_for else identity.itself
    if one is None or asked.service.properties or not asked.cells or asked.cells[0].engine is not DEFAULT_ENGINE:
        return []
    places = {(cell.role, cell.scenario) for cell in asked.cells}
    found = unmeasured(one.family, one.client.version, {role for role, _ in places}, known, asked.cells[0].broker)
    return [cell for cell in found if (cell.role, cell.scenario) in places]


def feared_of(
    asked: AuditRequest, faults: Iterable[Fault], known: Collection[Cell], around: Mapping[Cell, Fault]
) -> tuple[Fault, ...]:
    """Return the stops and losses that releases around a client have in what it lacks."""
    cells = lacking_defaults(asked, known) if around else []
    written = as_written((around[cell] for cell in cells if cell in around), families())
    return suspicions(cells, {one.cell: one for one in written}.get, faults)
