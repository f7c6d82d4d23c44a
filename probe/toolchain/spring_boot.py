"""Writes spring_boot.toml of the catalogue: the kafka-clients that each release of Spring Boot manages.

    python -m probe.toolchain.spring_boot

It reads the pom of each release of spring-boot-dependencies from the Maven registry, one after the other with a pause.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

from probe.catalogue.files import data_file
from probe.model.versions import release_key
from probe.toolchain.maven_registry import Coordinate, download, versions

GROUP, ARTIFACT = "org.springframework.boot", "spring-boot-dependencies"
FIRST = "2.1"
"""Boot manages kafka-clients since before; older releases are out of use."""
RELEASE = r"\d+\.\d+\.\d+(\.RELEASE)?"
MANAGED = r"<kafka\.version>\s*(\d[\w.-]*)\s*</kafka\.version>"
PAUSE_S = 0.2
"""Between two questions to the registry."""
HEAD = """\
# The kafka-clients that each release of Spring Boot manages: kafka.version in the pom of
# org.springframework.boot:spring-boot-dependencies. Written by `python -m probe.toolchain.spring_boot`, which read the
# pom of every release; those in between two ends of a line all have the same.

versions = [
"""


def spans(libraries: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield first and last release and library, in the order of releases; a span never leaves its minor line."""
    ordered = sorted(libraries, key=release_key)
    for (_, library), group in groupby(ordered, key=lambda one: (_line(one), libraries[one])):
        releases = list(group)
        yield releases[0], releases[-1], library


def _line(release: str) -> str:
    return ".".join(release.split(".")[:2])


def table(libraries: Mapping[str, str]) -> str:
    """Return the file's text."""
    rows = []
    for since, until, library in spans(libraries):
        last = f' until = "{until}",' if until != since else ""
        rows.append(f'    {{ since = "{since}",{last} library = "{library}" }},\n')
    return f"{HEAD}{''.join(rows)}]\n"


def releases_of(versions: Iterable[str]) -> list[str]:
    """Return the releases that the table has, without milestones and candidates."""
    wanted = (one for one in versions if re.fullmatch(RELEASE, one))
    return sorted((one for one in wanted if release_key(one) >= release_key(FIRST)), key=release_key)


def managed(pom: str) -> str:
    """Return the version of kafka-clients that a pom manages; empty if it names none."""
    found = re.search(MANAGED, pom)
    return found[1] if found else ""


def _read() -> Iterator[tuple[str, str]]:
    for release in releases_of(versions(GROUP, ARTIFACT)):
        with tempfile.TemporaryDirectory() as scratch:
            pom = download(Coordinate(GROUP, ARTIFACT, release, "pom"), Path(scratch))
            if library := managed(pom.read_text()):
                yield release, library
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    data_file("spring_boot.toml").write_text(table(dict(_read())))
