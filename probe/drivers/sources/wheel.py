"""Families whose versions are wheels in the Python package registry: each version in a folder of its own.

A wheel's digest is that of one file, and a version has a file per Python and machine. Digests in client.toml are those
of the pure wheel, or of PINNED_PYTHON's on Linux x86_64. The digest of any other file is recorded at its first
download, and named in every run's artifacts.

Releases that are older than this Python have wheels for older ones only (`pythons` in client.toml). Those wheels are
downloaded for that Python and unpacked in the same way: a driver may need only the C library in them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import sysconfig
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from probe.catalogue.families import Family, Version
from probe.catalogue.files import clients_folder
from probe.drivers.launch import Launch
from probe.drivers.sources import local_wheel
from probe.errors import ProvisionError
from probe.files.atomic_writes import filling, put_folder
from probe.toolchain import pip
from probe.toolchain.cache_folders import locked
from probe.toolchain.commands import run_command
from probe.toolchain.tools import cache_root

PINNED_PYTHON = "311"
"""CPython version of the files with the digests of client.toml, on Linux x86_64, unless `pythons` names another. A pure
wheel is the same file everywhere."""
LOCAL = "path:"
"""Prefix of an artifact that lies on this machine."""
STAMP = "probe-stamp.json"
REPORT_S = 60
"""Longest time for a driver to report its library's version."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Content of a filled folder."""

    file: str
    """Name of the wheel."""
    digest: str
    """`sha256:` and its hex digest."""
    machine: str
    """Python and platform of the wheel."""
    extra: tuple[str, ...]
    """Further requirements in the same folder."""


def obtain(family: Family, version: Version, cache: Path, *, alone: bool = True) -> Launch:
    """Return the driver's command; download the version if needed, and load it once if `alone`. ProvisionError."""
    if version.artifact.startswith(LOCAL):
        return _obtain_local(family, version, cache)
    folder = _folder(family, version.pinned_artifact, cache)
    with locked(folder):
        stamp = _read(folder)
        if stamp is None or not _fits(stamp, family, version):
            stamp = _fill(family, version, folder, alone=alone)
    artifact = f"wheel {family.source.name} {version.pinned_artifact} {stamp.digest} {stamp.file}"
    return _launch(family, folder, artifact)


def _launch(family: Family, folder: Path, artifact: str) -> Launch:
    return Launch((sys.executable, str(_driver(family)), "--library", str(folder)), artifact, built=folder)


def newest(family: Family) -> str:
    """Return the newest artifact version in the registry. Raises ProvisionError if it does not answer."""
    return pip.versions(family.source.name)[0]


def releases(family: Family) -> list[str]:
    """Return the artifact versions with usable wheels in the registry, each for the Python that `pythons` names.

    Raises ProvisionError if it does not answer.
    """
    pythons = ["", *(span.python for span in family.source.pythons)]
    with ThreadPoolExecutor(len(pythons)) as pool:
        listed = pool.map(partial(pip.versions, family.source.name), pythons)
        pairs = zip(pythons, listed, strict=True)
        return [version for python, found in pairs for version in found if _python(family, version) == python]


def exists(family: Family, artifact: str) -> bool:
    """Return whether the registry has a usable wheel of this version. ProvisionError if it does not answer."""
    return artifact in pip.versions(family.source.name, _python(family, artifact))


def identify(family: Family, artifact: str, cache: Path) -> Version:
    """Download an artifact that is not pinned; return it with the version that its library reports."""
    reported = _ask(f"{family.family} {artifact}", obtain(family, Version(version=artifact), cache))
    stamp = _read(_folder(family, artifact, cache))
    digest = stamp.digest if stamp else ""
    return Version(version=reported, artifact=artifact if artifact != reported else "", digest=digest)


def local(family: Family, place: Path) -> Version:
    """Return the version of a wheel, a checkout or a build of the C library, as its library reports.

    It is unpacked into the cache, by its content, so that later trials run the same. ProvisionError if there is none.
    """
    where = place.expanduser().resolve()
    cache = cache_root()
    aside = cache / "wheels" / f".{family.source.name}-local-{os.getpid()}"
    aside.parent.mkdir(parents=True, exist_ok=True)
    with filling(aside) as whole:
        local_wheel.lay_out(where, whole, _unpack)
        own = local_wheel.mark(whole)
        for file in _extras(family, whole):
            _unpack(file, whole)
        shutil.rmtree(whole / ".files", ignore_errors=True)
    folder = _local_folder(family, own, cache)
    with locked(folder):
        if folder.exists():
            shutil.rmtree(aside)
        else:
            put_folder(aside, folder, aside)
    version = Version(version=f"0+local.{own}", artifact=f"{LOCAL}{where}")
    reported = _ask(f"{family.family}@{LOCAL}{place}", _obtain_local(family, version, cache))
    return Version(version=f"{reported}+local.{own}", artifact=f"{LOCAL}{where}")


def _extras(family: Family, whole: Path) -> list[Path]:
    return pip.download(family.source.extra, _sub(whole, ".files")) if family.source.extra else []


def _obtain_local(family: Family, version: Version, cache: Path) -> Launch:
    own = version.version.partition("+local.")[2]
    folder = _local_folder(family, own, cache)
    if not folder.exists():
        raise ProvisionError(f"{family.family} {version.version}: it is not in the cache any more; name it by {LOCAL}")
    artifact = f"local {Path(version.artifact.removeprefix(LOCAL)).name} {own}"
    return Launch((sys.executable, str(_driver(family)), "--library", str(folder), "--local", own), artifact)


def _local_folder(family: Family, own: str, cache: Path) -> Path:
    return cache / "wheels" / f"{family.source.name}-local-{own}"


def _ask(name: str, launch: Launch) -> str:
    """Return the version that a driver's library reports."""
    late = ProvisionError(f"{name}: its driver reported nothing within {REPORT_S} s; try again")
    done = run_command([*launch.argv, "--report"], REPORT_S, late)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ProvisionError(f"{name} cannot be loaded by this Python: {last[:200]}")
    return done.stdout.strip()


def _fill(family: Family, version: Version, folder: Path, *, alone: bool) -> Stamp:
    name, artifact = family.source.name, version.pinned_artifact
    python = _python(family, artifact)
    with filling(folder) as whole:
        files = pip.download([f"{name}=={artifact}", *_extra(family, version)], _sub(whole, ".files"), python)
        main = next(file for file in files if _normal(file.name.split("-")[0]) == _normal(name))
        stamp = Stamp(main.name, f"sha256:{_sha256(main)}", _machine(python), _extra(family, version))
        if not _agrees(stamp, family, version):
            raise ProvisionError(
                f"{name} {artifact}: {stamp.file} has {stamp.digest}, but client.toml pins {version.digest}; "
                "do not use it before you know why"
            )
        record = {**asdict(stamp), "files": {file.name: f"sha256:{_sha256(file)}" for file in files}}
        for file in files:
            _unpack(file, whole)
        shutil.rmtree(whole / ".files")
        (whole / STAMP).write_text(json.dumps(record))
        if alone:
            _ask(f"{family.family} {artifact}", _launch(family, whole, ""))  # what cannot be imported cannot be driven
    return stamp


def _fits(stamp: Stamp, family: Family, version: Version) -> bool:
    machine = _machine(_python(family, version.pinned_artifact))
    return stamp.machine == machine and stamp.extra == _extra(family, version) and _agrees(stamp, family, version)


def _agrees(stamp: Stamp, family: Family, version: Version) -> bool:
    pinned = _pinned(_python(family, version.pinned_artifact))
    return version.digest in ("", stamp.digest) or not pinned.search(stamp.file)


def _pinned(python: str) -> re.Pattern[str]:
    """Return the pattern of file names whose digests client.toml pins."""
    tag = f"cp{python or PINNED_PYTHON}"
    return re.compile(rf"-none-any\.whl$|-{tag}-{tag}m?-manylinux[^-]*x86_64[^-]*\.whl$")


def _python(family: Family, artifact: str) -> str:
    """Return the CPython of an artifact's wheel; empty for the running one."""
    return next((span.python for span in family.source.pythons if span.covers(artifact)), "")


def _extra(family: Family, version: Version) -> tuple[str, ...]:
    return (*family.source.extra, *version.extra)


def _unpack(wheel: Path, folder: Path) -> None:
    """Unpack a wheel as an installer does; scripts and headers are left out (PEP 427)."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    except zipfile.BadZipFile as error:
        raise ProvisionError(f"{wheel.name} is not a wheel ({error}); fetch it again") from None
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
    return clients_folder().resolve() / family.family / family.driver


def _machine(python: str) -> str:
    tag = f"cp{python}" if python else sys.implementation.cache_tag
    return f"{tag} {sysconfig.get_platform()}"


def _sub(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
