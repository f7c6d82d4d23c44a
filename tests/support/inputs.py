"""Captures and request logs, read for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from probe.diagnose.input.file_set import open_inputs
from probe.diagnose.observation import Connection, Left, LogZone, Wire
from probe.model import Request, Response
from probe.model.handshake import Handshake


class WholeInput:
    """Values that were read of captures."""

    def __init__(
        self,
        events: list[Wire],
        connections: dict[int, Connection],
        first: dict[int, Handshake],
        left: Sequence[Left],
        log_zone: LogZone | None = None,
    ) -> None:
        self.events, self.connections, self.handshakes = events, connections, first
        self.log_zone = log_zone
        self.left = {item.reason: item.count for item in left}

    @property
    def requests(self) -> list[Request]:
        return [event for event in self.events if isinstance(event, Request)]

    @property
    def responses(self) -> list[Response]:
        return [event for event in self.events if isinstance(event, Response)]

    @property
    def errors(self) -> list[str]:
        return [event.error for event in self.events if isinstance(event, Request | Response)]

    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.events]


def read(*paths: Path | str) -> WholeInput:
    with open_inputs([str(path) for path in paths]) as found:
        events = list(found.events())
        return WholeInput(events, found.connections, found.handshakes(), found.left(), found.log_zone)
