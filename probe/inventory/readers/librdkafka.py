"""The shared library librdkafka, by the number that its version function returns."""

from __future__ import annotations

from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Place
from probe.inventory.programs import LARGEST_LIBRARY, librdkafka_versions
from probe.inventory.text import one_line

NOTE = "by the version function in its bytes"


def read(document: Document) -> Iterator[Found]:
    """Yield the library."""
    yield library(document, document.at())


def library(document: Document, place: Place, *, package: str = "librdkafka", service: str = "") -> Found:
    """Return the client that a shared library is; `package` is what it came with."""
    versions = sorted(librdkafka_versions(document.seekable(LARGEST_LIBRARY)))
    known = versions[0] if len(versions) == 1 else ""
    unsure = f"its bytes fit {' and '.join(versions)}" if versions else "no version function is found in its bytes"
    return Found(
        service=one_line(service),
        package=one_line(package),
        client="librdkafka",
        version=known,
        unknown="" if known else unsure,
        place=place,
        note=NOTE if known else "",
    )
