"""Cells of the releases near one that answer whether it may switch to the consumer protocol."""

from __future__ import annotations

from collections.abc import Mapping

from probe.cells.aggregate import SettledCell
from probe.cells.protocol_switch import SWITCHING, Near, measured
from probe.cli.wiring.between import around
from probe.cli.wiring.family_cells import CellSource
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, Client, Engine
from probe.model.profile import CONSUMER_PROTOCOL


def near(evidence: CellSource, client: Client, engine: Engine) -> Near:
    """Return the cells of the releases around it that were measured with the protocol, until two of each side tell."""
    wanted = Wanted(family=[client.family], role=[*SWITCHING], engine=[str(engine)], profile=[CONSUMER_PROTOCOL])
    counts = measured(evidence.find(wanted).values())
    versions = [version for version in around(counts, client.version) if version != client.version]
    return {version: _cells(evidence, client.family, version, engine) for version in versions}


def _cells(evidence: CellSource, family: str, version: str, engine: Engine) -> Mapping[Cell, SettledCell]:
    """Return all cells of a release as a member of a group: harm of the classic protocol is compared with."""
    return evidence.find(Wanted(family=[family], version=[version], role=[*SWITCHING], engine=[str(engine)]))
