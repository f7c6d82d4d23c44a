"""Fetch the evidence of a published site over HTTP. What was fetched is kept by its digest."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path

from probe.errors import reason_of
from probe.evidence.places import MAX_BYTES, Held
from probe.evidence.schema import EvidenceError
from probe.files.atomic_writes import write_file
from probe.files.digests import ENDING, digest_in, digest_of
from probe.files.digests import MAX_BYTES as MAX_DIGEST
from probe.files.shipped_evidence import PUBLISHED

DEADLINE_S = 60.0
"""Longest time for one file."""
SILENCE_S = 15.0
"""Longest time without an answer."""
_CHUNK = 256 * 1024


def of_site(url: str, cache: Path, deadline_s: float = DEADLINE_S) -> Held:
    """Return the evidence of a site; EvidenceError if it cannot be fetched or lacks the digest that stands beside it.

    A copy in the folder `cache` is used if its digest is that of the site.
    """
    address = _address(url)
    digest = digest_in(_get(address + ENDING, MAX_DIGEST, deadline_s).decode("ascii", "replace"))
    if not digest:
        raise EvidenceError(f"{address}{ENDING} holds no digest; name the address of a published site")
    kept = cache / "evidence" / f"{digest}.sqlite"
    try:
        data = kept.read_bytes()
    except OSError:
        data = b""
    if digest_of(data) != digest:
        data = _get(address, MAX_BYTES, deadline_s)
        if digest_of(data) != digest:
            raise EvidenceError(
                f"{address} does not have the digest that stands beside it; try again, or tell its owner"
            )
        _keep(kept, data)
    return Held(evidence=url, name=address, source=data, digest=digest)


def _address(url: str) -> str:
    """Return the address of the file, for that of a site, of its first page or of the file itself."""
    plain = url.partition("#")[0].partition("?")[0]
    if plain.endswith(".sqlite"):
        return plain
    return f"{plain.removesuffix('index.html').rstrip('/')}/{PUBLISHED}"


def _get(address: str, limit: int, deadline_s: float) -> bytes:
    until = time.monotonic() + deadline_s
    data = bytearray()
    try:
        with urllib.request.urlopen(address, timeout=min(SILENCE_S, deadline_s)) as answer:  # noqa: S310  # HTTP only: `places.is_url`
            while chunk := answer.read1(_CHUNK):
                data += chunk
                if len(data) > limit:
                    raise EvidenceError(f"{address} is larger than {limit} bytes, which no evidence is")
                if time.monotonic() > until:
                    raise EvidenceError(f"{address} did not come within {deadline_s:.0f} s; try again, or name a copy")
    except (urllib.error.URLError, HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or reason_of(error)
        raise EvidenceError(f"{address} cannot be fetched: {reason}; try again, or name a copy of the file") from None
    return bytes(data)


def _keep(path: Path, data: bytes) -> None:
    try:
        write_file(path, data)
    except OSError:  # the next look-up fetches it again
        return
