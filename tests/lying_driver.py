"""librdkafka's driver with a lie: each seventh record is reported as acknowledged and was never sent."""

from __future__ import annotations

import sys
from pathlib import Path

CLIENTS = Path(__file__).resolve().parents[1] / "clients"
sys.path[:0] = [str(CLIENTS / "python"), str(CLIENTS / "librdkafka")]

from driving.library import Library  # noqa: E402  # the shared code is found by the line above
from driving.main import main  # noqa: E402  # as above


def load() -> Library:
    from rdk import producer  # noqa: PLC0415  # needs the library on the path
    from rdk.library import library  # noqa: PLC0415  # as above

    class Lying(producer.Sending):
        def send(self, partition: int, sequence: int, clock: int) -> None:
            if sequence % 7 != 6:
                super().send(partition, sequence, clock)
                return
            self._reports.sent(partition, sequence, clock)
            self._reports.acked(partition, sequence, -1)
            self.ended(partition)

    producer.Sending = Lying
    return library()


if __name__ == "__main__":
    main(load, "confluent_kafka")
