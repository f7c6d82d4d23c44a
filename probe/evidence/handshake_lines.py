"""Lines of what clients sent first on connections, of the control cells of a family on an engine.

    #KEY        a handshake, with "%v" where the client's software names the version of the cell
    CELL        its handshakes, each as KEY.CONNECTION.BROKER

So releases that differ in nothing but their number share the handshakes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from probe.model.cell import Cell
from probe.model.codec import decode, to_json
from probe.model.handshake import Handshake

_BODY = "#"
"""Begins the line of a handshake."""


def handshake_lines(items: Sequence[tuple[Cell, Collection[Handshake]]]) -> Iterator[str]:
    """Yield the handshakes by key, then the cells."""
    bodies: dict[str, str] = {}
    rows = []
    for cell, sent in items:
        names = []
        for one in sent:
            body = to_json(replace(one, conn=0, broker=0, software_version=_shared(one.software_version, cell)))
            key = hashlib.sha256(body.encode()).hexdigest()[:6]
            bodies[key] = body
            names.append(f"{key}.{one.conn}.{one.broker}")
        rows.append(f"{_name(cell)}\t{' '.join(names)}")
    yield from (f"{_BODY}{key}\t{body}" for key, body in sorted(bodies.items()))
    yield from rows


def handshakes_of(lines: Sequence[str], cells: Sequence[Cell]) -> Iterator[tuple[Cell, tuple[Handshake, ...]]]:
    """Yield the handshakes of these cells. ValueError, KeyError or TypeError for lines that make no sense."""
    by_name = {_name(cell): cell for cell in cells}
    pairs = [line.split("\t", 1) for line in lines]
    bodies = {name[1:]: decode(Handshake, json.loads(rest)) for name, rest in pairs if name.startswith(_BODY)}
    for name, rest in pairs:
        if cell := by_name.get(name):
            parts = [part.split(".") for part in rest.split(" ")]
            yield cell, tuple(_own(bodies[key], cell, int(conn), int(broker)) for key, conn, broker in parts)


def _own(shared: Handshake, cell: Cell, conn: int, broker: int) -> Handshake:
    software = shared.software_version
    if software is not None:
        software = "%".join(part.replace("%v", cell.version) for part in software.split("%%"))
    return replace(shared, conn=conn, broker=broker, software_version=software)


def _shared(software: str | None, cell: Cell) -> str | None:
    return None if software is None else software.replace("%", "%%").replace(cell.version, "%v")


def _name(cell: Cell) -> str:
    return " ".join([cell.version, cell.role, cell.profile, cell.scenario, cell.broker, cell.workload])
