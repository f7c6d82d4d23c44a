"""Where the C library that is driven comes from."""

from __future__ import annotations

from pathlib import Path

import confluent_kafka

from rdk.native import bundled


def library_file() -> Path:
    """Return the C library's file: the one our binding loaded, else the one beside the package."""
    bound = getattr(confluent_kafka, "LIBRARY", None)
    return bound if isinstance(bound, Path) else bundled(Path(confluent_kafka.__file__).parent)
