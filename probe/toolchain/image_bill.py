"""The SBOM of an image: what osv-scanner finds in an archive of it, as SPDX 2.3.

Its CycloneDX leaves out Debian's packages (2.5.0), its SPDX has them, packages of Python, npm and Go, and jars.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from probe.errors import ProbeError
from probe.toolchain.scanner_build import SCANNER, place

FORMAT = "spdx-2-3"
PLUGINS = ("artifact", "javascript/packagejson")
"""Plugins for installed packages, and for packages of npm by their own description, as Node's npm brings them."""


def scanner() -> str:
    """Return osv-scanner, as set-up built it or of this machine. ProbeError if there is none."""
    built = place() / SCANNER
    found = str(built) if built.exists() else shutil.which(SCANNER)
    if found is None:
        raise ProbeError(f"no {SCANNER} is here, which writes the SBOM; `python3 run.py image --sbom FILE` builds it")
    return found


def scan(program: str, archive: Path, bill: Path) -> list[str]:
    """Return the command that writes the SBOM of an image's archive. It asks no other machine."""
    plugins = [word for name in PLUGINS for word in ("--experimental-plugins", name)]
    options = ["--archive", "--offline", "--all-packages", *plugins, "--format", FORMAT, "--output-file", str(bill)]
    return [program, "scan", "image", *options, str(archive)]
