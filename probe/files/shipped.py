"""The file of evidence inside the package. Standard library only, since `probe --version` names its digest."""

from __future__ import annotations

import os
from pathlib import Path

from probe.files.digests import digest_in, digest_path

PUBLISHED = "evidence.sqlite"
"""Name of the evidence in the package and on a published site."""
FOLDER = Path(__file__).resolve().parents[1] / "evidence" / "data"


def shipped_file() -> Path:
    """Return the file of the package, which may not exist; $PROBE_EVIDENCE names another."""
    return Path(os.environ.get("PROBE_EVIDENCE") or FOLDER / PUBLISHED)


def shipped_digest() -> str:
    """Return the digest that stands beside the package's file; empty if the package has none."""
    try:
        return digest_in(digest_path(shipped_file()).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return ""
