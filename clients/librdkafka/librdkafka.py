"""Driver for librdkafka 2.x, through the public interface of the confluent-kafka release that bundles it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from driving.library import Library  # the shared code is found by the line above
from driving.main import main  # as above


def load() -> Library:
    """Import what needs the library, once its folder stands on the path."""
    from rdk.library import library  # noqa: PLC0415  # see the docstring

    return library()


if __name__ == "__main__":
    main(load, "confluent_kafka")
