"""Captures and request logs that are analysed together: which files they are, and their events in order of time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC
from heapq import merge
from types import MappingProxyType

from probe.diagnose.input.capture import CaptureInput
from probe.diagnose.input.duplicates import counted_once
from probe.diagnose.input.event_order import by_time
from probe.diagnose.input.files import STDIN, Format, InputFile
from probe.diagnose.input.log_lines import Line, read_lines
from probe.diagnose.input.log_zone import ASSUMED, names_no_zone, zone_by_capture
from probe.diagnose.input.registry import Registry
from probe.diagnose.input.request_logs import RequestLogs
from probe.diagnose.input.spans import watched_until
from probe.diagnose.observation import Connection, Input, Left, LogZone, Wire
from probe.errors import ProbeError
from probe.model.handshake import Handshake
from probe.protocol.definitions import DefinitionsError
from probe.protocol.shipped_definitions import ShippedSchemas

Progress = Callable[[int, int], None]
"""Called with the bytes that were read, and those of all files (0 = not known)."""


class Files:
    """Captures and request logs that are analysed together."""

    def __init__(
        self, files: Sequence[InputFile], registry: Registry, progress: Progress | None, zone: LogZone | None
    ) -> None:
        self._files, self._registry, self._progress = files, registry, progress
        self.connections: dict[int, Connection] = registry.connections
        self.names: Mapping[bytes, str] = registry.names
        self.nodes: Mapping[str, int] = registry.nodes
        self.among_brokers: Collection[tuple[str, str]] = registry.among_brokers
        self.log_zone = zone
        captures, logs = by_kind(files)
        self._parts: list[CaptureInput | RequestLogs] = []
        if captures:
            self._parts.append(CaptureInput(captures, registry, self._report))
        if logs:
            self._parts.append(RequestLogs(logs, registry, self._report, UTC if zone is None else zone.zone))

    def watched(self, at: int) -> int:
        """Return up to when the files show what goes on from a time on, as far as they were read."""
        return watched_until((span for part in self._parts for span in part.spans.values()), at)

    def events(self) -> Iterator[Wire]:
        """Yield events of all connections, by time. They are read once."""
        streams = [part.events() for part in self._parts]
        if len(streams) == 1:
            yield from streams[0]
        else:
            yield from counted_once(merge(*streams, key=by_time), self.connections)
        self._report()

    def handshakes(self) -> dict[int, Handshake]:
        """Return what each connection sent first."""
        return self._registry.handshakes | {
            conn: one for part in self._parts for conn, one in part.handshakes().items()
        }

    def left(self) -> tuple[Left, ...]:
        """Return what was not decoded."""
        return self._registry.left()

    def _report(self) -> None:
        if self._progress is not None:
            known = all(file.size for file in self._files)
            self._progress(
                sum(file.done for file in self._files), sum(file.size for file in self._files) if known else 0
            )


@contextmanager
def open_inputs(
    paths: Sequence[str],
    *,
    progress: Progress | None = None,
    log_zone: LogZone | None = None,
    names: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Input]:
    """Open captures and request logs, `-` for standard input. ProbeError in one line for what is neither.

    `names` are shown in place of paths. `log_zone` is that of logs whose time stamps name none; None = that which a
    capture shows, or UTC.
    """
    if paths.count(STDIN) > 1:
        raise ProbeError("standard input can be read once; name `-` once")
    files: list[InputFile] = []
    try:
        for path in dict.fromkeys(paths):
            files.append(InputFile(path, names.get(path, "")))  # noqa: PERF401  # what was opened is closed if the next one fails
        try:
            yield Files(files, Registry(ShippedSchemas()), progress, _zone(files, log_zone))
        except DefinitionsError as error:
            raise ProbeError(str(error)) from None
    finally:
        for file in files:
            file.close()


def by_kind(files: Sequence[InputFile]) -> tuple[list[InputFile], list[InputFile]]:
    """Return the captures, and the request logs."""
    logs = [file for file in files if file.format is Format.LOG]
    return [file for file in files if file.format is not Format.LOG], logs


def _zone(files: Sequence[InputFile], asked: LogZone | None) -> LogZone | None:
    """Return the zone of the logs; None without one, or if their time stamps name it."""
    captures, logs = by_kind(files)
    if not any(names_no_zone(file.head) for file in logs):
        return None
    if asked is not None:
        return asked
    found = _shown(captures, logs) if captures and all(file.regular for file in files) else None
    return found or ASSUMED


def _shown(captures: Sequence[InputFile], logs: Sequence[InputFile]) -> LogZone | None:
    """Return the zone that captures show. They are read a second time in part, the logs as far as needed."""
    again = [file.again() for file in captures]
    try:
        events = CaptureInput(again, Registry(ShippedSchemas()), lambda: None).events()
        return zone_by_capture(events, lambda: _lines(logs))
    finally:
        for file in again:
            file.close()


def _lines(logs: Sequence[InputFile]) -> Iterator[Line]:
    for log in logs:
        again = log.again()
        try:
            yield from read_lines(again)
        finally:
            again.close()
