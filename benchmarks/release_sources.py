"""Released versions of client libraries as `probe check FAMILY@path:PLACE` takes them: a checkout, a wheel or a jar.

Everything comes from the cache, where provisioning puts it; nothing in the cache is changed.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from probe.catalogue.families import Family, Version
from probe.drivers.launch import Launch
from probe.drivers.provision import provision
from probe.errors import ProvisionError
from probe.toolchain.golang import go


def release_source(family: Family, version: Version, folder: Path) -> Path:
    """Return a released version as a place for `path:`; `folder` takes what must be written for it.

    ProvisionError if the version cannot be obtained, or if `path:` has no form for this kind of source.
    """
    kind = family.source.kind
    if kind not in SOURCES or family.judged_by:
        raise ProvisionError(f"{family.family} {version.version}: path: takes no {kind} of this family")
    return SOURCES[kind](provision(family, version), folder / f"{family.family}-{version.version}")


def checkout(family: Family, version: Version, folder: Path) -> Path:
    """Return a copy of a library's source that can be changed, without its tests. ProvisionError as above."""
    source = release_source(family, version, folder)
    if source.is_file():
        raise ProvisionError(f"{family.family} {version.version}: its registry serves a build, and no source")
    copy = folder / "checkout" / source.name
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__", "*_test.go"))
    for path in (copy, *copy.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)
    return copy


def _module(launch: Launch, place: Path) -> Path:
    """Return the unpacked module; one that is older than Go's modules gets the go.mod that the proxy made for it."""
    _, path, version, *_ = launch.artifact.split()
    answer = json.loads(go("mod", "download", "-json", f"{path}@{version}").stdout)
    unpacked = Path(answer["Dir"])
    if (unpacked / "go.mod").is_file():
        return unpacked
    shutil.copytree(unpacked, place, dirs_exist_ok=True)
    place.chmod(0o755)
    shutil.copyfile(answer["GoMod"], place / "go.mod")
    return place


def _wheel(launch: Launch, place: Path) -> Path:
    """Return the unpacked package, or, where a C library lies beside it, a wheel of both."""
    unpacked = Path(launch.argv[launch.argv.index("--library") + 1])
    if not list(unpacked.glob("*.libs")):
        return unpacked
    place.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.make_archive(str(place), "zip", unpacked)).replace(place.with_suffix(".whl"))


def _jar(launch: Launch, _: Path) -> Path:
    return Path(launch.argv[launch.argv.index("-cp") + 1].split(":")[0])


def _npm(launch: Launch, _: Path) -> Path:
    return Path(launch.argv[launch.argv.index("--library") + 1])


SOURCES: Mapping[str, Callable[[Launch, Path], Path]] = {
    "module": _module,
    "wheel": _wheel,
    "jar": _jar,
    "npm": _npm,
}
"""Ways by which a provisioned version becomes a place, by kind of source."""
