"""Local replacements for a wheel: a wheel file, a checkout of a Python library, or a build of librdkafka."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from probe.errors import ProvisionError

LIBRARY = re.compile(r"librdkafka[^/+]*\.(so|dylib)[.\d]*$")
"""The C library's file, not the file of its C++ interface."""
BINDING = "confluent_kafka"
"""The package of which only the C library is driven; an empty one makes the driver use its own binding."""
NOT_THE_LIBRARY = re.compile(r"^(tests?|docs?|examples?|benchmarks?|scripts|tools|build|dist|\..*)$")


def lay_out(place: Path, whole: Path, unpack: Callable[[Path, Path], None]) -> None:
    """Fill a folder as with a wheel. Raises ProvisionError if `place` holds nothing that can be driven."""
    if place.suffix == ".whl" and place.is_file():
        unpack(place, whole)
    elif library := _library(place):
        (whole / BINDING).mkdir()
        (whole / f"{BINDING}.libs").mkdir()
        shutil.copyfile(library, whole / f"{BINDING}.libs" / library.name)
    else:
        for package in _packages(place):
            shutil.copytree(package, whole / package.name, ignore=shutil.ignore_patterns("__pycache__"))


def mark(whole: Path) -> str:
    """Return 8 hex digits of a hash of a folder's content."""
    digest = hashlib.sha256()
    for path in sorted(item for item in whole.rglob("*") if item.is_file()):
        digest.update(f"\n{path.relative_to(whole)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:8]


def _library(place: Path) -> Path | None:
    """Return the C library: `place` itself, or a file in that folder or built checkout."""
    if place.is_file():
        return place.resolve() if LIBRARY.search(place.name) else None
    for folder in (place, place / "src", place / "lib", place / "build" / "src"):
        found = sorted(item for item in folder.glob("librdkafka*") if LIBRARY.search(item.name) and item.is_file())
        if found:
            return found[0].resolve()
    return None


def _packages(place: Path) -> list[Path]:
    for root in (place / "src", place):
        found = [item.parent for item in root.glob("*/__init__.py") if not NOT_THE_LIBRARY.match(item.parent.name)]
        if found:
            return sorted(found)
    raise ProvisionError(
        f"path:{place}: neither a wheel, nor a checkout with a Python package, nor librdkafka's library; name one"
    )
