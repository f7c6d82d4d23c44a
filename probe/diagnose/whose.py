"""Whose client it is: library and range of versions by fingerprint, beside what the client reports of itself. Pure.

The name and version that a client reports (KIP-511) do not take part: an application may set them, and some libraries
report the application's version (`probe.inventory.wire_names`). They are compared with the fingerprint afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from probe.diagnose.fingerprints import Fingerprints, TraitsByCondition
from probe.diagnose.fits import Fit, Fits, Hulls, Lines
from probe.diagnose.traits import HEAVY, Observed
from probe.inventory.found import Place as Source
from probe.inventory.text import one_line
from probe.inventory.wire_names import NOTHING, client_on_the_wire
from probe.model.profile import SEPARATOR
from probe.model.versions import version_key


class Sure(StrEnum):
    """How sure a library is."""

    SURE = "sure"
    """The beginning of a connection was seen, and what an application does not set fits this library and no other."""
    LIKELY = "likely"
    """It fits best of the listed libraries, by defaults, too, or not in everything. A client of a library that is not
    listed may look like that."""
    UNKNOWN = "unknown"
    """Several fit as well, or none does."""


CLEAR = HEAVY
"""Least distance to the next library of a sure answer: one thing that no setting explains."""
NEAR, NEAR_LATER = 0.5, 1.5
"""Least distance of a likely answer, where the beginning of a connection was seen and where not: less is seen later."""
CLOSE, STRANGE = 1.5, 6.0
"""Greatest weight of what does not fit a sure answer, and weight from which on no listed library sends that."""
REMEMBERED = 4096
"""Most answers that are kept, for clients that send the same."""


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
    """What the client reports of itself (KIP-511), and what that means."""

    name: str
    version: str
    library: str = ""
    """Family that reports this name; empty = none that is known."""
    meaning: str = ""
    """The library's version, where the library is known to report its own; else empty."""
    unknown: str = ""
    """The reason why library or version are not known from it."""
    contradicts: str = ""
    """What the fingerprint says against it; empty = nothing."""


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
class _Library:
    """How well a library fits."""

    family: str
    hard: float
    whole: float
    span: Span
    """Every version, if `strange`."""
    profiles: tuple[str, ...]
    strange: bool
    """An application's settings decide what it sends, so several were learned, and none of them fits."""


class Listed:
    """Fingerprints of listed versions, prepared for questions."""

    def __init__(self, fingerprints: Fingerprints, hulls: Hulls | None = None) -> None:
        self._clients = fingerprints.clients
        self._fits = Fits(Lines(fingerprints), hulls or Hulls())
        self._known: dict[str, tuple[_Library, ...]] = {}

    def whose(self, seen: Observed) -> Whose:
        """Return whose client it is."""
        libraries = self._libraries(seen)
        found = _decided(libraries, began=bool(seen.began))
        name, version = seen.software
        return found if name in NOTHING else _compared(found, libraries, name, version)

    def _libraries(self, seen: Observed) -> tuple[_Library, ...]:
        """Return how well every library fits, the best first. Clients that send the same are compared once."""
        traits, offered = seen.traits, seen.offered
        key = repr((traits.versions, traits.values, sorted(offered.items())))
        if key not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            every = ((name, self._fits.of(some, traits, offered)) for name, some in self._clients.items())
            found = [_library(name, some, self._clients[name]) for name, some in every if traits.versions]
            self._known[key] = tuple(sorted(found, key=lambda one: (one.whole, one.family)))
        return self._known[key]


def _library(family: str, some: Sequence[Fit], known: Mapping[str, TraitsByCondition]) -> _Library:
    best = min(some, key=lambda fit: fit.whole)
    is_set = any(SEPARATOR in at.profile for seen in known.values() for at in seen)
    strange = is_set and (best.hard > 0 or best.place.older)
    span = Span() if strange else _span(some)
    return _Library(family=family, hard=best.hard, whole=best.whole, span=span, profiles=best.profiles, strange=strange)


def _span(some: Sequence[Fit]) -> Span:
    """Return the range from the first place that fits best to the last one, by what an application does not set."""
    least = min(fit.hard for fit in some)
    fitting = [number for number, fit in enumerate(some) if fit.hard == least]
    first, last = fitting[0], fitting[-1]
    earlier = [fit.place.listed for fit in some[:first] if fit.place.listed]
    later = [fit.place.listed for fit in some[last + 1 :] if fit.place.listed]
    inside = (some[number].place.listed for number in fitting)
    return Span(
        after=earlier[-1] if earlier else "", before=later[0] if later else "", fitting=tuple(filter(None, inside))
    )


def _decided(libraries: Sequence[_Library], *, began: bool) -> Whose:
    """Return the best library, if it is clearly better than the next one. `began`: a beginning was seen."""
    if not libraries:
        return Whose(reason="no request was seen")
    best, *others = libraries
    least = NEAR if began else NEAR_LATER
    near = tuple(one.family for one in others if one.whole - best.whole < least)
    if best.whole >= STRANGE:
        return Whose(reason="what it sends is that of no listed library")
    if near:
        return Whose(
            candidates=(best.family, *near), reason=f"what was seen fits {', '.join((best.family, *near))} alike"
        )
    reason = _doubt(best, others, began=began)
    close = tuple(one.family for one in others if one.whole - best.whole < CLEAR)
    return Whose(
        library=best.family,
        sure=Sure.LIKELY if reason else Sure.SURE,
        span=best.span,
        profiles=best.profiles,
        candidates=(best.family, *close),
        reason=reason,
    )


def _doubt(best: _Library, others: Sequence[_Library], *, began: bool) -> str:
    """Return why the best library is not sure; empty if it is."""
    if best.strange:
        return "it fits best of the listed libraries, but with none of the settings that were learned"
    if best.hard or best.whole > CLOSE:
        return "it fits best of the listed libraries, but not in everything"
    if others and others[0].whole - best.whole < CLEAR:
        return f"{others[0].family} with other settings than its defaults fits, too"
    return "" if began else "the beginning of no connection was seen"


def _compared(found: Whose, libraries: Sequence[_Library], name: str, version: str) -> Whose:
    """Return the answer with what the client reports, which decides only between libraries that fit alike."""
    meant = client_on_the_wire(name, version, place=Source("the capture"))
    by_name = {one.family: one for one in libraries}
    own = by_name.get(meant.client)
    reported = Reported(
        name=meant.package,
        version=one_line(version),
        library=meant.client,
        meaning=meant.version,
        unknown=meant.unknown,
    )
    if own is None:
        return replace(found, reported=reported)
    if not found.library and own.family in found.candidates:
        reason = f"{found.reason}; it reports the name {reported.name}"
        found = replace(
            found, library=own.family, sure=Sure.LIKELY, span=own.span, profiles=own.profiles, reason=reason
        )
    return replace(found, reported=replace(reported, contradicts=_against(found, own, meant.version)))


def _against(found: Whose, own: _Library, version: str) -> str:
    """Return what the fingerprint says against a reported library and version; empty if it says nothing."""
    if not found.library:
        return "" if own.family in found.candidates else f"what it sends is that of no listed {own.family}"
    if found.library != own.family:
        return f"what it sends is that of {found.library}"
    if version and not found.span.holds(version):
        return f"what it sends is that of {own.family} {found.span}"
    return ""
