"""The file of evidence inside the package. Standard library only, since `probe --version` names its digest."""

from __future__ import annotations

import os
from pathlib import Path

from probe.errors import NothingJudgedError, reason_of
from probe.files.digests import digest_in, digest_of_file, digest_path

PUBLISHED = "evidence.sqlite"
"""Name of the evidence in the package and on a published site."""
FOLDER = Path(__file__).resolve().parents[1] / "evidence" / "data"


def shipped_file() -> Path:
    """Return the file of the package, which may not exist; $PROBE_EVIDENCE names another."""
    return Path(os.environ.get("PROBE_EVIDENCE") or FOLDER / PUBLISHED)


def shipped_digest() -> str:
    """Return the digest of the package's file, which is that beside it; empty if the package has no file.

    NothingJudgedError, as of a look-up, if the two differ or cannot be read. Its text is one line.
    """
    path = shipped_file()
    try:
        if not path.exists():
            return ""
        if odd := [one for one in (path, digest_path(path)) if not one.is_file()]:  # a FIFO would never end
            raise NothingJudgedError(f"{odd[0]} is no file; install the package again")
        stated = digest_in(digest_path(path).read_text(encoding="ascii"))
        with path.open("rb") as file:
            digest = digest_of_file(file)
    except (OSError, ValueError) as error:
        raise NothingJudgedError(
            f"the evidence that ships cannot be checked: {reason_of(error)}; install the package again"
        ) from None
    if digest != stated:
        raise NothingJudgedError(
            f"{path} does not match the digest that stands beside it: it is damaged; install the package again"
        )
    return digest
