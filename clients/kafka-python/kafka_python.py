"""Driver for kafka-python, 1.4.7 and later, from a folder that holds one version of it."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from driving.library import Library  # the shared code is found by the line above
from driving.main import main  # as above

NO_OLD_IMPORTERS = (3, 12)
"""Python dropped the interface of importers that the copy of six inside kafka-python < 2.0.6 has (find_module)."""


def load() -> Library:
    """Import what needs the library, once its folder stands on the path."""
    if sys.version_info >= NO_OLD_IMPORTERS:
        _replace_six()
    from kpy.library import library  # noqa: PLC0415  # see the docstring

    return library()


def _replace_six() -> None:
    """Put the real six, which lies in the same folder, in place of a copy that this Python cannot import."""
    package = find_spec("kafka")
    places = package.submodule_search_locations if package else None
    copies = [Path(place) / "vendor" / "six.py" for place in places or []]
    if any(copy.is_file() and "def find_spec" not in copy.read_text() for copy in copies):
        six = import_module("six")
        sys.modules["kafka.vendor.six"] = six
        sys.modules["kafka.vendor.six.moves"] = six.moves


if __name__ == "__main__":
    main(load, "kafka")
