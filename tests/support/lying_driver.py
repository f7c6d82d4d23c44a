"""librdkafka's driver with a false report: every seventh record is reported as acknowledged but never sent."""

from __future__ import annotations

import sys
from pathlib import Path

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
sys.path[:0] = [str(CLIENTS / "python"), str(CLIENTS / "librdkafka")]

from driver_runtime.library import Library  # noqa: E402  # the path is set above
from driver_runtime.main import main  # noqa: E402  # as above


def load() -> Library:
    from librdkafka_driver import producer  # noqa: PLC0415  # the library must be on the path first
    from librdkafka_driver.library import library  # noqa: PLC0415  # as above

    class FalseReports(producer.Sender):
        def send(self, partition: int, sequence: int, clock: int) -> None:
            if sequence % 7 != 6:
                super().send(partition, sequence, clock)
                return
            self._reports.sent(partition, sequence, clock)
            self._reports.acked(partition, sequence, -1)
            self.ended(partition)

    producer.Sender = FalseReports
    return library()


if __name__ == "__main__":
    main(load, "confluent_kafka")
