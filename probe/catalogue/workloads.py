"""Which applications work in which way."""

from __future__ import annotations

from probe.catalogue.selectors import Chosen
from probe.model import Cell, Workload
from probe.model.workloads import reason_against


def unworked(chosen: Chosen, cell: Cell) -> str:
    """Return why a client has no cells with this workload; empty if it has."""
    if reason := reason_against(cell.workload, cell.role):
        return reason
    if chosen.family.judged_by and cell.workload is not Workload.CONTINUOUS:
        return f"{cell.family} is an application, which decides by itself how it sends records"
    return ""
