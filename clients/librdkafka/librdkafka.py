"""Driver for librdkafka: through the confluent-kafka release that bundles it, or its C library alone by ctypes.

The latter where this Python cannot load the release's extension module, which is built for one CPython each.
"""

from __future__ import annotations

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from driving.library import Library  # the shared code is found by the line above
from driving.main import main  # as above

BINDING = Path(__file__).resolve().parent / "binding"


def load() -> Library:
    """Import what needs the library, once its folder stands on the path."""
    package = next(found for entry in sys.path if (found := Path(entry) / "confluent_kafka").is_dir())
    loads = any((package / f"cimpl{end}").is_file() for end in EXTENSION_SUFFIXES)
    return _library() if loads else load_binding()


def load_binding() -> Library:
    """Do the same with our own binding in the place of the release's Python part."""
    sys.path.insert(0, str(BINDING))
    return _library()


def _library() -> Library:
    from rdk.library import library  # noqa: PLC0415  # only now is it known which confluent_kafka is meant

    return library()


if __name__ == "__main__":
    main(load, "confluent_kafka")
