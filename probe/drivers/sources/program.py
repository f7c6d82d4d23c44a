"""Programs of this machine's distribution that run with a shared library from a wheel: kcat on librdkafka.

The program is the one on PATH. If there is none, it comes from the distribution's packages, unpacked in the cache
(`probe/toolchain/debian.py`). The release of the library is chosen by us. A version of such a family is the program's
version, a dash, and the library's. Its digest is that of the wheel with the library.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import replace
from pathlib import Path

from probe.catalogue.families import Family, Version
from probe.drivers.launch import Launch
from probe.drivers.sources import wheel
from probe.errors import ProvisionError
from probe.files.atomic_writes import filling
from probe.toolchain import debian
from probe.toolchain.cache_folders import locked
from probe.toolchain.commands import run_command

REPORT_S = 60
SONAME = {"confluent-kafka": "librdkafka.so.1"}
"""The name under which programs load the library of a wheel."""


def obtain(family: Family, version: Version, cache: Path) -> Launch:
    """Return the command of the program with this release of its library. Raises ProvisionError."""
    launch = wheel.obtain(_of_library(family), version, cache, alone=False)
    folder = Path(launch.argv[launch.argv.index("--library") + 1])
    program, name, libraries = _program(family, cache)
    links = _links(family.source.library, folder, cache)
    env = {"PROBE_PROGRAM": str(program), "PROBE_PROGRAM_LIBRARIES": os.pathsep.join([str(links), *libraries])}
    return replace(launch, artifact=f"{name}; {launch.artifact}", env={**launch.env, **env})


def newest(family: Family) -> str:
    """Return the newest release of the library's wheel. Raises ProvisionError if the registry does not answer."""
    return wheel.newest(_of_library(family))


def releases(family: Family) -> list[str]:
    """Return the releases of the library that have wheels. ProvisionError if the registry does not answer."""
    return wheel.releases(_of_library(family))


def exists(family: Family, artifact: str) -> bool:
    """Return whether the library has such a wheel. Raises ProvisionError if the registry does not answer."""
    return wheel.exists(_of_library(family), artifact)


def identify(family: Family, artifact: str, cache: Path) -> Version:
    """Run the program with a library that is not pinned, and return the version that both report."""
    launch = obtain(family, Version(version=artifact), cache)
    late = ProvisionError(f"{family.family}: its driver reported nothing within {REPORT_S} s; try again")
    done = run_command([*launch.argv, "--report"], REPORT_S, late, env={**os.environ, **launch.env})
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ProvisionError(f"{family.family} does not run with {family.source.library} {artifact}: {last[:200]}")
    return Version(version=done.stdout.strip(), artifact=artifact)


def _of_library(family: Family) -> Family:
    """Return the family with the library's wheels as its source."""
    source = family.source.model_copy(update={"kind": "wheel", "name": family.source.library, "extra": ()})
    return family.model_copy(update={"source": source})


def _program(family: Family, cache: Path) -> tuple[Path, str, list[str]]:
    """Return the program, its name with digest, and folders of shared libraries that came with it."""
    name = family.source.name
    if found := shutil.which(name):
        return Path(found), f"program {name} of this machine sha256:{_sha256(Path(found))}", []
    folder = debian.unpacked([name, *family.source.extra], cache / "programs" / name)
    artifact = f"packages {', '.join(debian.record(folder))}"
    return folder / "usr" / "bin" / name, artifact, debian.libraries(folder)


def _links(library: str, folder: Path, cache: Path) -> Path:
    """Return a folder in which the wheel's library has the name under which programs load it."""
    links = cache / "programs" / f"{folder.name}-links"
    found = sorted(path for path in folder.rglob("librdkafka*") if ".so" in path.name)
    if not found:
        raise ProvisionError(f"{folder.name} holds no {SONAME[library]}; choose another version")
    with locked(links):
        if not (links / SONAME[library]).exists():
            with filling(links) as whole:
                for neighbour in found[0].parent.glob("*.so*"):
                    name = SONAME[library] if neighbour == found[0] else neighbour.name
                    (whole / name).symlink_to(neighbour)
    return links


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
