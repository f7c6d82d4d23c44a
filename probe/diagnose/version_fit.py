"""The fit of a client's traffic with each listed version of a library, and what lies between them. Pure.

A version that is not listed is supposed to lie between its neighbours: each of its requests has a version that neither
is lower than the older neighbour's nor higher than the newer one's. The same holds between two release lines of the
brokers, and between two settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from probe.diagnose.fingerprints import Condition, Fingerprints, TraitsByCondition
from probe.diagnose.traits import Traits
from probe.diagnose.weights import Values, Versions, Weights, of_values, of_versions, values_of, versions_of
from probe.model.versions import version_key

SUPPOSED = 0.1
"""Weight of every neighbour between which something is supposed to lie, so that what was measured is preferred."""
BEYOND = 1.0
"""Weight of a version older or newer than all that are listed."""


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
    """The fit of a place with a client's traffic: weights of what does not fit, 0 = everything does."""

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


class Hulls:
    """Requests of trials under several conditions, equal ones as the same object, and the guesses made of them.

    They can be shared between fingerprints of which some versions were left out, as long as the whole is kept.
    """

    def __init__(self) -> None:
        self.guessed: dict[tuple[object, ...], Sequence[_Guess]] = {}
        """Names of the lines, versions by identity and lines that count to the guesses about them."""
        self._known: dict[tuple[object, ...], tuple[Versions, Values]] = {}
        self._versions: dict[object, Versions] = {}
        self._values: dict[object, Values] = {}

    def of(
        self, several: Sequence[TraitsByCondition], profiles: tuple[str, ...], names: tuple[str, ...]
    ) -> tuple[Versions, Values]:
        """Return request versions and values of some versions with some settings on some lines."""
        key = (*map(id, several), profiles, names)
        if key not in self._known:
            some = [one for seen in several for one in _at(seen, profiles, names)]
            versions, values = versions_of(some), values_of(some)
            self._known[key] = (
                self._versions.setdefault(frozenset(versions.items()), versions),
                self._values.setdefault(frozenset(values.items()), values),
            )
        return self._known[key]


_Beside = Mapping[int, tuple[tuple[str, ...], bool]]
"""API key to the lines whose requests count, and whether the brokers are older than all."""


@dataclass(frozen=True, slots=True)
class _Guess:
    """One supposition about settings and brokers, and what trials sent by it."""

    profiles: tuple[str, ...]
    lines: tuple[str, ...]
    """The lines that count for an API whose version brokers were not seen to offer."""
    weight: float
    versions: Mapping[tuple[str, ...], Versions]
    """Request versions by the lines that count. Equal ones are the same object."""
    values: Values
    """The same of what does not depend on the brokers."""

    @property
    def sent(self) -> tuple[int, ...]:
        """Return what identifies all that was sent."""
        return id(self.values), *map(id, self.versions.values())


class Fits:
    """Compares what was seen of a client with what is known of versions."""

    def __init__(self, lines: Lines, hulls: Hulls) -> None:
        self._lines = lines
        self._hulls = hulls

    def question(self, traits: Traits, offered: Mapping[int, int]) -> Question:
        """Return what was seen of a client, to be compared with several libraries."""
        beside = {api: self._lines.beside(api, offered[api]) for api in traits.versions if api in offered}
        return Question(self._lines.names, traits, beside)

    def of(self, versions: Mapping[str, TraitsByCondition], asked: Question) -> list[Fit]:
        """Return how every place of a library fits, oldest first."""
        return [self._fit(place, versions, asked) for place in _places([*versions])]

    def _fit(self, place: Place, versions: Mapping[str, TraitsByCondition], asked: Question) -> Fit:
        several = [versions[version] for version in place.versions]
        start = BEYOND if place.older or place.newer else SUPPOSED * (len(several) - 1)
        found = [
            (one.hard, one.hard + one.soft + guess.weight + start, guess.profiles)
            for guess in self._guesses(several, asked.names)
            for one in (asked.weights(place, guess),)
        ]
        _, whole, profiles = min(found, key=lambda one: one[1])
        return Fit(place=place, hard=min(hard for hard, _, _ in found), whole=whole, profiles=profiles)

    def _guesses(self, several: Sequence[TraitsByCondition], names: Sequence[tuple[str, ...]]) -> Sequence[_Guess]:
        """Return the guesses about some versions, of those by which the same was sent the first with least weight."""
        key, guessed = (self._lines.names, *map(id, several), *names), self._hulls.guessed
        if key not in guessed:
            best: dict[tuple[int, ...], _Guess] = {}
            for guess in self._made(several, names):
                held = best.get(guess.sent)
                if held is None or guess.weight < held.weight:
                    best.pop(guess.sent, None)  # the order stays that of the guesses
                    best[guess.sent] = guess
            guessed[key] = tuple(best.values())
        return guessed[key]

    def _made(self, several: Sequence[TraitsByCondition], names: Sequence[tuple[str, ...]]) -> Iterator[_Guess]:
        every = {at.profile for seen in several for at in seen}
        ordered = sorted(every, key=lambda profile: (_height(several, profile), profile))
        for profiles in (*((one,) for one in ordered), *pairwise(ordered)):
            weight = SUPPOSED * (len(profiles) - 1)
            for lines in (self._lines.names,) if names else self._lines.guesses():
                more = 0.0 if names else SUPPOSED * (len(lines) - 1)
                sent = {some: self._hulls.of(several, profiles, some)[0] for some in (lines, *names)}
                values = self._hulls.of(several, profiles, self._lines.names)[1]
                yield _Guess(profiles, lines, weight + more, sent, values)


class Question:
    """Observations of one client. Most versions send what their neighbours send, so weights are kept."""

    def __init__(self, lines: tuple[str, ...], traits: Traits, beside: _Beside) -> None:
        self.key = repr((lines, traits.versions, traits.values, beside))
        """Text that is the same for equal questions."""
        self.names = tuple({names: None for names, _ in beside.values()})
        """The lines that count for any API; empty if brokers were not seen to offer one."""
        self._traits = traits
        self._beside = beside
        self._by_versions: dict[object, Weights] = {}
        self._by_values: dict[int, Weights] = {}

    def weights(self, place: Place, guess: _Guess) -> Weights:
        """Return the weights of what does not fit. Only request versions depend on the brokers."""
        values = guess.values
        if id(values) not in self._by_values:
            self._by_values[id(values)] = of_values(self._traits, values)
        return self._versions(place, guess) + self._by_values[id(values)]

    def _versions(self, place: Place, guess: _Guess) -> Weights:
        key = (*map(id, guess.versions.values()), place.older, place.newer)
        if key not in self._by_versions:

            def known(api: int) -> tuple[Versions, bool]:
                names, older = self._beside.get(api, (guess.lines, False))
                return guess.versions[names], older or place.older

            self._by_versions[key] = of_versions(self._traits, known, above=place.newer)
        return self._by_versions[key]


def _at(seen: TraitsByCondition, profiles: tuple[str, ...], names: tuple[str, ...]) -> Iterator[Traits]:
    """Yield what was seen with these settings on these lines, or on all lines where these settings were not tried."""
    for profile in profiles:
        here = [seen[at] for name in names if (at := Condition(profile, name)) in seen]
        yield from here or (traits for at, traits in seen.items() if at.profile == profile)


def _places(versions: Sequence[str]) -> Iterator[Place]:
    yield Place(versions=(versions[0],), older=True)
    yield Place(versions=(versions[0],))
    for older, newer in pairwise(versions):
        yield Place(versions=(older, newer))
        yield Place(versions=(newer,))
    yield Place(versions=(versions[-1],), newer=True)


def _height(several: Sequence[TraitsByCondition], profile: str) -> int:
    """Return a number that is higher for a setting with higher request versions."""
    found = (traits for seen in several for at, traits in seen.items() if at.profile == profile)
    return max(sum(some[-1] for some in traits.versions.values()) for traits in found)
