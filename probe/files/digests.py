"""Digests that stand beside files, in the format of sha256sum. Standard library only."""

from __future__ import annotations

import hashlib
import re
from io import BufferedReader
from pathlib import Path

ENDING = ".sha256"
"""Ending of the name of the file with the digest."""
MAX_BYTES = 4096
"""Greatest size of such a file that is read."""


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of data in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def digest_of_file(file: BufferedReader) -> str:
    """Return the SHA-256 of what an open file holds, in hexadecimal digits. OSError if it cannot be read."""
    return hashlib.file_digest(file, "sha256").hexdigest()


def digest_path(path: Path) -> Path:
    """Return the name of the file with the digest of another."""
    return path.with_name(path.name + ENDING)


def digest_line(digest: str, name: str) -> str:
    """Return the content of the file with a digest."""
    return f"{digest}  {name}\n"


def digest_in(text: str) -> str:
    """Return the digest that such a file holds; empty if it holds none."""
    found = re.match(r"[0-9a-f]{64}(?=\s|$)", text)
    return found[0] if found else ""
