"""Requests whose answers are awaited: one that is late is a sign of trouble (pure)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from probe.diagnose.answers import due
from probe.diagnose.event_reader import Reader
from probe.diagnose.observation import Source
from probe.model import Request
from probe.verdict.hits import SILENCE_US


class Awaited:
    """The requests of all clients, by the time at which their answers are late."""

    def __init__(self) -> None:
        self._requests: deque[tuple[int, Reader, Request]] = deque()
        self._polls: deque[tuple[int, Reader, Request]] = deque()
        """Those that brokers may keep for longer."""

    def add(self, reader: Reader, request: Request) -> None:
        """Await an answer, if its lack would be in the input: a log has finished requests only."""
        if (at := due(request)) is not None and reader.client.source is Source.CAPTURE:
            (self._requests if at - request.at <= SILENCE_US else self._polls).append((at, reader, request))

    def expire(self, now: int, watched: Callable[[int], int]) -> None:
        """Note requests that are unanswered for as long as none should be.

        `watched` says up to when the input shows what goes on from a time on: what ends with it is no silence.
        """
        for queue in (self._requests, self._polls):
            while queue and queue[0][0] <= now:
                at, reader, request = queue.popleft()
                found = reader.client.pending.get((request.conn, request.corr))
                if found is not None and found.at == request.at and at <= watched(request.at):
                    reader.silent(found, at)
