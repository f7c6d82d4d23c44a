"""Offsets handed to the application, and their commits."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from aiokafka import ConsumerRebalanceListener, TopicPartition
from driving.library import Stopping
from driving.reports import Reports

from aik.errors import error_of

COMMIT_S = 1.0
"""The application commits what it was given, so often."""


class Commits(ConsumerRebalanceListener):  # type: ignore[misc]  # the library has no types
    """Also the listener to rebalances, whose methods aiokafka awaits before it goes on."""

    def __init__(self, client: Any, reports: Reports, stop: Stopping) -> None:
        self._client = client
        self._reports = reports
        self._stop = stop
        self._next: dict[TopicPartition, int] = {}
        self._due = time.monotonic() + COMMIT_S

    def note(self, partition: TopicPartition, offset: int) -> None:
        """Remember the next offset of a partition."""
        self._next[partition] = offset

    async def beat(self) -> None:
        """Commit what is new, if it is time to."""
        if time.monotonic() >= self._due:
            await self._commit()
            self._due = time.monotonic() + COMMIT_S

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Report partitions given to this member."""
        self._reports.assigned([item.partition for item in assigned])

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """Commit before others take over, but not while closing: a lost coordinator must not hold the close up."""
        gone = list(revoked)
        if not self._stop.asked:
            await self._commit()
        for partition in gone:
            self._next.pop(partition, None)
        self._reports.revoked([item.partition for item in gone])

    async def _commit(self) -> None:
        new = dict(self._next)
        if not new:
            return
        try:
            await self._client.commit(new)
        except Exception as error:  # noqa: BLE001  # whatever commit() throws is what the application meets
            self._reports.commit_error(error_of(error))
            return
        for partition, offset in new.items():
            self._reports.committed(partition.partition, offset)
            if self._next.get(partition) == offset:
                del self._next[partition]
