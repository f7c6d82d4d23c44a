"""librdkafka's driver with a lie: each seventh record is reported as acknowledged and was never sent."""

from __future__ import annotations

import sys
from pathlib import Path

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
sys.path[:0] = [str(CLIENTS / "python"), str(CLIENTS / "librdkafka")]

from driver_runtime.library import Library  # noqa: E402  # found by the line above
from driver_runtime.main import main  # noqa: E402  # as above


def load() -> Library:
    from librdkafka_driver import producer  # noqa: PLC0415  # needs the library on the path
    from librdkafka_driver.library import library  # noqa: PLC0415  # as above

    class Lying(producer.Sender):
        def send(self, partition: int, sequence: int, clock: int) -> None:
            if sequence % 7 != 6:
                super().send(partition, sequence, clock)
                return
            self._reports.sent(partition, sequence, clock)
            self._reports.acked(partition, sequence, -1)
            self.ended(partition)

    producer.Sender = Lying
    return library()


if __name__ == "__main__":
    main(load, "confluent_kafka")
