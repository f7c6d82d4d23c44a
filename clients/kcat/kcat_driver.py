"""Driver for kcat, the command, as an application: a child process with options of its own, lines in, lines out."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from driving.library import Library  # the shared code is found by the line above
from driving.main import main  # as above


def load() -> Library:
    """Describe the program with the library whose folder stands first on the path."""
    from kct.program import library  # noqa: PLC0415  # it runs the program

    return library(Path(sys.path[0]))


if __name__ == "__main__":
    main(load, "kct")
