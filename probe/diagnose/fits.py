"""How well what was seen of a client fits each listed version of a library, and what lies between them. Pure.

A version that is not listed is supposed to lie between its neighbours: each of its requests has a version that neither
is lower than the older neighbour's nor higher than the newer one's. The same holds between two release lines of the
brokers, and between two settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from probe.diagnose.fingerprints import Condition, Fingerprints, Seen
from probe.diagnose.traits import HARD, HEAVY, SOFT, Traits
from probe.model.versions import version_key

UNBOUNDED = 1 << 15
"""Higher than any request version."""
ABSENT = 1.0
"""Weight of an API that no trial of the library sent there: an application may ask what drivers do not."""
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
        self.names = sorted({at.broker for seen in every for at in seen}, key=version_key)
        self._highest: list[dict[int, int]] = [{} for _ in self.names]
        for seen in every:
            for at, traits in seen.items():
                known = self._highest[self.names.index(at.broker)]
                for api, some in traits.versions.items():
                    known[api] = max(known.get(api, 0), some[-1])

    def guesses(self) -> Iterator[Sequence[str]]:
        """Yield the lines between which brokers may lie whose versions were not seen."""
        yield from ((name,) for name in self.names)
        yield from pairwise(self.names)

    def beside(self, api: int, offered: int) -> tuple[Sequence[str], bool]:
        """Return the lines whose clients send what they send to brokers that offer this version of an API, or the
        lines around them; and whether the brokers are older than all lines.

        Clients do not show what brokers offer beyond the newest client's request, and it makes no difference.
        """
        tops = [highest.get(api, 0) for highest in self._highest]
        wanted = min(offered, tops[-1])
        if same := [name for name, top in zip(self.names, tops, strict=True) if top == wanted]:
            return same, False
        above = next(place for place, top in enumerate(tops) if top > wanted)
        return self.names[max(above - 1, 0) : above + 1], above == 0


@dataclass(frozen=True, slots=True)
class _Guess:
    """One supposition about settings and brokers."""

    profiles: Sequence[str]
    lines: Mapping[int, tuple[Sequence[str], bool]]
    """API key to the lines whose requests count, and whether the brokers are older. Empty = `everywhere` for all."""
    everywhere: Sequence[str]
    weight: float


def fits(versions: Mapping[str, Seen], traits: Traits, lines: Lines, offered: Mapping[int, int]) -> list[Fit]:
    """Return how every place of a library fits what was seen, oldest first."""
    return [fit for place in _places([*versions]) if (fit := _fit(place, versions, traits, lines, offered)) is not None]


def _places(versions: Sequence[str]) -> Iterator[Place]:
    yield Place(versions=(versions[0],), older=True)
    yield Place(versions=(versions[0],))
    for older, newer in pairwise(versions):
        yield Place(versions=(older, newer))
        yield Place(versions=(newer,))
    yield Place(versions=(versions[-1],), newer=True)


def _fit(
    place: Place, versions: Mapping[str, Seen], traits: Traits, lines: Lines, offered: Mapping[int, int]
) -> Fit | None:
    several = [versions[version] for version in place.versions]
    start = BEYOND if place.older or place.newer else SUPPOSED * (len(several) - 1)
    hard, whole, profiles = float("inf"), float("inf"), tuple[str, ...]()
    for guess in _guesses(several, traits, lines, offered):
        fixed, free = _weights(place, several, guess, traits)
        hard = min(hard, fixed)
        if (total := fixed + free + guess.weight + start) < whole:
            whole, profiles = total, tuple(guess.profiles)
    return Fit(place=place, hard=hard, whole=whole, profiles=profiles) if profiles else None


def _guesses(several: Sequence[Seen], traits: Traits, lines: Lines, offered: Mapping[int, int]) -> Iterator[_Guess]:
    shared = set.intersection(*({at.profile for at in seen} for seen in several))
    ordered = sorted(shared, key=lambda profile: (_height(several[0], profile), profile))
    for profiles in (*((one,) for one in ordered), *pairwise(ordered)):
        weight = SUPPOSED * (len(profiles) - 1)
        if offered:
            known = {api: lines.beside(api, offered[api]) for api in traits.versions if api in offered}
            yield _Guess(profiles, known, lines.names, weight)
        else:
            for some in lines.guesses():
                yield _Guess(profiles, {}, some, weight + SUPPOSED * (len(some) - 1))


def _height(seen: Seen, profile: str) -> int:
    """Return a number that is higher for a setting with higher request versions."""
    return max(sum(some[-1] for some in traits.versions.values()) for at, traits in seen.items() if at.profile == profile)


def _weights(place: Place, several: Sequence[Seen], guess: _Guess, traits: Traits) -> tuple[float, float]:
    """Return the weights of what does not fit: what an application does not set, and the rest."""
    hard = soft = 0.0
    for api, some in traits.versions.items():
        names, before = guess.lines.get(api, (guess.everywhere, False))
        bounds = _bounds(place, api, [*_chosen(several, guess.profiles, names)], before=before)
        if bounds is None:
            soft += ABSENT
        else:
            hard += HEAVY * sum(1 for version in some if not bounds[0] <= version <= bounds[1])
    seen = [*_chosen(several, guess.profiles, guess.everywhere)]
    for name, values in traits.values.items():
        known = {value for one in seen for value in one.values.get(name, ())}
        odd = sum(1 for value in values if value not in known) if known else 0
        hard += HEAVY * odd if name in HARD else 0.0
        soft += SOFT.get(name, 0.0) * odd / len(values)
    return hard, soft


def _bounds(place: Place, api: int, seen: Iterable[Traits], *, before: bool) -> tuple[int, int] | None:
    """Return the lowest and highest version of an API there; None if no trial sent it."""
    found = [version for one in seen for version in one.versions.get(api, ())]
    if not found:
        return None
    return 0 if before or place.older else min(found), UNBOUNDED if place.newer else max(found)


def _chosen(several: Sequence[Seen], profiles: Sequence[str], names: Sequence[str]) -> Iterator[Traits]:
    for seen in several:
        for profile in profiles:
            for name in names:
                if (found := seen.get(Condition(profile, name))) is not None:
                    yield found
