"""How well what was seen of a client fits each listed version of a library, and what lies between them. Pure.

A version that is not listed is supposed to lie between its neighbours: each of its requests has a version that neither
is lower than the older neighbour's nor higher than the newer one's. The same holds between two release lines of the
brokers, and between two settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from probe.diagnose.fingerprints import Condition, Fingerprints, Seen
from probe.diagnose.traits import HARD, HEAVY, SOFT, Traits, Value
from probe.model.versions import version_key

ABSENT = 1.0
"""Weight of an API that no trial of the library sent there: an application may ask what drivers do not."""
SUPPOSED = 0.1
"""Weight of every neighbour between which something is supposed to lie, so that what was measured is preferred."""
BEYOND = 1.0
"""Weight of a version older or newer than all that are listed."""
EITHER = 0.25
"""Weight of a request version that is that of one neighbour and not of the other."""
BETWEEN = 0.75
"""Weight of one that is neither's and lies between."""
OUTSIDE, REACH = 1.5, 5
"""Weight of one that is lower than the oldest version's or higher than the newest's, by at most so much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A listed version, or the versions between two listed ones."""

    versions: tuple[str, ...]
    """One listed version, or the neighbours of those between; one neighbour at either end."""
    older: bool = False
    """Whether it stands for all versions before the oldest listed one."""
    newer: bool = False

    @property
    def listed(self) -> str:
        """Return the listed version; empty if it lies between, before or after them."""
        return "" if self.older or self.newer or len(self.versions) > 1 else self.versions[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How well a place fits what was seen: weights of what does not, 0 = everything does."""

    place: Place
    hard: float
    """Least weight, over all conditions, of what an application does not set."""
    whole: float
    """Least weight of everything."""
    profiles: tuple[str, ...] = ()
    """The settings with the least weight."""


class Lines:
    """Release lines of the brokers, and how those of a client compare with them."""

    def __init__(self, fingerprints: Fingerprints) -> None:
        every = [seen for versions in fingerprints.clients.values() for seen in versions.values()]
        self.names = tuple(sorted({at.broker for seen in every for at in seen}, key=version_key))
        self._highest: list[dict[int, int]] = [{} for _ in self.names]
        for seen in every:
            for at, traits in seen.items():
                known = self._highest[self.names.index(at.broker)]
                for api, some in traits.versions.items():
                    known[api] = max(known.get(api, 0), some[-1])

    def tops(self, line: str) -> Mapping[int, int]:
        """Return the highest version of each API that any client sent to brokers of a line."""
        return self._highest[self.names.index(line)]

    def guesses(self) -> Iterator[tuple[str, ...]]:
        """Yield the lines between which brokers may lie whose versions were not seen."""
        yield from ((name,) for name in self.names)
        yield from pairwise(self.names)

    def beside(self, api: int, offered: int) -> tuple[tuple[str, ...], bool]:
        """Return the lines that count for brokers that offer this version of an API, and whether these are older.

        Lines count that offer the same as far as clients ask for it, else the lines below and above.
        """
        tops = [highest.get(api, 0) for highest in self._highest]
        wanted = min(offered, max(tops))
        if same := tuple(name for name, top in zip(self.names, tops, strict=True) if top == wanted):
            return same, False
        above = next(place for place, top in enumerate(tops) if top > wanted)
        return self.names[max(above - 1, 0) : above + 1], above == 0


_Beside = Mapping[int, tuple[tuple[str, ...], bool]]
"""API key to the lines whose requests count, and whether the brokers are older than all."""


@dataclass(frozen=True, slots=True)
class Hull:
    """What several trials sent, from the lowest to the highest."""

    versions: Mapping[int, tuple[int, int]]
    """API key to the lowest and highest request version."""
    values: Mapping[str, frozenset[Value]]


@dataclass(frozen=True, slots=True)
class _Guess:
    """One supposition about settings and brokers."""

    profiles: tuple[str, ...]
    lines: tuple[str, ...]
    weight: float
    known: bool = False
    """Whether the brokers' versions were seen, so that every API has lines of its own."""


class Fits:
    """Compares what was seen of a client with what is known of versions."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._hulls: dict[tuple[object, ...], Hull] = {}

    def of(self, versions: Mapping[str, Seen], traits: Traits, offered: Mapping[int, int]) -> list[Fit]:
        """Return how every place of a library fits, oldest first; empty if it has no place."""
        beside = {api: self._lines.beside(api, offered[api]) for api in traits.versions if api in offered}
        return [self._fit(place, versions, traits, beside) for place in _places([*versions])]

    def _fit(self, place: Place, versions: Mapping[str, Seen], traits: Traits, beside: _Beside) -> Fit:
        several = [versions[version] for version in place.versions]
        start = BEYOND if place.older or place.newer else SUPPOSED * (len(several) - 1)
        found = [
            (hard, hard + soft + guess.weight + start, guess.profiles)
            for guess in self._guesses(several, known=bool(beside))
            for hard, soft in (self._weights(place, several, guess, traits, beside),)
        ]
        _, whole, profiles = min(found, key=lambda one: one[1])
        return Fit(place=place, hard=min(hard for hard, _, _ in found), whole=whole, profiles=profiles)

    def _guesses(self, several: Sequence[Seen], *, known: bool) -> Iterator[_Guess]:
        every = {at.profile for seen in several for at in seen}
        ordered = sorted(every, key=lambda profile: (_height(several, profile), profile))
        for profiles in (*((one,) for one in ordered), *pairwise(ordered)):
            weight = SUPPOSED * (len(profiles) - 1)
            if known:
                yield _Guess(profiles, self._lines.names, weight, known=True)
            else:
                for some in self._lines.guesses():
                    yield _Guess(profiles, some, weight + SUPPOSED * (len(some) - 1))

    def _weights(
        self, place: Place, several: Sequence[Seen], guess: _Guess, traits: Traits, beside: _Beside
    ) -> tuple[float, float]:
        """Return the weights of what does not fit: what an application does not set, and the rest."""
        hard = soft = 0.0
        known = self._hull(several, guess.profiles, guess.lines)
        for api, some in traits.versions.items():
            names, before = beside.get(api, (guess.lines, False))
            here = known if names == guess.lines else self._hull(several, guess.profiles, names)
            bounds = here.versions.get(api)
            if bounds is None:
                soft += ABSENT
                continue
            for version in some:
                weight = _weight(version, bounds, below=before or place.older, above=place.newer)
                hard, soft = (hard + weight, soft) if weight >= HEAVY else (hard, soft + weight)
        for name, values in traits.values.items():
            if possible := known.values.get(name):
                odd = sum(1 for value in values if value not in possible)
                hard += HEAVY * odd if name in HARD else 0.0
                soft += SOFT.get(name, 0.0) * odd / len(values)
        return hard, soft

    def _hull(self, several: Sequence[Seen], profiles: tuple[str, ...], names: tuple[str, ...]) -> Hull:
        key = (*map(id, several), profiles, names)
        if key not in self._hulls:
            self._hulls[key] = _hull([one for seen in several for one in _at(seen, profiles, names)])
        return self._hulls[key]


def _at(seen: Seen, profiles: tuple[str, ...], names: tuple[str, ...]) -> Iterator[Traits]:
    """Yield what was seen with these settings on these lines, or on all lines where these settings were not tried."""
    for profile in profiles:
        here = [seen[at] for name in names if (at := Condition(profile, name)) in seen]
        yield from here or (traits for at, traits in seen.items() if at.profile == profile)


def _weight(version: int, bounds: tuple[int, int], *, below: bool, above: bool) -> float:
    """Return the weight of a request version where versions between these bounds are known or supposed."""
    low, high = bounds
    if version < low:
        return OUTSIDE if below and version >= low - REACH else HEAVY
    if version > high:
        return OUTSIDE if above and version <= high + REACH else HEAVY
    if low == high:
        return 0.0
    return EITHER if version in bounds else BETWEEN


def _hull(some: Sequence[Traits]) -> Hull:
    versions: dict[int, tuple[int, int]] = {}
    values: dict[str, frozenset[Value]] = {}
    for one in some:
        for api, sent in one.versions.items():
            low, high = versions.get(api, (sent[0], sent[-1]))
            versions[api] = min(low, sent[0]), max(high, sent[-1])
        for name, found in one.values.items():
            values[name] = values.get(name, frozenset()).union(found)
    return Hull(versions, values)


def _places(versions: Sequence[str]) -> Iterator[Place]:
    yield Place(versions=(versions[0],), older=True)
    yield Place(versions=(versions[0],))
    for older, newer in pairwise(versions):
        yield Place(versions=(older, newer))
        yield Place(versions=(newer,))
    yield Place(versions=(versions[-1],), newer=True)


def _height(several: Sequence[Seen], profile: str) -> int:
    """Return a number that is higher for a setting with higher request versions."""
    found = (traits for seen in several for at, traits in seen.items() if at.profile == profile)
    return max(sum(some[-1] for some in traits.versions.values()) for traits in found)
