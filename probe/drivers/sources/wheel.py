"""Families whose versions are wheels in the Python package registry: each version in a folder of its own.

A wheel's digest is that of one file, and a version has a file per Python and machine. Digests in client.toml are those
of the pure wheel, or of CPython 3.11 on Linux x86_64 (PINNED). A file for any other machine is recorded when it is
first fetched, and named with its digest in every run's artifacts.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path

from probe.catalogue.families import Family, Version
from probe.drivers.launch import Launch, ProvisionError
from probe.drivers.sources import pip
from probe.drivers.sources.place import filling, locked

PINNED = re.compile(r"-none-any\.whl$|-cp311-cp311-manylinux[^-]*x86_64[^-]*\.whl$")
"""Files that the digests of client.toml are about."""
CLIENTS = Path(__file__).resolve().parents[3] / "clients"
"""Where drivers lie, unless PROBE_CLIENTS says otherwise."""
STAMP = "probe-stamp.json"
REPORT_S = 60
"""A driver that only prints its library's version is given so long."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a filled folder holds."""

    file: str
    """Name of the wheel."""
    digest: str
    """`sha256:` and its hex digest."""
    machine: str
    """Python and platform that it was chosen for."""
    extra: tuple[str, ...]
    """Further requirements that lie in the same folder."""


def obtain(family: Family, version: Version, cache: Path) -> Launch:
    """Return how to drive this version, fetching it if it is not there. ProvisionError if it cannot be had."""
    folder = _folder(family, version.pinned_artifact, cache)
    with locked(folder):
        stamp = _read(folder)
        if stamp is None or not _fits(stamp, family, version):
            stamp = _fill(family, version, folder)
    artifact = f"wheel {family.source.name} {version.pinned_artifact} {stamp.digest} {stamp.file}"
    return Launch((sys.executable, str(_driver(family)), "--library", str(folder)), artifact)


def newest(family: Family) -> str:
    """Return the newest artifact version in the registry. ProvisionError if it cannot be asked."""
    return pip.versions(family.source.name)[0]


def exists(family: Family, artifact: str) -> bool:
    """Say whether the registry has this version of the artifact for us. ProvisionError if it cannot be asked."""
    return artifact in pip.versions(family.source.name)


def identify(family: Family, artifact: str, cache: Path) -> Version:
    """Fetch an artifact that is not pinned and ask the library in it for its own version."""
    launch = obtain(family, Version(version=artifact), cache)
    try:
        done = subprocess.run(
            [*launch.argv, "--report"],
            capture_output=True,
            text=True,
            timeout=REPORT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise ProvisionError(f"{family.family} {artifact}: its driver said nothing within {REPORT_S} s") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ProvisionError(f"{family.family} {artifact} cannot be loaded by this Python: {last[:200]}")
    stamp = _read(_folder(family, artifact, cache))
    digest = stamp.digest if stamp else ""
    reported = done.stdout.strip()
    return Version(version=reported, artifact=artifact if artifact != reported else "", digest=digest)


def _fill(family: Family, version: Version, folder: Path) -> Stamp:
    name, artifact = family.source.name, version.pinned_artifact
    with filling(folder) as whole:
        files = pip.download([f"{name}=={artifact}", *family.source.extra], _sub(whole, ".files"))
        main = next(file for file in files if _normal(file.name.split("-")[0]) == _normal(name))
        stamp = Stamp(main.name, f"sha256:{_sha256(main)}", _machine(), family.source.extra)
        if not _agrees(stamp, version):
            raise ProvisionError(
                f"{name} {artifact}: {stamp.file} has {stamp.digest}, but client.toml pins {version.digest}; "
                "do not use it before you know why"
            )
        for file in files:
            _unpack(file, whole)
        shutil.rmtree(whole / ".files")
        (whole / STAMP).write_text(json.dumps(asdict(stamp)))
    return stamp


def _fits(stamp: Stamp, family: Family, version: Version) -> bool:
    return stamp.machine == _machine() and stamp.extra == family.source.extra and _agrees(stamp, version)


def _agrees(stamp: Stamp, version: Version) -> bool:
    return not version.digest or not PINNED.search(stamp.file) or stamp.digest == version.digest


def _unpack(wheel: Path, folder: Path) -> None:
    """Lay a wheel's files out as an installer does; scripts and headers are left out (PEP 427)."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    except zipfile.BadZipFile as error:
        raise ProvisionError(f"{wheel.name} is no wheel ({error}); fetch it again") from None
    for data in folder.glob("*.data/p*lib"):
        shutil.copytree(data, folder, dirs_exist_ok=True)


def _read(folder: Path) -> Stamp | None:
    try:
        found = json.loads((folder / STAMP).read_text())
        return Stamp(found["file"], found["digest"], found["machine"], tuple(found["extra"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _folder(family: Family, artifact: str, cache: Path) -> Path:
    return cache / "wheels" / f"{family.source.name}-{artifact}"


def _driver(family: Family) -> Path:
    return Path(os.environ.get("PROBE_CLIENTS") or CLIENTS).resolve() / family.family / family.driver


def _machine() -> str:
    return f"{sys.implementation.cache_tag} {sysconfig.get_platform()}"


def _sub(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
