"""Lines that say what each file of an inventory was taken for, and what was left out and why."""

from __future__ import annotations

from collections.abc import Iterator

from probe.inventory.entries import FileContent
from probe.model.counts import counted


def reading_lines(reading: FileContent, *, alone: bool) -> Iterator[str]:
    """Yield one line for a file, and one for everything that was skipped of it or of a folder.

    A file that is named alone and cannot be read has its line at the end of the command.
    """
    if reading.taken_for and not reading.problem:
        yield f"{reading.place}: {reading.taken_for}, {counted(len(reading.found), 'client')}"
    elif reading.problem and not (reading.named and alone):
        yield f"{reading.place}: {f'{reading.taken_for}, ' if reading.taken_for else ''}not read: {reading.problem}"
    yield from (f"{reading.place}: skipped {item}" for item in reading.skipped)
