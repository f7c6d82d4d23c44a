"""Writes data/released/ of the catalogue: every release that registries serve of the clients with drivers.

    python -m probe.toolchain.registry_releases [FAMILY ...]

Of each family from its oldest listed version on. A release stays in the file when its registry stops to list it, with
its date. What no registry says comes from client.toml (dates), or from `data/released/dates.toml`.
"""

from __future__ import annotations

import json
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast

from probe.catalogue.families import Family, read_families
from probe.catalogue.files import clients_folder, data_file
from probe.errors import ProvisionError
from probe.inventory.programs import librdkafka_versions
from probe.model.versions import version_key
from probe.toolchain import pip
from probe.toolchain.release_lists import Release, dated, of_registry

FOLDER = data_file("released")
REGISTRIES: Mapping[str, str] = {
    "module": "the Go module proxy, also by exact number (go list -m -retracted)",
    "wheel": "PyPI (pip index versions; dates and yanked releases as uv locks them)",
    "npm": "the npm registry (npm view)",
    "jar": "Maven Central (maven-metadata.xml)",
    "crate": "crates.io (the index that cargo fetches)",
}
INSIDE = "librdkafka"
"""The family whose wheels have numbers of their own."""


def text_of(family: Family, found: Iterable[Release], day: str, artifacts: Mapping[str, str]) -> str:
    """Return the file of a family; `artifacts` are the packages' numbers where these differ."""
    command = f"python -m probe.toolchain.registry_releases {family.family}"
    head = f"# Releases of {family.source.name}. Written by `{command}`.\n\n"
    rows = "".join(f"    {{ {', '.join(_pairs(one, artifacts))} }},\n" for one in found)
    return f'{head}read = "{day}"\nsource = "{REGISTRIES[family.source.kind]}"\nreleases = [\n{rows}]\n'


def _pairs(one: Release, artifacts: Mapping[str, str]) -> Iterator[str]:
    artifact = artifacts.get(one.version, one.version)
    values = {
        "version": one.version,
        "artifact": artifact if artifact != one.version else "",
        "released": one.released,
        "withdrawn": one.withdrawn,
    }
    yield from (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items() if value)


def with_older(found: Iterable[Release], before: Iterable[Mapping[str, str]]) -> list[Release]:
    """Return what a registry has now, and what the file had that it does not list any more."""
    kept = {
        row["version"]: Release(row["version"], row.get("released", ""), row.get("withdrawn", "")) for row in before
    }
    kept |= {one.version: one for one in dated(list(found), {name: one.released for name, one in kept.items()})}
    return sorted(kept.values(), key=lambda one: version_key(one.version))


def write(family: Family, day: str) -> int:
    """Write the file of a family and return its number of releases. ProvisionError if its registry does not answer."""
    source, file = family.source, FOLDER / f"{family.family}.toml"
    oldest = min((item.pinned_artifact for item in family.versions), key=version_key)
    pinned = [item.pinned_artifact for item in family.versions]
    found = of_registry(source.kind, source.name, _first_of(source.name, oldest), pinned)
    if source.old_name:
        old = of_registry(source.kind, source.old_name, oldest, [source.old_until])
        found = [one for one in old if version_key(one.version) <= version_key(source.old_until)] + found
    inside = _libraries(family, found)
    found = [replace(one, version=inside.get(one.version, one.version)) for one in found]
    listed = {item.version: item.released for item in family.versions} | dict(_dates(family.family))
    before = tomllib.loads(file.read_text())["releases"] if file.is_file() else []
    every = dated(with_older(found, before), listed)
    file.write_text(text_of(family, every, day, {library: artifact for artifact, library in inside.items()}))
    return len(every)


def _first_of(name: str, oldest: str) -> str:
    """Return the first version to ask for: of a Go module of a later major version, its first one."""
    major = name.rpartition("/v")[2]
    return f"{major}.0.0" if major.isdecimal() and version_key(oldest) < version_key(major) else oldest


def _dates(family: str) -> Mapping[str, str]:
    """Return the dates of releases that no registry tells, each list with its source in the file."""
    return {
        version: str(day) for version, day in tomllib.loads((FOLDER / "dates.toml").read_text()).get(family, {}).items()
    }


def _libraries(family: Family, found: Iterable[Release]) -> dict[str, str]:
    """Return the librdkafka inside each wheel, by the wheel's number; empty for other families."""
    if family.family != INSIDE:
        return {}
    known = {item.pinned_artifact: item.version for item in family.versions}
    return {one.version: known.get(one.version) or _inside(family, one.version) for one in found}


def _inside(family: Family, artifact: str) -> str:
    """Return the version that the library inside a wheel reports, by its bytes; the wheel's own where none is read."""
    key = version_key(artifact)
    fits = (span for span in family.source.pythons if span.covers(artifact) and key)
    python = next((span.python for span in fits), "")
    with tempfile.TemporaryDirectory(prefix="wheel-") as scratch:
        try:
            (wheel,) = pip.download([f"{family.source.name}=={artifact}"], Path(scratch), python)
        except ProvisionError:
            return artifact
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if "librdkafka" in name:
                    with archive.open(name) as file:
                        versions = librdkafka_versions(cast("BinaryIO", file))
                    return versions.pop() if len(versions) == 1 else artifact
    return artifact


def main() -> None:
    """Write the files of the named families, or of all that have one."""
    known = read_families(clients_folder())
    day = datetime.now(UTC).date().isoformat()
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or sorted(file.stem for file in FOLDER.glob("*.toml") if file.stem in known):
        try:
            sys.stdout.write(f"{name}: {write(known[name], day)} releases\n")
        except ProvisionError as error:
            sys.stdout.write(f"{name}: {error}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
