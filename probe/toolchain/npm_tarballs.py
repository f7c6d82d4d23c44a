"""Tarballs of the npm registry: their name and version, and their files without the one folder around them."""

from __future__ import annotations

import json
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from probe.errors import ProvisionError


def identity(tarball: Path) -> tuple[str, str]:
    """Return the name and version that a package states. Raises ProvisionError if it states none."""
    try:
        for path, data, _ in _files(tarball):
            if path == PurePosixPath("package.json"):
                stated = json.loads(data)
                return str(stated["name"]), str(stated["version"])
    except (ValueError, KeyError, TypeError):
        pass
    raise ProvisionError(f"{tarball.name} is not an npm package: it states no name and version; fetch it again")


def unpack(tarball: Path, folder: Path) -> None:
    """Extract a package's regular files; links are left out. ProvisionError for a broken or hostile file."""
    for path, data, runs in _files(tarball):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        if runs:
            target.chmod(0o755)


def _files(tarball: Path) -> Iterator[tuple[PurePosixPath, bytes, bool]]:
    """Yield each file's path and content, and whether it is a program."""
    try:
        with tarfile.open(tarball) as archive:
            for member in archive:
                inside = PurePosixPath(*PurePosixPath(member.name).parts[1:])
                if member.name.startswith("/") or ".." in inside.parts:
                    raise ProvisionError(f"{tarball.name} holds {member.name!r}, outside its folder; do not use it")
                content = archive.extractfile(member) if member.isfile() else None
                if content is not None:
                    yield inside, content.read(), bool(member.mode & 0o100)
    except (tarfile.TarError, zlib.error, OSError, EOFError) as error:
        raise ProvisionError(f"{tarball.name} is not a tarball ({error}); fetch it again") from None
