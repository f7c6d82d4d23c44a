"""The head of an upgrade of brokers: the clients that do not work with the new ones at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probe.cells.citations import cited
from probe.cells.control_cells import Barred
from probe.model import Cell


def control_lines(controls: Sequence[Cell], closed: Sequence[Barred], results: str) -> Iterator[str]:
    """Yield the clients that do not work, then how many of the known control cells work."""
    for item in closed:
        cell = item.control.cell
        extra = f"{'' if cell.profile == 'isolated' else f' {cell.profile}'}{cell.unusual}"
        yield (
            f"{'fails':<10} {cell.client} {cell.role}{extra} does not work with Kafka {cell.broker}: "
            f"{item.why}; {item.way_out}"
        )
        yield f"           {cited(cell, item.control, results)}"
    if controls:
        works = len(controls) - len(closed)
        yield f"{'works':<10} {works} of {len(controls)} roles of clients work with Kafka {controls[0].broker}"
