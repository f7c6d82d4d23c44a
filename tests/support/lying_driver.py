"""librdkafka's driver with false reports; the first argument says which.

Of every seventh record, `unsent`: it is reported as acknowledged but never sent; `unreported`: it is sent, and its
outcome is never reported. `hung`: a transaction is reported as committed whatever became of it.
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

from probe.driver_contract import driver_pb2 as pb  # noqa: E402  # as above

UNSENT, UNREPORTED, HUNG = "unsent", "unreported", "hung"


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
            else:
                super().send(partition, sequence, clock)

    class FalseCommits(transactional._Client):  # the driver's own, whose failures are hidden
        def commit(self) -> None:
            with contextlib.suppress(Exception):
                super().commit()

    producer.Sender = FalseReports
    if lie == HUNG:
        transactional._Client = FalseCommits
    return library()


if __name__ == "__main__":
    chosen = sys.argv.pop(1)
    main(lambda: loader(chosen), "confluent_kafka")
