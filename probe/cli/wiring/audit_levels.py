"""The levels of the clients of an audit, and the cells on which they rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from probe.cells.aggregate import SettledCell
from probe.cells.audit import Fault
from probe.cells.client_levels import client_levels
from probe.cells.levels import RoleLevel
from probe.cells.own_defaults import in_defaults
from probe.cells.targets import is_scored_cell
from probe.cli.wiring.audit_requests import AuditRequest
from probe.model import Cell, Engine


def levels_in(
    asked: AuditRequest, faults: Sequence[Fault], stored: Mapping[Cell, SettledCell]
) -> tuple[RoleLevel, ...]:
    """Return what is said of each role. Defaults say nothing of a service that has settings of its own."""
    cells = _proving(asked)
    if asked.identity is None or not cells:
        return ()
    own = {} if asked.service.properties else {one: stored[one] for one in own_defaults(cells) if one in stored}
    first = asked.identity.first
    return tuple(client_levels(first.family, first.client, faults, own, cells[0].broker))


def _proving(asked: AuditRequest) -> Sequence[Cell]:
    """Return the cells that prove something of the client: its own, else those of a library that it only wraps."""
    library = asked.identity.library if asked.identity is not None else None
    application = library.application if library is not None else None
    is_proven = application is not None and application.app.is_proven_by_library
    return asked.cells or (asked.library_cells if is_proven else ())


def own_defaults(cells: Iterable[Cell]) -> Iterator[Cell]:
    """Yield the cells of the library's defaults on which findings and levels rest: these on real brokers, too."""
    for own in filter(None, map(in_defaults, cells)):
        yield own
        yield from (replace(own, engine=one) for one in Engine if one is not own.engine and is_scored_cell(own))
