"""The choice between the Python part of a confluent-kafka release and the driver's own binding."""

from __future__ import annotations

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from driver_runtime.library import Library

BINDING = Path(__file__).resolve().parents[1] / "binding"


def load() -> Library:
    """Import the modules that need the library, once its folder is on the path."""
    package = next(found for entry in sys.path if (found := Path(entry) / "confluent_kafka").is_dir())
    loads = any((package / f"cimpl{end}").is_file() for end in EXTENSION_SUFFIXES)
    return _library() if loads else load_binding()


def load_binding() -> Library:
    """Do the same with the driver's own binding in place of the release's Python part."""
    sys.path.insert(0, str(BINDING))
    return _library()


def _library() -> Library:
    from librdkafka_driver.library import library  # noqa: PLC0415  # the choice of confluent_kafka is made above

    return library()
