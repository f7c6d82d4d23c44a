"""The place of the evidence that ships: a file in the package, or text in a checkout. Standard library only."""

from __future__ import annotations

import os
from pathlib import Path

from probe.errors import NothingJudgedError, reason_of
from probe.files.digests import digest_in, digest_of_file, digest_path

PUBLISHED = "evidence.sqlite"
"""Name of the evidence in the package and on a published site."""
FOLDER = Path(__file__).resolve().parents[1] / "evidence" / "data"
"""The folder of the package that holds the file. A checkout has none."""
TEXT = Path(__file__).resolve().parents[2] / "evidence"
"""The folder of a checkout, or of the source archive, with the same evidence as text."""


NAMED = "PROBE_EVIDENCE"
"""The variable that names another file in its place, which may not exist."""


def named_file() -> Path | None:
    """Return the file that the environment names; None if it names none."""
    return Path(path) if (path := os.environ.get(NAMED)) else None


def shipped_digest(path: Path) -> str:
    """Return the digest of a file of evidence, which is that beside it; empty if there is no file.

    NothingJudgedError, as of a look-up, if the two differ or cannot be read. Its text is one line.
    """
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
