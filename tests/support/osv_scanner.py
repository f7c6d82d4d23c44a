"""osv-scanner, for a test of its own: of this machine, or built into the cache.

The build takes five to six minutes of CPU, and 3 GB while it builds, so the set-up of the suite makes it and no test
(`python3 run.py test`). `python -m tests.support.osv_scanner` makes it alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from probe.files.atomic_writes import filling
from probe.toolchain.cache_folders import locked
from probe.toolchain.scanner_build import SCANNER, place
from probe.toolchain.tools import OSV_SCANNER, cache_root, find_tool

MODULE = f"github.com/google/osv-scanner/v2/cmd/osv-scanner@v{OSV_SCANNER}"
DEADLINE_S = 3600


def osv_scanner() -> Path:
    """Return the program; skip the test if there is none."""
    for found in (place() / SCANNER, shutil.which(SCANNER)):
        if found and Path(found).exists():
            return Path(found)
    pytest.skip(
        f"{SCANNER} is not here, and the set-up could not build it; `python -m tests.support.osv_scanner` says why"
    )


def build() -> Path:
    """Build the program into the cache, if it is not there. Its module cache and build cache are removed."""
    with locked(place()):
        if not place().exists():
            with filling(place()) as whole, tempfile.TemporaryDirectory(dir=cache_root()) as scratch:
                _install(Path(scratch), whole)
    return place() / SCANNER


def _install(scratch: Path, whole: Path) -> None:
    modules = {"GOBIN": whole, "GOMODCACHE": scratch / "modules", "GOCACHE": scratch / "build"}
    plain = {"CGO_ENABLED": "0", "GOFLAGS": "-modcacherw", "GOWORK": "off"}
    environment = {**os.environ, **plain, **{name: str(path) for name, path in modules.items()}}
    subprocess.run([str(find_tool("go")), "install", MODULE], check=True, timeout=DEADLINE_S, env=environment)


if __name__ == "__main__":
    build()
