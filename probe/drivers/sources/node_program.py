"""The Node of this machine, or of set-up's downloads, that runs a driver."""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path

from probe.toolchain.commands import run_command
from probe.toolchain.tools import ToolError, cache_root, find_tool

OLDEST_NODE = "18.0.0"
"""The oldest Node that every driver runs on."""
NODE_S = 20
WAY_OUT = "install one, or run `python3 run.py setup`, which takes one from a package registry"


@functools.cache
def node(least: str = OLDEST_NODE) -> Path:
    """Return Node of this machine, else of set-up's downloads. ToolError if none is as new as `least`."""
    program = find_tool("node")
    reported = {place: _says(place) for place in (program, cache_root() / "tools" / "bin" / "node")}
    for place, text in reported.items():
        if (found := re.match(r"v([\d.]+)", text)) and _parts(found[1]) >= _parts(least):
            return place
    raise ToolError(f"{program} is {reported[program] or 'no Node'}, but {least} or newer is needed; {WAY_OUT}")


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)


def _says(program: Path) -> str:
    try:
        return run_command([str(program), "--version"], NODE_S).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""
