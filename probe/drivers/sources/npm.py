"""Families whose versions are packages of the npm registry: each unpacked in a folder of its own, nothing installed.

A digest is npm's integrity value, `sha512-` and base64, so that lock files elsewhere can confirm it. The driver's other
dependencies (`source.extra`, `name==version sha512-...`) share one folder for all versions. The dependencies of the
library (`source.inside`) and those of one version (`versions.extra`) are in the folder of that version.
"""

from __future__ import annotations

import base64
import hashlib
import json
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from probe.catalogue.families import Family, NodeSpan, Version
from probe.catalogue.files import clients_folder
from probe.drivers.launch import Launch
from probe.drivers.sources.node_program import node
from probe.drivers.sources.npm_native import NativeBuild
from probe.errors import ProvisionError
from probe.files.atomic_writes import filling
from probe.model.versions import version_key
from probe.toolchain import npm, npm_tarballs
from probe.toolchain.cache_folders import locked
from probe.toolchain.npm_build import BUILD_S
from probe.toolchain.tools import ToolError

STAMP = "probe-stamp.json"
LOCAL = "path:"
"""Prefix of an artifact that is a checkout on this machine."""
SCRIPTS = ("src", "lib", "dist")
"""Folders of a checkout that hold what runs."""
RELEASE = re.compile(r"\d+\.\d+\.\d+")
"""Not an alpha, beta or release candidate."""
PROCESSORS = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}
"""Processors by their name in npm's packages of Node."""
QUIET_NODE = {"NODE_OPTIONS": "", "NODE_ENV": ""}
"""The user's settings for Node must not change a client under test."""


@dataclass(frozen=True, slots=True)
class Package:
    """One package in one version."""

    name: str
    version: str
    digest: str = ""
    """`sha512-...`; empty accepts any content of the registry."""

    @classmethod
    def parse(cls, text: str) -> Package:
        """Parse `name==version`, with a digest after a space if it is pinned."""
        found = re.fullmatch(r"(@?[\w./-]+)==([\w.+-]+)(?: (sha512-\S+))?", text)
        if found is None:
            raise ProvisionError(f"{text!r} is not an npm package; write name==version, or name==version sha512-...")
        return cls(found[1], found[2], found[3] or "")

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


def obtain(family: Family, version: Version, cache: Path) -> Launch:
    """Return the driver's command for this version; download it if needed.

    ProvisionError if it cannot be downloaded or does not match its digest, ToolError if there is no Node.
    """
    program = _program(family, version, cache)
    library, artifact, built = _library(family, version, cache, program)
    packages = [Package.parse(text) for text in family.source.extra]
    key = hashlib.sha256("\n".join(family.source.extra).encode()).hexdigest()[:12]
    folder = cache / "npm" / f"beside-{family.family}-{key}"
    _have(packages, folder)
    driver = clients_folder().resolve() / family.family / family.driver
    mark = version.version.partition("+local.")[2]
    argv = (str(program), str(driver), "--library", str(library), "--beside", str(folder))
    return Launch((*argv, *(("--local", mark) if mark else ())), artifact, QUIET_NODE, built)


def newest(family: Family) -> str:
    """Return the newest release in the registry. Raises ProvisionError if it does not answer or lists none."""
    found = [item for item in releases(family) if RELEASE.fullmatch(item)]
    if not found:
        raise ProvisionError(f"{family.source.name}: the npm registry lists no release of it; name a version")
    return max(found, key=version_key)


def releases(family: Family) -> list[str]:
    """Return the versions that the registry lists. Raises ProvisionError if it does not answer."""
    return npm.versions(family.source.name)


def exists(family: Family, artifact: str) -> bool:
    """Return whether the registry lists this version. Raises ProvisionError if it does not answer."""
    return artifact in npm.versions(family.source.name)


def local(family: Family, place: Path) -> Version:
    """Return the version that a checkout states, with 8 hex digits of its sources. ProvisionError without one."""
    root = place.resolve()
    try:
        stated = json.loads((root / "package.json").read_text())
    except (OSError, ValueError):
        stated = {}
    if stated.get("name") != family.source.name:
        raise ProvisionError(f"{family.family}@{LOCAL}{place}: no package {family.source.name} there; name its folder")
    digest = hashlib.sha256()
    scripts = [*root.glob("*.js"), *(path for name in SCRIPTS for path in (root / name).rglob("*.js"))]
    for path in sorted([root / "package.json", *scripts]):
        digest.update(f"\n{path.relative_to(root)}\n".encode() + path.read_bytes())
    return Version(version=f"{stated['version']}+local.{digest.hexdigest()[:8]}", artifact=f"{LOCAL}{root}")


def node_of(family: Family) -> str:
    """Return what is special about the Node that some versions need here; empty if this machine's will do."""
    for span in family.source.nodes:
        try:
            node(span.least)
        except ToolError as error:
            needed = f"Node {span.least} or newer for {span.since or 'all'} on"
            package = _packaged(span)
            return f"{needed} is taken from {package}" if package else f"{needed} is missing: {error}"
    return ""


def _program(family: Family, version: Version, cache: Path) -> Path:
    """Return the Node that a version needs: this machine's, else one of the registry. ToolError without one."""
    span = next((item for item in family.source.nodes if item.covers(version.version)), None)
    if span is None:
        return node()
    try:
        return node(span.least)
    except ToolError:
        package = _packaged(span)
        if package is None:
            raise
    folder = cache / "npm" / f"{package.name}-{package.version}"
    _have([package], folder)
    program = folder / "node_modules" / package.name / "bin" / "node"
    program.chmod(0o755)
    return program


def _packaged(span: NodeSpan) -> Package | None:
    """Return the package with a Node for this machine, if the span names one."""
    wanted = f"node-{platform.system().lower()}-{PROCESSORS.get(platform.machine(), platform.machine())}"
    return next((item for item in map(Package.parse, span.packages) if item.name == wanted), None)


def _library(family: Family, version: Version, cache: Path, program: Path) -> tuple[Path, str, Path | None]:
    """Return the folder of the library's package, built if it has compiled code, its name with digest, its place.

    The place is the folder of the cache that is this version's own; None for a checkout.
    """
    name, artifact = family.source.name, version.pinned_artifact
    if artifact.startswith(LOCAL):
        return Path(artifact.removeprefix(LOCAL)), f"checkout of {name} {version.version}", None
    library = Package(name, artifact, version.digest)
    made = NativeBuild.of(family, program)
    folder = cache / "npm" / f"{name.replace('/', '+')}-{artifact}{made.mark if made else ''}"
    beside = (*family.source.inside, *_extra(family, version))
    held = _have([library, *(Package.parse(text) for text in beside)], folder, made)
    return folder / "node_modules" / name, f"npm {name} {artifact} {held[str(library)]}", folder


def _extra(family: Family, version: Version) -> tuple[str, ...]:
    """Return the dependencies of this version; an unlisted version needs those of the next listed one."""
    key = version_key(version.version)
    after = [item for item in family.versions if version_key(item.version) >= key]
    return min(after, key=lambda item: version_key(item.version)).extra if after else version.extra


def _have(packages: Sequence[Package], folder: Path, made: NativeBuild | None = None) -> dict[str, str]:
    """Fill a folder with packages unless it holds exactly those; return their digests by `name@version`.

    The first one is built if it has compiled code.
    """
    if not packages:
        return {}
    with locked(folder, *([BUILD_S] if made else [])):
        held = _read(folder)
        if held is None or not _fits(held, packages):
            held = _fill(packages, folder, made)
    return held


def _fits(held: dict[str, str], packages: Sequence[Package]) -> bool:
    same = held.keys() == {str(item) for item in packages}
    return same and all(item.digest in {"", held[str(item)]} for item in packages)


def _fill(packages: Sequence[Package], folder: Path, made: NativeBuild | None) -> dict[str, str]:
    if made:
        made.check()
    with filling(folder) as whole:
        files = npm.pack([str(item) for item in packages], whole)
        served = {f"{name}@{version}": file for file in files for name, version in [npm_tarballs.identity(file)]}
        held = {key: _digest(file) for key, file in served.items()}
        for item in packages:
            _check(item, held.get(str(item), "nothing"))
            npm_tarballs.unpack(served[str(item)], whole / "node_modules" / item.name)
        for file in files:
            file.unlink()
        if made:
            made.build(whole / "node_modules" / packages[0].name)
        (whole / STAMP).write_text(json.dumps(held, indent=1))
    return held


def _check(package: Package, served: str) -> None:
    if served == "nothing" or package.digest not in {"", served}:
        raise ProvisionError(
            f"{package}: the npm registry served {served}, but client.toml pins {package.digest or 'this version'}; "
            "do not use it before you know why"
        )


def _digest(file: Path) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()


def _read(folder: Path) -> dict[str, str] | None:
    try:
        held = json.loads((folder / STAMP).read_text())
    except (OSError, ValueError):
        return None
    return held if isinstance(held, dict) else None
