"""The packages of uv.lock in the environment. Standard library only, for run.py."""

from __future__ import annotations

import re
from pathlib import Path

from probe.toolchain.setup_calls import MissingError, SetupError, call, is_offline, say

SETTINGS = {"UV_PYTHON_DOWNLOADS": "never", "VIRTUAL_ENV": ""}
LISTED = ("sh", "-c", '"$@"; true', "sh")
"""Words before a command whose output is wanted whatever its exit code."""


def install(sync: list[str], environment: Path) -> None:
    """Make an environment equal to uv.lock by uv's own command; print nothing if it already is.

    SetupError if that fails; MissingError, with the packages, if nothing may be fetched and uv's cache lacks some.
    """
    if environment.exists() and _is_complete(sync):
        return
    if is_offline():
        _install_from_cache(sync)
        return
    say("Python packages: .venv from uv.lock (the first time takes a minute or two: Spark is large)")
    fix = "check that the package index is reachable and the disk has 4 GB, and run this again"
    call([*sync, "--quiet"], fix, env=SETTINGS)


def _is_complete(sync: list[str]) -> bool:
    """Ask uv whether the environment is complete; a uv that is too old for the option counts as no."""
    try:
        call([*sync, "--quiet", "--check"], "", env=SETTINGS)
    except SetupError:
        return False
    return True


def _install_from_cache(sync: list[str]) -> None:
    try:
        call([*sync, "--quiet"], "", env=SETTINGS)
    except SetupError:
        names = re.findall(r"^ \+ (\S+)", call([*LISTED, *sync, "--check"], "", env=SETTINGS), re.MULTILINE)
        lacks = f"{', '.join(names)} of uv.lock" if names else "those of uv.lock that uv can name"
        raise MissingError(f".venv lacks Python packages: needs {lacks} from the Python package index") from None
