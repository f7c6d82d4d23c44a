"""The SBOM of the wheel and the list of its licences, by CycloneDX's own tool. Standard library only, for run.py.

The wheel is installed, without a network, beside what it asks for in the versions of uv.lock; cyclonedx-py
(https://github.com/CycloneDX/cyclonedx-python, Apache-2.0) describes that environment as CycloneDX 1.6.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from probe import __version__
from probe.toolchain.lookup_wheels import NO_DOWNLOADS, build_both, fill
from probe.toolchain.setup_calls import call, take
from probe.toolchain.tool_pins import BILL, pin, release
from probe.toolchain.tools import cache_root

NAME = f"kafka_metadata_probe-{__version__}"
UNSTATED = "none stated"
START = "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module('cyclonedx_py', alter_sys=True)"
"""Python code that starts the tool from a folder. As a variable the folder would be part of what is described."""


def write_bill(root: Path, uv: str, python: str, folder: Path) -> list[Path]:
    """Build the wheel into a folder; write its SBOM and its licences beside it. Return both paths.

    SetupError if a step fails.
    """
    build_both(root, uv, python, folder)
    bill, listed = folder / f"{NAME}.cdx.json", folder / f"{NAME}.licences.txt"
    local = ["--offline", "--no-index", "--find-links", str(fill(root, uv, python)), "--find-links", str(folder)]
    fix = "a wheel cannot be installed, or the folder cannot be written"
    with tempfile.TemporaryDirectory() as made:
        call([uv, "venv", "--quiet", "--python", python, made], fix, env=NO_DOWNLOADS)
        inside = str(Path(made) / "bin" / "python")
        wanted = f"kafka-metadata-probe=={__version__}"  # by name: the place of a file would be part of the SBOM
        call([uv, "pip", "install", "--quiet", "--python", inside, *local, wanted], fix, env=NO_DOWNLOADS)
        tool = [python, "-c", START, str(_tool(uv, python)), "environment", "--output-reproducible"]
        call([*tool, "--pyproject", str(root / "pyproject.toml"), "--output-file", str(bill), inside], fix)
    lines = licences(json.loads(bill.read_text())["components"])
    listed.write_text("".join(f"{line}\n" for line in lines))
    return [bill, listed]


def licences(components: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return name, version and licences of each component of an SBOM, by tabs, in the order of their names."""
    rows = ((one["name"], one["version"], " OR ".join(_stated(one)) or UNSTATED) for one in components)
    return ["\t".join(row) for row in sorted(rows)]


def _stated(component: Mapping[str, Any]) -> list[str]:
    """Return what a component states: SPDX ids and expressions, else the names that it gives."""
    stated = [one.get("license", {"id": one.get("expression")}) for one in component.get("licenses", ())]
    exact = [one["id"] for one in stated if one.get("id")]
    return list(dict.fromkeys(exact or [one["name"] for one in stated]))


def _tool(uv: str, python: str) -> Path:
    """Return the folder of the tool; fetch it once."""
    folder = cache_root() / "tools" / release(BILL)
    if not folder.exists():
        from probe.files.atomic_writes import filling  # noqa: PLC0415  # run.py starts faster without ctypes

        take("no writer of SBOMs on this machine", f"{release(BILL)} from the Python package index (10 MB)")
        install = [uv, "pip", "install", "--quiet", "--python", python, "--require-hashes"]
        with filling(folder) as target:
            files = ["--requirement", str(pin(BILL)), "--target", str(target)]
            call([*install, *files], "make the Python package index reachable, and run this again")
    return folder
