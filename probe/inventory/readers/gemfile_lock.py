"""Gemfile.lock of Bundler (https://bundler.io/man/bundle-lock.1.html): sections with the specs that are locked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.package_origins import Origin, came_from
from probe.inventory.packages import client_of

SPEC = re.compile(r" {4}(?P<name>[\w.-]{1,200}) \((?P<version>[^()\s-]{1,100})(?:-[^()\s]{1,100})?\)")
"""A locked gem: four spaces, and a platform behind `-`. What it depends on has six spaces."""
REVISION = re.compile(r"  revision: ([0-9a-f]{7,64})")
ORIGINS = {"GIT": Origin.COMMIT, "PATH": Origin.FOLDER}


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked, each once for all its platforms."""
    section = commit = ""
    for number, line in document.lines():
        if line[:1].isupper():
            section, commit = line.strip(), ""
        if revision := REVISION.match(line):
            commit = revision[1]
        found = SPEC.fullmatch(line)
        if found is None:
            continue
        origin = ORIGINS.get(section)
        why = came_from(origin, says=found["version"], commit=commit) if origin else ""
        item = client_of("gem", found["name"], found["version"], place=document.at(number), unknown=why)
        if item is not None:
            yield item
