"""Driver for kafka-python from 1.4.7 on and its fork kafka-python-ng, from a folder that holds one version of one."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

sys.path.pop(0)  # this folder: its modules are those of a package
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from driver_runtime.library import Library  # found by the lines above
from driver_runtime.main import main  # as above

NO_OLD_IMPORTERS = (3, 12)
"""Python 3.12 removed the importer interface (find_module) that the copy of six in kafka-python < 2.0.6 has."""


def load() -> Library:
    """Import the modules that need the library, once its folder is on the path."""
    if sys.version_info >= NO_OLD_IMPORTERS:
        _replace_six()
    from kafka_python_driver.library import library  # noqa: PLC0415  # see the docstring

    return library()


def _replace_six() -> None:
    """Replace a copy of six that this Python cannot import by the real six in the same folder."""
    package = find_spec("kafka")
    places = package.submodule_search_locations if package else None
    copies = [Path(place) / "vendor" / "six.py" for place in places or []]
    if any(copy.is_file() and "def find_spec" not in copy.read_text() for copy in copies):
        six = import_module("six")
        sys.modules["kafka.vendor.six"] = six
        sys.modules["kafka.vendor.six.moves"] = six.moves


if __name__ == "__main__":
    main(load, "kafka")
