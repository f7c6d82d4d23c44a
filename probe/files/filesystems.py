"""Atomic writes on every file system that pyarrow knows: local folders and object stores."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
from pyarrow import fs

from probe.files.atomic_writes import beside, writing


def write_whole(system: fs.FileSystem, path: str, save: Callable[[pa.NativeFile], object]) -> None:
    """Write a file under a temporary name and rename it; its folder is made. Raises OSError."""
    place = Path(path)
    system.create_dir(os.path.dirname(path), recursive=True)  # noqa: PTH120  # object stores have paths, too
    if isinstance(system, fs.LocalFileSystem):
        with writing(place) as aside, system.open_output_stream(str(aside)) as sink:
            save(sink)
        return
    half = beside(place).as_posix()
    try:
        with system.open_output_stream(half) as sink:
            save(sink)
        system.move(half, path)
    except OSError:
        with suppress(OSError):
            system.delete_file(half)
        raise
