"""Files that only their owner can read. Standard library only."""

from __future__ import annotations

from pathlib import Path


def write_private(file: Path, text: str) -> Path:
    """Write a text into a new file that only its owner can read, and return it. Raises OSError."""
    file.touch(mode=0o600)
    file.write_text(text, encoding="utf-8")
    return file
