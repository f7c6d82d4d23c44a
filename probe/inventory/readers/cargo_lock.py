"""Cargo.lock (https://doc.rust-lang.org/cargo/guide/cargo-toml-vs-cargo-lock.html).

rdkafka-sys holds the source of librdkafka and names its version behind `+`. Packages without a source are those of the
project itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.package_origins import Origin, came_from
from probe.inventory.packages import client_of, concerns, known, mentions
from probe.inventory.readers.python_lock import LIMIT, line_of
from probe.inventory.shapes import tables, text

LINKED = "unless the build links another librdkafka (feature dynamic-linking)"


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked."""
    whole = document.text(LIMIT)
    packages = tables(tomllib.loads(whole).get("package")) if mentions(whole, "cargo") else ()
    own = [text(one.get("name")) for one in packages if not text(one.get("source"))]
    for one in packages:
        name, version, source = (text(one.get(key)) for key in ("name", "version", "source"))
        is_of_project = not source and known("cargo", name) is None
        if not concerns("cargo", name) or is_of_project:
            continue
        item = client_of(
            "cargo",
            name,
            version,
            place=document.at(line_of(whole, name, version)),
            service=own[0] if len(own) == 1 else "",
            unknown=_elsewhere(source, version),
        )
        if isinstance(item, Found) and item.selector:
            item = replace(item, note=LINKED)
        if item is not None:
            yield item


def _elsewhere(source: str, version: str) -> str:
    if not source:
        return came_from(Origin.FOLDER, says=version)
    if source.startswith("git+"):
        return came_from(Origin.COMMIT, says=version, commit=source.rpartition("#")[2])
    return ""
