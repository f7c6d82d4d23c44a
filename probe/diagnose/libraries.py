"""Findings about a client's library: the answer, its range of versions, and what the client reports. Frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from probe.model.versions import version_key


class Sure(StrEnum):
    """The certainty of a library."""

    SURE = "sure"
    """The beginning of a connection was seen, and what an application does not set fits this library and no other."""
    LIKELY = "likely"
    """It fits best of the listed libraries, by defaults, too, or not in everything. A client of a library that is not
    listed may look like that."""
    UNKNOWN = "unknown"
    """Several fit as well, or none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A range of versions of a library, with the listed versions next to it, which do not fit."""

    after: str = ""
    """The listed version before it; empty = it may begin before all that are listed."""
    before: str = ""
    """The listed version after it; empty = it may end after all that are listed."""
    fitting: tuple[str, ...] = ()
    """The listed versions that fit, ascending. Empty = only versions between listed ones do."""

    def holds(self, version: str) -> bool:
        """Return whether a version lies in the range."""
        key = version_key(version)
        return (not self.after or version_key(self.after) < key) and (not self.before or key < version_key(self.before))

    def __str__(self) -> str:
        bounds = [f"after {self.after}"] * bool(self.after) + [f"before {self.before}"] * bool(self.before)
        return " and ".join(bounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """The client's report of itself (KIP-511), and what that means."""

    name: str
    version: str
    library: str = ""
    """Family that reports this name; empty = none that is known."""
    meaning: str = ""
    """The library's version, where the library is known to report its own; else empty."""
    unknown: str = ""
    """The reason why library or version are not known from it."""
    contradicts: str = ""
    """Contradictions of the fingerprint to it; empty = none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whose:
    """The library of a client and its version, as far as what was seen supports them."""

    library: str = ""
    """Family of the catalogue; empty = unknown."""
    sure: Sure = Sure.UNKNOWN
    span: Span = Span()
    """The versions that fit; of no use without a library."""
    profiles: tuple[str, ...] = ()
    """Written profiles whose trials fit best, where the application's settings decide what is sent."""
    candidates: tuple[str, ...] = ()
    """Families that fit as well as the best one or nearly, the best first."""
    reason: str = ""
    """Why the library is not sure; empty if it is."""
    reported: Reported | None = None
    """None = the client reports nothing, or it was not seen."""

    @property
    def text(self) -> str:
        """Return library and range in words, such as `sarama, a version before 1.43.3`."""
        if not self.library:
            return "unknown"
        return f"{self.library}, a version {self.span}" if str(self.span) else f"{self.library}, any version"

    @property
    def version(self) -> str:
        """Return the version that the library reports, if the fingerprint does not contradict it; else empty."""
        one = self.reported
        return one.meaning if one is not None and one.library == self.library and not one.contradicts else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryFit:
    """The fit of a library."""

    family: str
    hard: float
    whole: float
    span: Span
    """Every version, if `strange`."""
    profiles: tuple[str, ...]
    strange: bool
    """An application's settings decide what it sends, so several were learned, and none of them fits."""
