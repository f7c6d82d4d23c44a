"""A bill of materials in SPDX 2 as tags and values (https://spdx.github.io/spdx-spec/v2.3/conformance/), by lines."""

from __future__ import annotations

from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.readers.spdx import PURL, Package, Relations, clients

BEGINS, ENDS = "<text>", "</text>"
"""Marks around a value of several lines."""
OTHER = frozenset({"FileName", "SnippetSPDXID", "LicenseID"})
"""Tags that begin something else than a package."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients among the packages."""
    packages, relations = list[Package](), Relations()
    own: Package | None = None
    for number, tag, value in _tags(document.text()):
        if tag == "PackageName":
            own = Package(number, name=value)
            packages.append(own)
        elif tag in OTHER:
            own = None
        elif tag == "Relationship":
            words = value.split()
            if len(words) == 3:
                relations.add(*words)
        elif own is not None:
            _add(own, tag, value)
    yield from clients(packages, relations, document)


def _tags(whole: str) -> Iterator[tuple[int, str, str]]:
    """Yield tags and values with their lines; of a value of several lines the first."""
    inside = False
    for number, line in enumerate(whole.splitlines(), 1):
        if not inside and not line.startswith("#"):
            tag, colon, value = line.partition(":")
            if colon:
                yield number, tag.strip(), value.strip().removeprefix(BEGINS).removesuffix(ENDS)
        opened, closed = line.rfind(BEGINS), line.rfind(ENDS)
        inside = opened > closed or (inside and closed < 0)


def _add(package: Package, tag: str, value: str) -> None:
    if tag == "SPDXID":
        package.id = value
    elif tag == "PackageVersion":
        package.version = value
    elif tag == "ExternalRef" and not package.purl:
        _, kind, locator, *_ = [*value.split(), "", "", ""]
        package.purl = locator if kind == PURL else ""
