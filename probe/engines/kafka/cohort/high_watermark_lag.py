"""Whether brokers keep records from readers: those that were written, and that followers in sync have not got. Pure.

Readers are given what lies below the high watermark (Kafka's Partition.scala and LogOffsetSnapshot). While a follower
that is in sync is late, the leader answers every Fetch well and with nothing. On two busy cores that took 11 s after an
election: nine consumers of seventeen, all at the right leader, seemed stuck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from probe.engines.kafka.admin.requests import Partition

MIN_SAMPLE_GAP_US = 500_000
"""Between two looks."""

Written = Callable[[Partition], int]
"""Returns the offset of the last record that its leader took; negative where nobody writes there for readers."""


class HighWatermarkLag:
    """Compares what can be read now with what had been written by the last look."""

    def __init__(self, written: Written) -> None:
        """Begin with nothing seen."""
        self._written = written
        self._before: dict[Partition, tuple[int, int]] = {}
        """When it was looked at last (microseconds), and what had been written by then."""

    def due(self, partition: Partition, at_us: int) -> bool:
        """Say whether it is time to look at a partition (again)."""
        if self._written(partition) < 0:
            return False
        before = self._before.get(partition)
        return before is None or at_us - before[0] >= MIN_SAMPLE_GAP_US

    def check(self, high_watermarks: Mapping[Partition, int], at_us: int) -> Iterator[tuple[Partition, int]]:
        """Take high watermarks; yield what was kept from readers since the last look, with that time in ms.

        What was written by then, and cannot be read even now, could not be read in between.
        """
        for partition, readable in high_watermarks.items():
            before = self._before.get(partition)
            if before is not None and readable <= before[1]:
                yield partition, (at_us - before[0]) // 1000
            self._before[partition] = at_us, self._written(partition)
