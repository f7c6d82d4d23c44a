"""Packages of Debian and its derivatives, unpacked in the cache: nothing is installed, and root is not needed.

The distribution's own tools download and unpack them, with the repositories of its own configuration. Where its lists
of packages are missing or old, current lists are kept in the cache.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from probe.errors import ProvisionError
from probe.files.atomic_writes import filling
from probe.toolchain.cache_folders import locked
from probe.toolchain.commands import run_command
from probe.toolchain.tools import ToolError, cache_root, find_tool

FETCH_S = 180
"""Longest time for the download of a program's packages, and of the lists where they are needed."""
RECORD = "packages.json"


def unpacked(packages: Sequence[str], folder: Path, *, with_needs: bool = False) -> Path:
    """Unpack packages into a folder of the cache, once for all processes; return the folder.

    `with_needs`: with the packages that the first one needs and this machine lacks. Raises ProvisionError.
    """
    with locked(folder):
        if not (folder / RECORD).is_file():
            _fill(packages, folder, with_needs=with_needs)
    return folder


def record(folder: Path) -> list[str]:
    """Return name, version, architecture and digest of every package in such a folder."""
    found: list[str] = json.loads((folder / RECORD).read_text())
    return found


def libraries(folder: Path) -> list[str]:
    """Return the folders with shared libraries in such a folder."""
    return sorted({str(path.parent) for place in ("lib", "usr/lib") for path in (folder / place).rglob("*.so*")})


def _fill(packages: Sequence[str], folder: Path, *, with_needs: bool) -> None:
    try:
        download, unpack = find_tool("apt-get"), find_tool("dpkg-deb")
    except ToolError:
        raise ProvisionError(
            f"{packages[0]} is not on this machine, and only Debian's and its derivatives' packages work without "
            f"root; install {packages[0]}"
        ) from None
    with filling(folder) as whole:
        job = _Job(packages[0], whole, time.monotonic() + FETCH_S)
        try:
            _download(job, [str(download), "-qq"], packages, with_needs=with_needs)
        except ProvisionError:
            _download(job, _with_own_lists(job, str(download)), packages, with_needs=with_needs)
        files = sorted(whole.glob("*.deb"))
        found = [f"{file.stem} sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}" for file in files]
        for file in files:
            job.run([str(unpack), "-x", file.name, "."])
            file.unlink()
        (whole / RECORD).write_text(json.dumps(found))


@dataclass(frozen=True, slots=True)
class _Job:
    """Commands for one program, which share a deadline."""

    program: str
    folder: Path
    deadline: float

    def run(self, argv: Sequence[str]) -> str:
        """Run a command and return its output. Raises ProvisionError with its first error."""
        late = ProvisionError(
            f"{self.program}: {argv[0]} was not ready after {FETCH_S} s; try again, or install {self.program}"
        )
        done = run_command(argv, max(1.0, self.deadline - time.monotonic()), late, cwd=self.folder)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.startswith("E:")] or ["no reason given"]
            raise ProvisionError(
                f"{self.program} cannot be downloaded from this distribution: {lines[0]}; install {self.program}"
            )
        return done.stdout


def _download(job: _Job, apt: Sequence[str], packages: Sequence[str], *, with_needs: bool) -> None:
    """Download package files into the job's folder."""
    wanted = list(packages)
    if with_needs:
        plan = job.run([*apt, "--simulate", "--no-install-recommends", "install", packages[0]])
        named = [line.split()[1] for line in plan.splitlines() if line.startswith("Inst ")]
        wanted += [name for name in named if name not in wanted]
    job.run([*apt, "download", *wanted])


def _with_own_lists(job: _Job, apt: str) -> list[str]:
    """Download current lists of packages into the cache; return the command that uses them."""
    place = cache_root() / "debian"
    for folder in (place / "lists" / "partial", place / "archives" / "partial"):
        folder.mkdir(parents=True, exist_ok=True)
    settings = (f"Dir::State::Lists={place / 'lists'}", f"Dir::Cache={place}", "Debug::NoLocking=1")
    command = [apt, "-qq", *(word for setting in settings for word in ("-o", setting))]
    with locked(place):
        job.run([*command, "update"])
    return command
