"""Requests that brokers completed for clients, counted from their request logs by client id, broker and API.

A line is written when the answer has been sent, or its connection has ended. Requests of other brokers and of the
harness come by another listener, and do not count.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from probe.engines.kafka.cluster.java_command import keep_requests
from probe.engines.kafka.cluster.listener_security import is_of_clients
from probe.engines.kafka.cluster.nodes import Broker
from probe.errors import EngineError
from probe.protocol.log_requests import MARK, parse_line

FILE = "requests.log"
Counts = Mapping[tuple[str, int, int], int]
"""Requests by (client id, broker, API key)."""


class RequestCounts:
    """The request logs of a cluster's brokers, each read on from where it was read to before."""

    def __init__(self) -> None:
        """Begin without a broker."""
        self._files: dict[int, Path] = {}
        self._read: dict[int, int] = {}
        """Bytes that were read, by broker."""
        self._found: Counter[tuple[str, int, int]] = Counter()
        self._one_at_a_time = asyncio.Lock()

    def follow(self, broker: Broker) -> None:
        """Let a broker that is not started yet log its requests."""
        self._files[broker.node] = broker.folder / FILE
        keep_requests(broker.folder, self._files[broker.node])

    async def so_far(self) -> Counts:
        """Return the requests that are in the logs. EngineError if the brokers have none, or if one is broken."""
        if not self._files:
            raise EngineError("these brokers do not count requests by client")
        async with self._one_at_a_time:
            await asyncio.to_thread(self._read_on)
            return dict(self._found)

    def _read_on(self) -> None:
        for node, path in self._files.items():
            if not path.exists():
                continue
            with path.open("rb") as file:
                file.seek(self._read.get(node, 0))
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._read[node] = self._read.get(node, 0) + len(line)
                    self._found.update(counted(node, [line.decode(errors="replace")]))


def counted(node: int, lines: Iterable[str]) -> Counter[tuple[str, int, int]]:
    """Return the requests of clients in lines of a broker's request log. EngineError for a line that is broken.

    Where a broker was killed in the middle of a line, its next process continues that line.
    """
    found: Counter[tuple[str, int, int]] = Counter()
    for line in filter(is_of_clients, (one[max(0, one.rfind(MARK)) :] for one in lines)):
        try:
            logged = parse_line(line)
        except (ValueError, TypeError, LookupError) as error:
            raise EngineError(f"a line of broker {node}'s request log cannot be read: {error}") from None
        if logged is not None:
            found[logged.client_id, node, logged.api] += 1
    return found
