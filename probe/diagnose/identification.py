"""The identity of a client: library and range of versions by fingerprint, beside what the client reports. Pure.

A name on the wire that no other library sends (KIP-511, `probe.inventory.wire_names`) decides the library; the
fingerprint says which of its versions send the same. The reported version does not take part, since some libraries
report the application's. It is compared with the range afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from probe.diagnose.fingerprints import Fingerprints, TraitsByCondition
from probe.diagnose.libraries import LibraryFit, Span, Sure, Whose
from probe.diagnose.reported_names import compared
from probe.diagnose.traits import HEAVY, Observed
from probe.diagnose.version_fit import Fit, Fits, Hulls, Lines, Question
from probe.inventory.wire_names import NOTHING
from probe.model.profile import SEPARATOR
from probe.protocol.apis import HANDSHAKE_APIS

CLEAR = HEAVY
"""Least distance to the next library of a sure answer: one thing that no setting explains."""
NEAR, NEAR_LATER = 0.5, 1.5
"""Least distance of a likely answer, where the beginning of a connection was seen and where not: less is seen later."""
GREETINGS = frozenset(HANDSHAKE_APIS)
"""APIs that say little of a library: many send the same versions of these."""
BARE = "nothing but ApiVersions was seen"
CLOSE, STRANGE = 1.5, 6.0
"""Greatest weight of what does not fit a sure answer, and weight from which on no listed library sends that."""
REMEMBERED = 65_536
"""Most fits that are kept, one per library, for clients that send the same."""


Known = dict[tuple[str, tuple[int, ...], str], LibraryFit]
"""Library, its versions by identity, and question to how well it fits."""


class Listed:
    """Fingerprints of listed versions, prepared for questions.

    `hulls` and `known` may be shared with fingerprints of which versions were left out, as long as the whole is kept.
    """

    def __init__(self, fingerprints: Fingerprints, hulls: Hulls | None = None, known: Known | None = None) -> None:
        self._clients = fingerprints.clients
        self._fits = Fits(Lines(fingerprints), hulls or Hulls())
        self._known = {} if known is None else known
        self._ids = {family: tuple(map(id, versions.values())) for family, versions in self._clients.items()}

    def whose(self, seen: Observed) -> Whose:
        """Return whose client it is."""
        libraries = self._libraries(seen)
        bare = seen.traits.versions.keys() <= GREETINGS
        found = self._greeted(seen) if bare else _decided(libraries, began=bool(seen.began))
        name, version = seen.software
        return found if name in NOTHING else compared(found, libraries, name, version)

    def _greeted(self, seen: Observed) -> Whose:
        """Return whose client it is where nothing but a greeting was seen, which names a library only if it is alone.

        Many libraries send ApiVersions in the same version; its fields are the name and version that are reported.
        """
        sent = {(api, one) for api, some in seen.traits.versions.items() for one in some}
        if not sent:
            return Whose(reason="no request was seen")
        alike = [family for family, versions in self._clients.items() if sent <= _sent(versions)]
        if len(alike) != 1:
            return Whose(
                candidates=tuple(sorted(alike)), reason="nothing but ApiVersions was seen, which many send alike"
            )
        return Whose(
            library=alike[0], sure=Sure.LIKELY, candidates=(alike[0],), reason="nothing but ApiVersions was seen"
        )

    def _libraries(self, seen: Observed) -> tuple[LibraryFit, ...]:
        """Return how well every library fits, the best first."""
        if not seen.traits.versions:
            return ()
        asked = self._fits.question(seen.traits, seen.offered)
        found = (self._fit(name, some, asked) for name, some in self._clients.items())
        return tuple(sorted(found, key=lambda one: (one.whole, one.family)))

    def _fit(self, family: str, versions: Mapping[str, TraitsByCondition], asked: Question) -> LibraryFit:
        """Return how well a library fits. Clients that send the same are compared with it once."""
        key = (family, self._ids[family], asked.key)
        if key not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[key] = _library(family, self._fits.of(versions, asked), versions)
        return self._known[key]


def _sent(versions: Mapping[str, TraitsByCondition]) -> set[tuple[int, int]]:
    """Return the request versions (API key, version) that any listed version of a library sent."""
    every = (traits.versions for seen in versions.values() for traits in seen.values())
    return {(api, one) for sent in every for api, some in sent.items() for one in some}


def _library(family: str, some: Sequence[Fit], known: Mapping[str, TraitsByCondition]) -> LibraryFit:
    best = min(some, key=lambda fit: fit.whole)
    is_set = any(SEPARATOR in at.profile for seen in known.values() for at in seen)
    strange = is_set and (best.hard > 0 or best.place.older)
    span = Span() if strange else _span(some)
    return LibraryFit(
        family=family, hard=best.hard, whole=best.whole, span=span, profiles=best.profiles, strange=strange
    )


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


def _decided(libraries: Sequence[LibraryFit], *, began: bool) -> Whose:
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


def _doubt(best: LibraryFit, others: Sequence[LibraryFit], *, began: bool) -> str:
    """Return why the best library is not sure; empty if it is."""
    if best.strange:
        return "it fits best of the listed libraries, but with none of the settings that were learned"
    if best.hard or best.whole > CLOSE:
        return "it fits best of the listed libraries, but not in everything"
    if others and others[0].whole - best.whole < CLEAR:
        return f"{others[0].family} with other settings than its defaults fits, too"
    return "" if began else "the beginning of no connection was seen"
