"""Jars from the Maven registry, downloaded by `jgo` or else `mvn`; each is checked against our own digest.

Nothing is resolved: every artifact is named. A jar lies in `<cache>/jars` next to a stamp file with its digest and
size, so that a cached jar is not hashed again.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from probe.errors import ProvisionError
from probe.files.atomic_writes import put_file, write_file
from probe.model.versions import version_key
from probe.toolchain import maven_registry
from probe.toolchain.cache_folders import locked
from probe.toolchain.maven_registry import Coordinate
from probe.toolchain.pinned_jars import read_pins

FETCHES = 4
RELEASE = re.compile(r"\d+(\.\d+)+")
"""Not an alpha, beta, release candidate, or milestone."""


def fetch(coordinates: Sequence[str], cache: Path, *, digests: Mapping[str, str] | None = None) -> dict[str, Path]:
    """Return the file of each coordinate; download files that `<cache>/jars` does not hold.

    A missing digest (`sha256:...`) is recorded on first use. ProvisionError if a jar cannot be downloaded or does not
    match its digest.
    """
    expected = digests or {}
    wanted = {text: Coordinate.parse(text) for text in coordinates}
    with ThreadPoolExecutor(FETCHES) as pool:
        files = pool.map(lambda text: _have(wanted[text], cache, expected.get(text, "")), wanted)
        return dict(zip(wanted, files, strict=True))


def digest(jar: Path) -> str:
    """Return the recorded digest of a jar that `fetch` returned."""
    return _stamp(jar).read_text().split()[0]


def newest(name: str) -> str:
    """Return the newest release of `group:artifact`. ProvisionError if the registry does not answer or lists none."""
    releases = [version for version in versions(name) if RELEASE.fullmatch(version)]
    if not releases:
        raise ProvisionError(f"{name}: the Maven registry lists no release of it; name a version")
    return max(releases, key=version_key)


def versions(name: str) -> list[str]:
    """Return all versions of `group:artifact` that the registry lists. ProvisionError if it does not answer."""
    group, _, artifact = name.partition(":")
    return maven_registry.versions(group, artifact)


def schema_jars(cache: Path) -> tuple[Path, Path]:
    """Return the two kafka-clients jars with Kafka's message definitions: of old versions, of the newest versions."""
    pins = read_pins()
    found = fetch(pins.schemas, cache, digests=pins.digests)
    old, new = pins.schemas
    return found[old], found[new]


def _have(wanted: Coordinate, cache: Path, expected: str) -> Path:
    jar = cache / "jars" / wanted.file
    if _is_whole(jar):
        return _agreed(wanted, jar, expected)
    with locked(jar):
        if not _is_whole(jar):
            _bring(wanted, jar, expected)
    return _agreed(wanted, jar, expected)


def _bring(wanted: Coordinate, jar: Path, expected: str) -> None:
    scratch = Path(tempfile.mkdtemp(prefix=".fetch-", dir=jar.parent))
    try:
        got = maven_registry.download(wanted, scratch)
        found = f"sha256:{hashlib.sha256(got.read_bytes()).hexdigest()}"
        _refuse_other(wanted, found, expected)
        write_file(_stamp(jar), f"{found} {got.stat().st_size}\n")
        put_file(got, jar)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _is_whole(jar: Path) -> bool:
    try:
        return int(_stamp(jar).read_text().split()[1]) == jar.stat().st_size
    except (OSError, ValueError, IndexError):
        return False


def _agreed(wanted: Coordinate, jar: Path, expected: str) -> Path:
    _refuse_other(wanted, digest(jar), expected)
    return jar


def _refuse_other(wanted: Coordinate, found: str, expected: str) -> None:
    if expected and found != expected:
        raise ProvisionError(
            f"{wanted}: its digest is {found}, but {expected} is pinned; do not use it before you know why"
        )


def _stamp(jar: Path) -> Path:
    return jar.with_name(f"{jar.name}.sha256")
