"""Offsets of records that were delivered to the application and are not committed yet."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from driver_runtime.reports import Reports

COMMIT_S = 1.0
"""Seconds between commits of the application."""


class Deliveries:
    """The next offset per partition; a partition is an object of the library with a number `partition`."""

    def __init__(self, reports: Reports) -> None:
        self.any = False
        """Whether any record was delivered."""
        self._reports = reports
        self._next: dict[Any, int] = {}
        self._due = time.monotonic() + COMMIT_S

    def note(self, partition: Any, offset: int) -> None:
        """Keep the next offset of a partition."""
        self.any = True
        self._next[partition] = offset

    def is_due(self) -> bool:
        """Return whether a commit is due."""
        return time.monotonic() >= self._due

    def schedule(self) -> None:
        """Make the next commit due after `COMMIT_S`."""
        self._due = time.monotonic() + COMMIT_S

    def uncommitted(self) -> dict[Any, int]:
        """Return the next offsets of all partitions with new records."""
        return dict(self._next)

    def committed(self, offsets: dict[Any, int]) -> None:
        """Report offsets as committed; offsets that moved on since stay uncommitted."""
        for partition, offset in offsets.items():
            self._reports.committed(partition.partition, offset)
            if self._next.get(partition) == offset:
                del self._next[partition]

    def begin(self, partitions: Iterable[Any]) -> None:
        """Drop what an earlier assignment delivered of partitions that are assigned, if no revocation came between."""
        for partition in partitions:
            self._next.pop(partition, None)

    def forget(self, partitions: Iterable[Any]) -> None:
        """Drop partitions that were revoked, and report that."""
        gone = list(partitions)
        for partition in gone:
            self._next.pop(partition, None)
        self._reports.revoked([item.partition for item in gone])
