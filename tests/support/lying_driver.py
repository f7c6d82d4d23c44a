"""librdkafka's driver with a lie; the first argument says which.

`unsent`: every seventh record is reported as acknowledged but never sent. `unreported`: it is sent, and its outcome is
never reported. `unasked`: another record is sent beside it, of the same partition or key, which nobody asked for.
`unowned`: a member of a group reports all partitions that it is assigned later on, and takes the first. `hung`: a
transaction is reported as committed whatever became of it.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
sys.path[:0] = [str(CLIENTS / "python"), str(CLIENTS / "librdkafka")]

from driver_runtime.library import Library  # noqa: E402  # the path is set above
from driver_runtime.main import main  # noqa: E402  # as above
from driver_runtime.reports import Reports  # noqa: E402  # as above
from driver_runtime.series import destination  # noqa: E402  # as above
from driver_runtime.workload import value_of  # noqa: E402  # as above

from probe.driver_contract import driver_pb2 as pb  # noqa: E402  # as above

UNSENT, UNREPORTED, UNASKED, UNOWNED, HUNG = "unsent", "unreported", "unasked", "unowned", "hung"
BEYOND = 7_000_000
"""Added to the number of a record, it is one that no trial reaches. It is a multiple of every number of keys."""


def is_false(sequence: int) -> bool:
    return sequence % 7 == 6


class Unreported:
    """The reports of an instance, without the acknowledgements of some records."""

    def __init__(self, reports: Reports) -> None:
        self._reports = reports

    def acked(self, partition: int, sequence: int, offset: int) -> None:
        if not is_false(sequence):
            self._reports.acked(partition, sequence, offset)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reports, name)


def take_the_first() -> None:
    """Let consumers take all of their first assignment, and the first partition of each later one."""
    from librdkafka_driver import consumer  # noqa: PLC0415  # the library must be on the path first

    class Lazy(consumer.Consumer):  # type: ignore[misc]  # the library has no types
        def subscribe(self, topics: list[str], *, on_assign: Any, **more: Any) -> None:
            before = 0

            def assigned(client: Any, partitions: list[Any]) -> None:
                nonlocal before
                on_assign(client, partitions)
                if before:
                    client.assign(partitions[:1])
                before += 1

            super().subscribe(topics, on_assign=assigned, **more)

    consumer.Consumer = Lazy


def loader(lie: str) -> Library:
    from librdkafka_driver import producer, transactional  # noqa: PLC0415  # the library must be on the path first
    from librdkafka_driver.library import library  # noqa: PLC0415  # as above

    class FalseReports(producer.Sender):
        def __init__(self, start: pb.Start, reports: Reports, client: Any) -> None:
            super().__init__(start, Unreported(reports) if lie == UNREPORTED else reports, client)

        def send(self, partition: int, sequence: int, clock: int) -> None:
            if lie == UNSENT and is_false(sequence):
                self._reports.sent(partition, sequence, clock)
                self._reports.acked(max(partition, 0), sequence, -1)
                self.ended(partition, sequence)
                return
            super().send(partition, sequence, clock)
            if lie == UNASKED and is_false(sequence):
                number = sequence + BEYOND
                where = destination(self._start, partition, number)
                value = value_of(self._start.instance, partition, number, clock)
                self._client.produce(self._start.topic, value.encode(), **where)

    class FalseCommits(transactional._Client):  # the driver's own, whose failures are hidden
        def commit(self) -> None:
            with contextlib.suppress(Exception):
                super().commit()

    producer.Sender = FalseReports
    if lie == UNOWNED:
        take_the_first()
    if lie == HUNG:
        transactional._Client = FalseCommits
    return library()


if __name__ == "__main__":
    chosen = sys.argv.pop(1)
    main(lambda: loader(chosen), "confluent_kafka")
