"""Stored captures of trials, as somebody would have recorded them who stopped at the end of the trial's window."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from probe.diagnose.input.file_set import open_inputs
from probe.model import History, Request
from probe.verdict.timeline import EventIndex, find_timeline

ENHANCED, STATISTICS, END_TIME = 6, 5, 3
"""Types of blocks, and the option isb_endtime."""


def write_window(capture: bytes, history: History, path: Path) -> int:
    """Write what a capture holds up to the end of a trial's window; return that time, in microseconds since 1970.

    The file says when it ends, as those of dumpcap do. Raises ValueError for the capture of another trial.
    """
    path.write_bytes(capture)
    until = find_timeline(history.header, EventIndex(history.events)).until + _ahead(path, history)
    path.write_bytes(b"".join(_until(capture, until)) + _end(until))
    return until


def _ahead(path: Path, history: History) -> int:
    """Return by how many microseconds the clock of a capture is ahead of that of a history."""
    known = {(e.client_id, e.api, e.corr): e.at for e in reversed(history.events) if isinstance(e, Request)}
    with open_inputs([str(path)]) as found:
        for event in found.events():
            if isinstance(event, Request) and (at := known.get((event.client_id, event.api, event.corr))) is not None:
                return event.at - at
    raise ValueError(f"{path} is no capture of {history.header.cell}")


def _until(capture: bytes, until: int) -> Iterator[bytes]:
    """Yield the blocks without later packets."""
    p = 0
    while p < len(capture):
        kind, size = struct.unpack_from("<II", capture, p)
        high, low = struct.unpack_from("<II", capture, p + 12) if kind == ENHANCED else (0, 0)
        if high << 32 | low <= until:
            yield capture[p : p + size]
        p += size


def _end(until: int) -> bytes:
    high, low = divmod(until, 1 << 32)
    body = struct.pack("<IIIHHIIHH", 0, high, low, END_TIME, 8, high, low, 0, 0)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", STATISTICS) + size + body + size
