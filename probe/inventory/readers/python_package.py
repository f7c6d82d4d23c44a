"""An installed Python package: METADATA of `*.dist-info`, PKG-INFO of `*.egg-info`.

https://packaging.python.org/en/latest/specifications/recording-installed-packages/. Of a package from a repository the
version is what its source said, and the commit stands in direct_url.json. The librdkafka in a wheel is named by no
file: its version is read from the library that RECORD lists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import PurePath

from probe.catalogue.package_table import normal
from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.package_origins import Origin, came_from
from probe.inventory.packages import client_of
from probe.inventory.readers.librdkafka import library
from probe.inventory.shapes import table, text

HEADER = re.compile(r"^(Name|Version): *(.*)$", re.MULTILINE)
WRAPPER = "confluent-kafka"
LIBRARY = re.compile(r"^([^,\n]*\blibrdkafka[^/,\n]*\.(?:so(?:\.\d+)*|dylib|dll)),", re.MULTILINE)
LONGEST_RECORD = 8 * MIB


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the client that the package is."""
    headers = document.head.text.replace("\r\n", "\n").partition("\n\n")[0]
    values: dict[str, str] = {key: value.strip() for key, value in reversed(HEADER.findall(headers))}
    name, version = values.get("Name", ""), values.get("Version", "")
    folder = str(PurePath(document.place).parent.parent)
    inside = _library(document, f"{name} {version}", folder) if normal("pypi", name) == WRAPPER else None
    if inside is not None and inside.version:
        yield inside
        return
    unknown = _origin(document, version)
    item = client_of("pypi", name, version, place=document.at(), service=folder, unknown=unknown)
    if item is not None:
        yield item


def _origin(document: Document, version: str) -> str:
    """Return why a package from a commit, a folder, a file or an address is no release; empty if it is from an index.

    https://packaging.python.org/en/latest/specifications/direct-url/.
    """
    with document.beside("direct_url.json") as other:
        if other is None:
            return ""
        values = table(json.loads(other.text(MIB)))
    repository = table(values.get("vcs_info"))
    if repository:
        return came_from(Origin.COMMIT, says=version, commit=text(repository.get("commit_id")))
    if "dir_info" in values:
        return came_from(Origin.FOLDER, says=version)
    is_file = text(values.get("url")).startswith("file:")
    return came_from(Origin.FILE if is_file else Origin.ADDRESS, says=version)


def _library(document: Document, package: str, folder: str) -> Found | None:
    """Return the librdkafka that came with a package; None if none is listed, or it is not there."""
    with document.beside("RECORD") as record:
        listed = LIBRARY.findall(record.text(LONGEST_RECORD)) if record is not None else []
    for path in listed:
        with document.beside(f"../{path}") as shared:
            if shared is not None:
                return library(shared, document.at(), package=package, service=folder)
    return None
