"""Files that a command writes at its end, looked at before it begins."""

from __future__ import annotations

from pathlib import Path

from probe.errors import ProbeError


def check_writable(path: Path) -> None:
    """Raise ProbeError for a folder, and for a file in a folder that does not exist."""
    if path.is_dir() or not path.parent.is_dir():
        raise ProbeError(f"{path}: it cannot be written there; name a file in a folder that exists")
