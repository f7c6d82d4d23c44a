"""Places of evidence: in a results folder, in this package, in a file, or at the URL of a published site."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from probe.cells.origin import OWN, SHIPPED
from probe.errors import reason_of
from probe.evidence.schema import EvidenceError
from probe.files.digests import MAX_BYTES as MAX_DIGEST
from probe.files.digests import digest_in, digest_path
from probe.files.shipped_evidence import PUBLISHED, named_file

SETTLED = "settled.sqlite"
"""The settled cells of a results folder."""
MAX_BYTES = 256 * 1024 * 1024
"""Greatest size of evidence that is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A file of evidence, and what identifies it."""

    evidence: str
    """`own`, `shipped`, a file or a URL."""
    name: str
    """The file, for messages."""
    source: Path | bytes
    """The file, or its content where it is none of this machine."""
    digest: str | None
    """The digest that stands beside it; None for the user's own results, which may be replaced at any time."""
    is_ours: bool = False
    """Whether it was built by this program."""


class NoEvidenceError(EvidenceError):
    """Evidence that the user names, but that is not there."""

    exit_code = 2


SCHEMES = ("http://", "https://")


def is_url(text: str) -> bool:
    """Return whether a text is the address of a site."""
    return text.startswith(SCHEMES)


def shipped() -> Held | None:
    """Return the evidence of the package; None if it has none. EvidenceError if it cannot be read or built."""
    from probe.evidence.checkout_build import located  # noqa: PLC0415  # own results and files need no builder

    path = located()
    return replace(of_file(path, SHIPPED), is_ours=not named_file()) if path.exists() else None


def own(results: str) -> Held | None:
    """Return the settled cells of a local results folder; None if it has none. EvidenceError if they cannot be read."""
    path = Path(results) / SETTLED
    if not path.exists():
        return None
    _check_size(path, MAX_BYTES)
    return Held(evidence=OWN, name=str(path), source=path, digest=None)


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
    _check_size(whole, MAX_BYTES)
    digest = digest_in(_digest_beside(whole))
    if not digest:
        raise EvidenceError(f"{digest_path(whole)} holds no digest; copy both files again")
    return Held(evidence=evidence or str(path), name=str(whole), source=whole, digest=digest)


def _digest_beside(path: Path) -> str:
    beside = digest_path(path)
    _check_size(beside, MAX_DIGEST)
    try:
        return beside.read_text(encoding="ascii", errors="replace")
    except OSError as error:
        raise EvidenceError(f"{beside} cannot be read: {reason_of(error)}; name another file") from None


def _check_size(path: Path, limit: int) -> None:
    """Raise EvidenceError for what is no file, since a FIFO or a device would never end, and for what is too large."""
    try:
        if not path.is_file():
            raise EvidenceError(
                f"{path}: {'this is no file' if path.exists() else 'there is no such file'}; name evidence"
            )
        size = path.stat().st_size
    except OSError as error:
        raise EvidenceError(f"{path} cannot be read: {reason_of(error)}; name another file") from None
    if size > limit:
        raise EvidenceError(f"{path} is larger than {limit} bytes, which no evidence is; name another file")
