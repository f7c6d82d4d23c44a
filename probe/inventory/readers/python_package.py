"""An installed Python package: METADATA of `*.dist-info`, PKG-INFO of `*.egg-info`.

https://packaging.python.org/en/latest/specifications/recording-installed-packages/. Of a package from a repository the
version is what its source said, and the commit stands in direct_url.json. The librdkafka in a wheel is named by no
file: its version is read from the library that RECORD lists.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

from probe.inventory.document import MIB, Document
from probe.inventory.found import Found, Skipped
from probe.inventory.packages import client_of, conflicts, normal
from probe.inventory.readers.librdkafka import library

HEADER = re.compile(r"^(Name|Version): *(.*)$", re.MULTILINE)
WRAPPER = "confluent-kafka"
LIBRARY = re.compile(r"^([^,\n]*\blibrdkafka[^/,\n]*\.(?:so(?:\.\d+)*|dylib|dll)),", re.MULTILINE)
DIGEST = re.compile(r"^(kafka/[\w/]+\.py),sha256=([\w-]+),", re.MULTILINE)
LOOKED_AT = 50
"""Files that are compared with their digests."""
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
    commit = _commit(document)
    unknown = f"{version} is what the source at commit {commit} says, no release" if commit else ""
    item = client_of("pypi", name, version, place=document.place, service=folder, unknown=unknown)
    if isinstance(item, Found):
        item = replace(item, broken=_overwritten(document, name))
    if item is not None:
        yield item


def _overwritten(document: Document, name: str) -> str:
    """Return why a package cannot work of which another one overwrote files; empty if none did, or it is not known.

    Packages in conflict install into one folder, and RECORD has the digests of what each of them wrote.
    """
    conflict = next((one for one in conflicts() if one.ecosystem == "pypi" and normal("pypi", name) in one.names), None)
    if conflict is None:
        return ""
    with document.beside("RECORD") as record:
        listed = DIGEST.findall(record.text(LONGEST_RECORD)) if record is not None else []
    for path, digest in listed[:LOOKED_AT]:
        with document.beside(f"../{path}") as file:
            if file is not None and _digest(file.whole(MIB)) != digest:
                return f"{conflict.why} (not its own: {path})"
    return ""


def _digest(data: bytes) -> str:
    """Return the digest of a file in RECORD's form."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _commit(document: Document) -> str:
    """Return the commit that the package was installed from; empty if it was none."""
    with document.beside("direct_url.json") as other:
        if other is None:
            return ""
        values = json.loads(other.text(MIB))
    origin = values.get("vcs_info") if isinstance(values, dict) else None
    return str(origin.get("commit_id", "?")) if isinstance(origin, dict) else ""


def _library(document: Document, package: str, folder: str) -> Found | None:
    """Return the librdkafka that came with a package; None if none is listed, or it is not there."""
    with document.beside("RECORD") as record:
        listed = LIBRARY.findall(record.text(LONGEST_RECORD)) if record is not None else []
    for path in listed:
        with document.beside(f"../{path}") as shared:
            if shared is not None:
                return library(shared, document.place, package=package, service=folder)
    return None
