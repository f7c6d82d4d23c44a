"""Inputs of the set-up of run.py, found out without starting a program. Standard library only, for run.py.

A complete set-up leaves this state in the environment. As long as it is the same, there is nothing to set up.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from probe.toolchain.tool_pins import GO, JDK, NODE, UV

_NAMES = (
    "bill_of_materials",
    "checked_library",
    "locked_packages",
    "lookup_wheels",
    "python_speed",
    "scanner_build",
    "setup_calls",
    "setup_state",
    "tool_pins",
    "tools",
)
MODULES = tuple(f"probe/toolchain/{name}.py" for name in _NAMES)
"""Modules of the set-up beside run.py."""
PINS = tuple(f"probe/toolchain/pins/{tool}.txt" for tool in (UV, JDK, GO, NODE))
"""Releases and digests of the tools that the set-up fetches."""
INPUTS = ("run.py", *MODULES, *PINS, "uv.lock", "pyproject.toml")
"""Files of the checkout that decide what is set up and how."""
STAMP = "set-up.json"
"""File in the environment with the state after the last complete set-up. It is removed together with it."""
PARTS = ("python", "packages", "uv", "go", "node", "npm")
"""Parts of the state without which the set-up is not complete. Java is the other one: by its variable or by name."""
VERSIONED = ("JAVA_HOME", "java", "go", "node")
"""Programs whose version is checked."""
SCRIPT = "a script"
"""Mark of a script that is not ours: a version manager's may start another version in another folder."""


def read_state(root: Path, tools: Mapping[str, str | None], scripts: Path) -> dict[str, Any]:
    """Return the state of a checkout and its tools by name; None stands for a missing one.

    `scripts` is the folder with our scripts that start fetched tools.
    """
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = root / ".venv" / "lib" / python / "site-packages"
    home = os.environ.get("JAVA_HOME")
    return {
        "inputs": [_digest(root / name) for name in INPUTS],
        "python": _program(root / ".venv" / "bin" / python, scripts),
        "packages": _names(packages),
        "JAVA_HOME": _program(Path(home) / "bin" / "java", scripts) if home else None,
        **{name: _program(Path(place), scripts) if place else None for name, place in tools.items()},
    }


def is_as_left(root: Path, state: Mapping[str, Any]) -> bool:
    """Return whether the state is that after the last complete set-up."""
    try:
        left = json.loads(_stamp(root).read_text())
    except (OSError, ValueError):
        return False
    return bool(left == state)


def leave_state(root: Path, state: Mapping[str, Any]) -> None:
    """Store the state after a set-up, unless a part is missing or the state does not tell the version of a program.

    Without a stored state, as in an environment that cannot be written, every start runs the whole set-up.
    """
    if not all(state[part] for part in PARTS) or not (state["JAVA_HOME"] or state["java"]):
        return
    if any(SCRIPT in (state[name] or ()) for name in VERSIONED):
        return
    with contextlib.suppress(OSError):
        _stamp(root).write_text(json.dumps(state))  # a half-written file is invalid, and so is no stored state


def _stamp(root: Path) -> Path:
    return root / ".venv" / STAMP


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def _names(packages: Path) -> list[str] | None:
    """Return the names in a folder of packages; those of the metadata contain the versions."""
    if not packages.is_dir():
        return None
    return sorted(path.name for path in packages.iterdir() if path.name != "__pycache__")


def _program(path: Path, scripts: Path) -> list[Any] | None:
    """Return place, size and time of change of a program, and of the files that it names if it is a script of ours."""
    try:
        about = path.stat()
        with path.open("rb") as file:
            is_script = file.read(2) == b"#!"
        text = path.read_text() if path.parent == scripts else ""
    except OSError:
        return None
    named = [_program(Path(name), scripts) for name in re.findall(r'"(/[^"]+)"', text)]
    mark = [SCRIPT] if is_script and path.parent != scripts else []
    return [os.path.realpath(path), about.st_size, about.st_mtime_ns, *mark, *named]
