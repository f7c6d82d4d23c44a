"""Driver for confluent_kafka.aio, the asyncio part of confluent-kafka; shares what is librdkafka's with its driver."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.pop(0)  # this folder: its modules are those of a package
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "librdkafka"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from driver_runtime.library import Library  # found by the lines above
from driver_runtime.main import main  # as above


def load() -> Library:
    """Import the modules that need the library, once its folder is on the path."""
    from confluent_kafka_aio_driver.library import library  # noqa: PLC0415  # as the docstring says

    return library()


if __name__ == "__main__":
    main(load, "confluent_kafka")
