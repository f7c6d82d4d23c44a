"""gradle.lockfile (https://docs.gradle.org/current/userguide/dependency_locking.html)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.packages import client_of

TEST = re.compile(r"(^test|Test)(?![a-z])")
"""The word in the name of a configuration: `testRuntimeClasspath`, `integrationTestCompileClasspath`."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked: `group:artifact:version=configuration,configuration`."""
    for number, line in document.lines():
        artifact, equals, configurations = line.strip().partition("=")
        parts = artifact.split(":")
        if line.startswith("#") or not equals or len(parts) != 3:
            continue
        item = client_of("maven", ":".join(parts[:2]), parts[2], place=document.at(number))
        if isinstance(item, Found) and all(map(TEST.search, configurations.split(","))):
            item = Skipped(f"{item.package} {item.version}", f"only for tests ({configurations})")
        if item is not None:
            yield item
