"""Clients that are Rust crates: one driver source, built once per version of the library.

A build has a manifest of its own: the driver's, with the library's version and the places of its sources. It begins
with the driver's lock file, so that what the version does not decide is the same in every build; `versions.extra`
(`name==version sha256:...`) are crates of which a version has others than that. The compiled dependencies of a family
share one folder in the cache.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from probe.catalogue.families import Family, Version
from probe.catalogue.files import clients_folder
from probe.catalogue.toml_file import read_toml
from probe.drivers.launch import Launch
from probe.drivers.sources.compiled_driver import LOCAL, check_digest, tags_of
from probe.errors import CatalogueError, ProvisionError
from probe.files.atomic_writes import filling
from probe.model.versions import release_of
from probe.toolchain import cargo
from probe.toolchain.cache_folders import locked
from probe.toolchain.tools import ToolError, find_tool

SHARED = "rust"
"""The folder of clients with what Rust drivers share."""
PROFILE = """
[profile.release]
opt-level = 1
debug = false
strip = true
"""
"""Builds are quick and small. As in an application's release, overflow is not checked."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A crate in one version, beside the library."""

    name: str
    version: str
    digest: str

    @classmethod
    def parse(cls, text: str) -> Pin:
        """Parse `name==version sha256:...`. ProvisionError if it is none."""
        found = re.fullmatch(r"([\w-]+)==([\w.+-]+) (sha256:[0-9a-f]{64})", text)
        if found is None:
            raise ProvisionError(f"{text!r} is not a pinned crate; write name==version sha256:...")
        return cls(found[1], found[2], found[3])


def obtain(family: Family, version: Version, cache: Path) -> Launch:
    """Build the family's driver with one version of its library, unless the cache holds it.

    ProvisionError if the version does not exist, cannot be downloaded, does not match its digest, or does not build.
    """
    try:
        folder = cache / "drivers" / family.family / f"{version.version}-{_key(family, version)}"
        with locked(cache / "crates" / family.family, wait_s=cargo.BUILD_S):
            if not folder.exists():
                folder.parent.mkdir(parents=True, exist_ok=True)
                with filling(folder) as whole:
                    _build(family, version, cache / "crates" / family.family, whole)
    except (ToolError, OSError) as error:
        raise ProvisionError(f"{family.family} {version.version}: {error}") from None
    digest = json.loads((folder / "record.json").read_text())["digest"]
    check_digest(family, version, digest)
    artifact = f"crate {family.source.name} {version.pinned_artifact} {digest}"
    return Launch((str(folder / cargo.PROGRAM),), artifact, built=folder)


def newest(family: Family) -> str:
    """Return the newest release in the registry. Raises ProvisionError if it does not answer."""
    return cargo.newest(family.source.name)


def unlisted(family: Family, after: str, before: str) -> list[str]:
    """Return the releases between two, but for yanked ones. ProvisionError if the registry does not answer."""
    return cargo.between(family.source.name, after, before)


def exists(family: Family, artifact: str) -> bool:
    """Return whether the registry has this version. Raises ProvisionError if it does not answer."""
    return cargo.serves(family.source.name, artifact)


def local(family: Family, place: Path) -> Version:
    """Return the version that a checkout states, with 8 hex digits of its sources. ProvisionError without one."""
    root = place.resolve()
    try:
        found = read_toml(root / "Cargo.toml").get("package")
    except CatalogueError:
        found = None
    stated = found if isinstance(found, Mapping) else {}
    if stated.get("name") != family.source.name or not isinstance(stated.get("version"), str):
        raise ProvisionError(f"{family.family}@{LOCAL}{place}: no crate {family.source.name} there; name its folder")
    mark = _hash([root / "Cargo.toml", *(root / "src").rglob("*.rs")], root)[:8]
    return Version(version=f"{stated['version']}+local.{mark}", artifact=f"{LOCAL}{root}")


def _driver(family: Family) -> Path:
    return clients_folder().resolve() / family.family / family.driver


def _key(family: Family, version: Version) -> str:
    root = clients_folder().resolve()
    shared = (root / SHARED).rglob("*")
    files = [path for path in (*shared, *_driver(family).rglob("*")) if path.suffix in {".rs", ".toml", ".lock"}]
    return _hash(files, root, cargo.cargo_version(), PROFILE, *tags_of(family, version), *version.extra)[:16]


def _hash(files: Iterable[Path], root: Path, *salt: str) -> str:
    digest = hashlib.sha256("\n".join(salt).encode())
    for path in sorted(files):
        digest.update(f"\n{path.relative_to(root)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def manifest(family: Family, version: Version) -> str:
    """Return the Cargo.toml of one version. ToolError if the driver's does not name the library."""
    folder = _driver(family)
    text = (folder / "Cargo.toml").read_text().replace('"../../', f'"{clients_folder().resolve()}/')
    place = version.artifact.removeprefix(LOCAL) if version.artifact.startswith(LOCAL) else ""
    wanted = f'path = "{place}"' if place else f'version = "={version.pinned_artifact}"'
    library = re.compile(rf'^({re.escape(family.source.name)} = {{ )version = "\*"', re.MULTILINE)
    text, found = library.subn(lambda match: match[1] + wanted, text)
    if not found:
        raise ToolError(f'{folder}/Cargo.toml does not name {family.source.name} with version = "*"')
    return f'{text}\n[[bin]]\nname = "{cargo.PROGRAM}"\npath = "{folder}/src/main.rs"\n{PROFILE}'


def _build(family: Family, version: Version, shared: Path, whole: Path) -> None:
    folder = shared / release_of(version.version)  # the same for every build, so that cargo knows it again
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Cargo.toml").write_text(manifest(family, version))
    shutil.copyfile(_driver(family) / "Cargo.lock", folder / "Cargo.lock")
    mark = version.version.partition("+local.")[2]
    env = {"PROBE_LOCAL": mark} if mark else {}
    for tool in family.source.needs:
        find_tool(tool)
    pins = [Pin.parse(text) for text in version.extra]
    for item in pins:
        cargo.pin(folder, item.name, item.version)
    program = cargo.build(folder, shared / "target", env, *tags_of(family, version))
    lock = (folder / "Cargo.lock").read_text()
    digest = _checksum(family.source.name, lock)
    check_digest(family, version, digest)
    for item in pins:
        check_digest(family, version.model_copy(update={"digest": item.digest}), _checksum(item.name, lock))
    shutil.copy2(program, whole / cargo.PROGRAM)
    shutil.copyfile(folder / "Cargo.lock", whole / "Cargo.lock")
    record = {"crate": family.source.name, "digest": digest, "cargo": cargo.cargo_version()}
    (whole / "record.json").write_text(json.dumps(record, indent=1) + "\n")


def _checksum(name: str, lock: str) -> str:
    """Return the digest of a crate, which cargo checked; empty for a checkout."""
    packages = tomllib.loads(lock)["package"]
    found = [item.get("checksum", "") for item in packages if item["name"] == name]
    return f"sha256:{found[0]}" if found and found[0] else ""
