"""Driver for kcat, a program: a child process with command line options, lines in, lines out."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.pop(0)  # this folder: its modules are those of a package
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from driver_runtime.library import Library  # found by the lines above
from driver_runtime.main import main  # as above


def load() -> Library:
    """Describe the program with the library whose folder is first on the path."""
    from kcat_driver.library import library  # noqa: PLC0415  # it runs the program

    return library(Path(sys.path[0]))


if __name__ == "__main__":
    main(load, "kcat_driver")
