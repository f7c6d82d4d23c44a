"""The library of a client by the name that it reports (KIP-511), beside what it sends. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from probe.diagnose.libraries import LibraryFit, Reported, Span, Sure, Whose
from probe.diagnose.traits import HEAVY
from probe.inventory.entries import Place as Source
from probe.inventory.text import one_line
from probe.inventory.wire_names import client_on_the_wire


def compared(found: Whose, libraries: Sequence[LibraryFit], name: str, version: str) -> Whose:
    """Return the answer with what the client reports: a name that one library alone sends is that library."""
    meant = client_on_the_wire(name, version, place=Source("the capture"))
    reported = Reported(
        name=meant.package,
        version=one_line(version),
        library=meant.client,
        meaning=meant.version,
        unknown=meant.unknown,
    )
    if not meant.client:
        return replace(found, reported=reported)
    own = next((one for one in libraries if one.family == meant.client), None)
    named = found if found.library == meant.client else _named(found, own, meant.client, reported.name)
    against = _against(named, own, meant.version, found.library)
    return replace(named, reported=replace(reported, contradicts=against))


def _named(found: Whose, own: LibraryFit | None, family: str, name: str) -> Whose:
    """Return the library whose name was reported, with its versions that fit, if it is listed and does send that."""
    fits = own is not None and not own.hard and not own.strange
    reason = f"it reports the name {name}"
    return Whose(
        library=family,
        sure=Sure.LIKELY,
        span=own.span if own is not None and fits else Span(),
        profiles=own.profiles if own is not None and fits else (),
        candidates=(family, *(one for one in found.candidates if one != family)),
        reason=f"{found.reason}; {reason}" if found.reason and not found.library else reason,
    )


def _against(named: Whose, own: LibraryFit | None, version: str, sends: str) -> str:
    """Return what the fingerprint, by which the library is `sends`, says against what is reported; empty = nothing."""
    if own is None:
        return ""
    if own.hard >= HEAVY:
        other = sends if sends not in {"", own.family} else ""
        return f"what it sends is that of {other or f'no listed {own.family}'}"
    if version and not named.span.holds(version):
        return f"what it sends is that of {own.family} {named.span}"
    return ""
