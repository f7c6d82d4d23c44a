"""Where evidence is: in a results folder, in this package, in a file, or at the URL of a published site."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from probe.cells.origin import OWN, SHIPPED
from probe.errors import reason_of
from probe.evidence.schema import EvidenceError
from probe.files.digests import MAX_BYTES as MAX_DIGEST
from probe.files.digests import digest_in, digest_path
from probe.files.shipped import PUBLISHED, shipped_file

SETTLED = "settled.sqlite"
"""The settled cells of a results folder."""
MAX_BYTES = 256 * 1024 * 1024
"""Greatest size of evidence that is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The bytes of evidence, and what identifies them."""

    evidence: str
    """`own`, `shipped`, a file or a URL."""
    name: str
    """The file, for messages."""
    data: bytes
    digest: str | None
    """The digest that stands beside the data; None for the user's own results, which may be replaced at any time."""


class NoEvidenceError(EvidenceError):
    """What the user names as evidence is not there."""

    exit_code = 2


SCHEMES = ("http://", "https://")


def is_url(text: str) -> bool:
    """Return whether a text is the address of a site."""
    return text.startswith(SCHEMES)


def shipped() -> Held | None:
    """Return the evidence of the package; None if it has none. EvidenceError if it cannot be read."""
    path = shipped_file()
    return of_file(path, SHIPPED) if path.exists() else None


def own(results: str) -> Held | None:
    """Return the settled cells of a local results folder; None if it has none. EvidenceError if they cannot be read."""
    path = Path(results) / SETTLED
    if not path.exists():
        return None
    return Held(evidence=OWN, name=str(path), data=_bytes(path, MAX_BYTES), digest=None)


def of_named(text: str) -> Held:
    """Return the evidence that a user names: a file, or the folder of a site.

    NoEvidenceError if the file or its digest is not there, EvidenceError if they cannot be read.
    """
    path = Path(text)
    try:
        missing = _missing(path)
    except OSError as error:
        raise EvidenceError(f"--evidence {text} cannot be read: {reason_of(error)}; name another file") from None
    if missing:
        raise NoEvidenceError(f"--evidence {text}: {missing}")
    return of_file(path)


def _missing(path: Path) -> str:
    """Return which file is not there, with the way out; empty if both are."""
    whole = _whole(path)
    if not whole.exists():
        where = "" if whole == path else f" {PUBLISHED} in this folder"
        return f"there is no such file{where}; name own, shipped, a file or a site"
    if whole.is_file() and not digest_path(whole).exists():
        return f"its digest {digest_path(whole)} is not there; copy both files"
    return ""


def _whole(path: Path) -> Path:
    """Return the file that a path means: itself, or that of a site's folder."""
    return path / PUBLISHED if path.is_dir() else path


def of_file(path: Path, evidence: str = "") -> Held:
    """Return a file, or that of a site's folder, with the digest beside it. EvidenceError if either is missing."""
    whole = _whole(path)
    data = _bytes(whole, MAX_BYTES)
    digest = digest_in(_bytes(digest_path(whole), MAX_DIGEST).decode("ascii", "replace"))
    if not digest:
        raise EvidenceError(f"{digest_path(whole)} holds no digest; copy both files again")
    return Held(evidence=evidence or str(path), name=str(whole), data=data, digest=digest)


def _bytes(path: Path, limit: int) -> bytes:
    try:
        if not path.is_file():  # a FIFO or a device would never end
            raise EvidenceError(
                f"{path}: {'this is no file' if path.exists() else 'there is no such file'}; name evidence"
            )
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise EvidenceError(f"{path} cannot be read: {reason_of(error)}; name another file") from None
    if len(data) > limit:
        raise EvidenceError(f"{path} is larger than {limit} bytes, which no evidence is; name another file")
    return data
