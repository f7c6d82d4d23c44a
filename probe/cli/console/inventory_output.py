"""Lines that say what each file of an inventory was taken for, and what was left out and why."""

from __future__ import annotations

from collections.abc import Iterator

from probe.inventory.found import Reading
from probe.model.counts import counted


def reading_lines(reading: Reading) -> Iterator[str]:
    """Yield one line for a file that was read, and one for what was skipped of it or of a folder."""
    if reading.taken_for and not reading.problem:
        yield f"{reading.place}: {reading.taken_for}, {counted(len(reading.found), 'client')}"
    elif reading.problem and not reading.named:
        yield f"{reading.place}: {f'{reading.taken_for}, ' if reading.taken_for else ''}not read: {reading.problem}"
    yield from (f"{reading.place}: skipped {item}" for item in reading.skipped)
