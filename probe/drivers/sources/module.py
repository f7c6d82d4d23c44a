"""Clients that are Go modules: one driver source, built once per version of the library."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path
from typing import Any

from probe.catalogue.families import Family, Version
from probe.drivers.launch import Launch
from probe.drivers.sources.compiled_driver import LOCAL, check_digest, tags_of
from probe.errors import ProvisionError
from probe.model.versions import release_of, version_key
from probe.toolchain.commands import run_command
from probe.toolchain.golang import PROGRAM, SHIM, build, building, complaint, go, go_version, source_hash
from probe.toolchain.tools import ToolError

TAG = r"^v(\d+\.\d+\.\d+)$"
FOLDER = r"@v(\d+\.\d+\.\d+)$"
"""The folder of an unpacked archive of the registry: `sarama@v1.43.3`."""
ABSENT = re.compile(r"unknown revision|: 40[34]\b|: 410\b|no matching versions|invalid version|malformed")
"""Messages of go about a version that the module proxy does not serve; some proxies answer 403 for one."""
UNREACHED = "the Go module proxy cannot be asked; check the network and GOPROXY, or name a version that is in the cache"
GIT_S = 30
PATCHES = 8
"""Patch releases of a line to look for where the last is unknown."""
HEADING = r"^(?:#+ .*?|v)(\d+\.\d+\.\d+)"
"""The newest version in a change log: `## Version 1.2.3 (date)`, or `v1.2.3` underlined."""


def obtain(family: Family, version: Version, cache: Path) -> Launch:
    """Build the family's driver with one version of its library, unless the cache holds it.

    ProvisionError if the version does not exist, cannot be downloaded, does not match its digest, or does not build.
    """
    try:
        modfile = _modfile(family, version)
        salt = go_version() + modfile + "".join(tags_of(family, version))
        key = source_hash(f"cmd/{family.driver}", "internal/driver", "internal/driverpb", salt=salt)
        folder = cache / "drivers" / family.family / f"{version.version}-{key}"
        with building(folder) as scratch:
            if scratch is not None:
                _build(family, version, modfile, scratch)
    except (ToolError, OSError) as error:
        raise ProvisionError(f"{family.family} {version.version}: {error}") from error
    digest = json.loads((folder / "record.json").read_text())["digest"]
    check_digest(family, version, digest)
    artifact = f"module {_module(family, version)} {digest}"
    return Launch(argv=(str(folder / PROGRAM),), artifact=artifact, built=folder)


def newest(family: Family) -> str:
    """Return the newest release that the registry lists. Raises ProvisionError if it does not answer."""
    try:
        return max(_listed(family.source.name), key=version_key)
    except ProvisionError as error:
        raise ProvisionError(f"{family.family}@latest: {error}; name a version instead") from None


def releases(family: Family) -> list[str]:
    """Return the releases that the registry lists, under both names of a module that moved. It serves more than those.

    Raises ProvisionError if it does not answer.
    """
    old, until = family.source.old_name, family.source.old_until
    moved = [item for item in _listed(old) if version_key(item) <= version_key(until)] if old else []
    return moved + [item for item in _listed(family.source.name) if item not in moved]


def unlisted(family: Family, after: str, before: str) -> list[str]:
    """Return releases between two that the registry serves but may not list; likely numbers are tried.

    Raises ProvisionError without Go.
    """
    wanted = [_module(family, Version(version=item)).replace(" ", "@") for item in between(after, before)]
    template = "{{if not .Error}}{{.Version}}{{end}}"
    try:
        done = go("list", "-mod=mod", "-m", "-e", "-f", template, *wanted) if wanted else None
    except ToolError as error:
        raise ProvisionError(str(error)) from None
    return [item.removeprefix("v") for item in done.stdout.split()] if done else []


def between(after: str, before: str) -> list[str]:
    """Return possible releases between two: every patch number, up to `PATCHES` where the last is unknown."""
    found = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", item) for item in (after, before)]
    low, high = (tuple(map(int, match.groups())) if match else None for match in found)
    if low is None or high is None or low[0] != high[0] or high[1] - low[1] > PATCHES:
        return []
    patches = {minor: range(PATCHES) for minor in range(low[1], high[1])} | {high[1]: range(high[2])}
    patches[low[1]] = range(low[2] + 1, high[2] if low[1] == high[1] else low[2] + 1 + PATCHES)
    return [f"{low[0]}.{minor}.{patch}" for minor in sorted(patches) for patch in patches[minor]]


def _listed(path: str) -> list[str]:
    try:
        done = go("list", "-mod=mod", "-m", "-versions", path)
    except ToolError as error:
        raise ProvisionError(str(error)) from None
    listed = [item.removeprefix("v") for item in done.stdout.split()[1:]]
    found = [item for item in listed if re.fullmatch(r"\d+\.\d+\.\d+", item)]
    if done.returncode or not found:
        reason = complaint(done) if done.returncode else "it lists no release"
        raise ProvisionError(f"the registry did not list the versions of {path}: {reason}")
    return found


def exists(family: Family, version: str) -> bool:
    """Return whether the registry serves a version; it serves more than it lists.

    ProvisionError without Go, and where the module proxy does not answer.
    """
    if family.find(version):
        return True
    path, at = _module(family, Version(version=version)).split()
    try:
        done = go("list", "-mod=mod", "-m", f"{path}@{at}")
    except ToolError as error:
        raise ProvisionError(f"{family.family} {version}: {error}") from None
    if done.returncode and not ABSENT.search(done.stderr):
        raise ProvisionError(f"{family.family} {version}: {UNREACHED}: {complaint(done)}")
    return done.returncode == 0


def local(family: Family, checkout: Path) -> Version:
    """Return the version of a checkout: from its tag, folder or change log, with 8 hex digits of its content.

    Raises ProvisionError if it holds no Go module.
    """
    root = checkout.resolve()
    if not (root / "go.mod").is_file():
        raise ProvisionError(f"{family.family}@path:{checkout}: no go.mod there; name the root of a Go module")
    digest = hashlib.sha256()
    for path in sorted([*root.rglob("*.go"), root / "go.mod"]):
        digest.update(f"\n{path.relative_to(root)}\n".encode() + path.read_bytes())
    return Version(version=f"{_reported(root)}+local.{digest.hexdigest()[:8]}", artifact=f"{LOCAL}{root}")


def _reported(root: Path) -> str:
    """Return the release of a checkout, or the one before it; not every change log is kept up to date."""
    log = root / "CHANGELOG.md"
    sources = (_tag(root), root.name, log.read_text() if log.is_file() else "")
    for pattern, text in zip((TAG, FOLDER, HEADING), sources, strict=True):
        if found := re.search(pattern, text, re.MULTILINE):
            return found[1]
    return "0.0.0"


def _tag(root: Path) -> str:
    if not (root / ".git").exists():
        return ""
    command = ["git", "-C", str(root), "describe", "--tags", "--abbrev=0"]
    try:
        return run_command(command, GIT_S).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _module(family: Family, version: Version) -> str:
    """Return `path version` in Go's notation; projects that moved serve old versions under their old path."""
    source = family.source
    if version.artifact.startswith(LOCAL):
        return version.artifact.removeprefix(LOCAL)
    artifact = version.pinned_artifact
    moved = bool(source.old_until) and version_key(artifact) <= version_key(source.old_until)
    return f"{source.old_name if moved else source.name} v{artifact}"


def _modfile(family: Family, version: Version) -> str:
    """Return the go.mod of one version: the driver's own pins, and the library, perhaps under its old path."""
    shim = (SHIM / "go.mod").read_text()
    head = re.findall(r"^(?:module|go) .*$", shim, re.MULTILINE)
    pins = re.findall(r"^\s+(google\.golang\.org/\S+ v\S+)", shim, re.MULTILINE)
    pins += [item.replace("==", " ") for item in (*family.source.extra, *version.extra)]
    wanted = _module(family, version)
    path = family.source.name
    # A replaced module is never downloaded, so its version may be any that its path allows.
    required = wanted if wanted.startswith(f"{path} ") else f"{path} v{release_of(version.version)}"
    lines = [*head, "require (", *(f"\t{item}" for item in [required, *pins]), ")"]
    if wanted != required:
        lines.append(f"replace {path} => {wanted}")
    return "\n".join(lines) + "\n"


def _build(family: Family, version: Version, modfile: str, scratch: Path) -> None:
    fetched, goes_by = _fetch(family, version)
    check_digest(family, version, fetched)
    replaced = _replacements(goes_by) if family.source.own_replacements else []
    (scratch / "go.driver.mod").write_text("\n".join([modfile, *replaced, ""]))
    # Checksums of the driver's own pins; those of the library's dependencies are checked by Go's own configuration.
    (scratch / "go.driver.sum").write_bytes((SHIM / "go.sum").read_bytes())
    mark = version.version.partition("+local.")[2]
    variables = {"main.local": mark} if mark else {}
    build(
        f"./cmd/{family.driver}",
        scratch / PROGRAM,
        modfile=scratch / "go.driver.mod",
        tags=tags_of(family, version),
        variables=variables,
        cgo=family.source.cgo,
    )
    record = {"module": _module(family, version), "digest": fetched, "go": go_version()}
    (scratch / "record.json").write_text(json.dumps(record, indent=1) + "\n")


def _fetch(family: Family, version: Version) -> tuple[str, Path]:
    """Download the module; return its `h1:` digest, empty for a checkout, and its go.mod."""
    if version.artifact.startswith(LOCAL):
        return "", Path(version.artifact.removeprefix(LOCAL), "go.mod")
    path, at = _module(family, version).split()
    done = go("mod", "download", "-json", f"{path}@{at}")
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        answer = {"Error": complaint(done)}
    if reason := answer.get("Error"):
        line = str(reason).strip().splitlines()[-1].strip()
        raise ToolError(f"{path}@{at} cannot be fetched: {line}; choose a version that `{family.source.name}` has")
    return str(answer["Sum"]), Path(answer.get("GoMod", ""))


def _replacements(modfile: Path) -> list[str]:
    """Return the `replace` lines of a go.mod. Replacements by a folder hold in its own repository only."""
    done = go("mod", "edit", "-json", str(modfile))
    if done.returncode:
        raise ToolError(f"{modfile} cannot be read: {complaint(done)}")
    pairs = [(item["Old"], item["New"]) for item in json.loads(done.stdout).get("Replace") or []]
    return [f"replace {_named(old)} => {_named(new)}" for old, new in pairs if new.get("Version")]


def _named(module: dict[str, str]) -> str:
    return f"{module['Path']} {module.get('Version', '')}".strip()
