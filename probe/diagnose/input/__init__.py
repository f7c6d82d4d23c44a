"""Readers of what a passive observer has: captures of the network and request logs of brokers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from heapq import merge

from probe.diagnose.input.capture import CaptureInput
from probe.diagnose.input.files import STDIN, Format, InputFile
from probe.diagnose.input.ordered import by_time
from probe.diagnose.input.registry import Registry
from probe.diagnose.input.request_logs import RequestLogs
from probe.diagnose.input.spans import watched_until
from probe.diagnose.seen import Connection, Input, Left, Wire
from probe.errors import ProbeError
from probe.model.handshake import Handshake
from probe.protocol.definitions import DefinitionsError
from probe.protocol.shipped import ShippedSchemas

Progress = Callable[[int, int], None]
"""Called with the bytes that were read, and those of all files (0 = not known)."""


class Files:
    """Captures and request logs that are analysed together."""

    def __init__(self, files: Sequence[InputFile], registry: Registry, progress: Progress | None) -> None:
        self._files, self._registry, self._progress = files, registry, progress
        self.connections: dict[int, Connection] = registry.connections
        captures = [file for file in files if file.format is not Format.LOG]
        logs = [file for file in files if file.format is Format.LOG]
        self._parts: list[CaptureInput | RequestLogs] = []
        if captures:
            self._parts.append(CaptureInput(captures, registry, self._report))
        if logs:
            self._parts.append(RequestLogs(logs, registry, self._report))

    def watched(self, at: int) -> int:
        """Return up to when the files show what goes on from a time on, as far as they were read."""
        return watched_until((span for part in self._parts for span in part.spans.values()), at)

    def events(self) -> Iterator[Wire]:
        """Yield events of all connections, by time. They are read once."""
        streams = [part.events() for part in self._parts]
        yield from streams[0] if len(streams) == 1 else merge(*streams, key=by_time)
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
def open_inputs(paths: Sequence[str], *, progress: Progress | None = None) -> Iterator[Input]:
    """Open captures and request logs, `-` for standard input. ProbeError in one line for what is neither."""
    if paths.count(STDIN) > 1:
        raise ProbeError("standard input can be read once; name `-` once")
    files: list[InputFile] = []
    try:
        for path in dict.fromkeys(paths):
            files.append(InputFile(path))  # noqa: PERF401  # what was opened is closed if the next one fails
        try:
            yield Files(files, Registry(ShippedSchemas()), progress)
        except DefinitionsError as error:
            raise ProbeError(str(error)) from None
    finally:
        for file in files:
            file.close()
