"""High-watermark lag: records in the log that consumers may not read yet. Pure.

Consumers read records below the high watermark (Kafka's Partition.scala and LogOffsetSnapshot). While a follower in
sync is late, the leader answers Fetch without an error and without records. On busy cores this may take seconds after
an election, and consumers at the right leader would seem stuck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from probe.engines.kafka.admin.requests import Partition

MIN_SAMPLE_GAP_US = 500_000
"""Minimum time between two samples of a partition, in microseconds."""

Written = Callable[[Partition], int]
"""Returns the offset of the last record that the leader accepted; negative if no records are written for consumers."""


class HighWatermarkLag:
    """Compares high watermarks with the records that were written by the previous sample."""

    def __init__(self, written: Written) -> None:
        """Start without samples."""
        self._written = written
        self._before: dict[Partition, tuple[int, int]] = {}
        """Time of the last sample in microseconds, and the last offset written by then."""

    def due(self, partition: Partition, at_us: int) -> bool:
        """Return whether a sample of a partition is due."""
        if self._written(partition) < 0:
            return False
        before = self._before.get(partition)
        return before is None or at_us - before[0] >= MIN_SAMPLE_GAP_US

    def check(self, high_watermarks: Mapping[Partition, int], at_us: int) -> Iterator[tuple[Partition, int]]:
        """Take samples; yield partitions with withheld records, with the time since the previous sample in ms.

        A record that was written by the previous sample and cannot be read now could not be read in between.
        """
        for partition, readable in high_watermarks.items():
            before = self._before.get(partition)
            if before is not None and readable <= before[1]:
                yield partition, (at_us - before[0]) // 1000
            self._before[partition] = at_us, self._written(partition)
