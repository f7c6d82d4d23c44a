"""Lines that say what each file of an inventory was taken for, and what was left out and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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


def unread_files(readings: Iterable[FileContent]) -> str:
    """Return which of the named files cannot be read, and why, as one line; empty if all were read."""
    unread = [reading for reading in readings if reading.named and reading.problem]
    if len(unread) > 1:
        return f"{len(unread)} of the named files cannot be read: {', '.join(reading.place for reading in unread)}"
    return f"{unread[0].place}: {unread[0].problem}" if unread else ""


def none_named(readings: Iterable[FileContent]) -> str:
    """Return that no client was found: nowhere, or only in what could be read."""
    held = list(readings)
    unread = sum(len(one.unread) for one in held) + sum(bool(one.taken_for and one.problem) for one in held)
    if unread:
        files = f"{counted(unread, 'file')} that may name one {'was' if unread == 1 else 'were'} not read"
        return f"no Kafka client is named in what was read; {files} (above); docs/audit.md lists the formats"
    return "no Kafka client is named there; docs/audit.md lists the formats that are read"
