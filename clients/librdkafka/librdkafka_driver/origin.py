"""The file of the C library."""

from __future__ import annotations

from pathlib import Path

import confluent_kafka

from librdkafka_driver.configuration_table import bundled


def library_file() -> Path:
    """Return the C library's file: the one of the driver's own binding, else the one next to the package."""
    bound = getattr(confluent_kafka, "LIBRARY", None)
    return bound if isinstance(bound, Path) else bundled(Path(confluent_kafka.__file__).parent)
