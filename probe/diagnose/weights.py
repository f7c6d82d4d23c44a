"""Weights of traffic that does not fit what trials sent. `HEAVY` is the weight of what no setting explains. Pure.

The weights are chosen so that versions that are left out are named by the others (`benchmarks/fingerprints.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from probe.diagnose.traits import HARD, HEAVY, SOFT, Traits, Value

ABSENT = 1.0
"""Weight of an API that no trial of the library sent there: an application may ask what drivers do not."""
EITHER = 0.25
"""Weight of a request version that is that of one neighbour and not of the other."""
BETWEEN = 0.75
"""Weight of one that is neither's and lies between."""
OUTSIDE, REACH = 1.5, 5
"""Weight of one that is lower than the oldest version's or higher than the newest's, by at most so much."""


Versions = Mapping[int, tuple[int, int]]
"""API key to the lowest and highest request version that several trials sent."""
Values = Mapping[str, frozenset[Value]]
"""Their other requests, by name."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of what does not fit, 0 = everything does."""

    hard: float = 0.0
    """Of what an application does not set."""
    soft: float = 0.0

    def __add__(self, other: Weights) -> Weights:
        return Weights(self.hard + other.hard, self.soft + other.soft)


def versions_of(some: Iterable[Traits]) -> Versions:
    """Return the request versions of several trials."""
    found: dict[int, tuple[int, int]] = {}
    for one in some:
        for api, sent in one.versions.items():
            low, high = found.get(api, (sent[0], sent[-1]))
            found[api] = min(low, sent[0]), max(high, sent[-1])
    return found


def values_of(some: Iterable[Traits]) -> Values:
    """Return the other values of several trials."""
    found: dict[str, set[Value]] = {}
    for one in some:
        for name, values in one.values.items():
            found.setdefault(name, set()).update(values)
    return {name: frozenset(values) for name, values in found.items()}


def of_versions(traits: Traits, known: Callable[[int], tuple[Versions, bool]], *, above: bool) -> Weights:
    """Return the weights of request versions.

    `known` has what was sent of an API, and whether lower versions are supposed, too; `above`, whether higher ones are.
    """
    hard = soft = 0.0
    for api, some in traits.versions.items():
        versions, below = known(api)
        if (bounds := versions.get(api)) is None:
            soft += ABSENT
            continue
        for version in some:
            weight = _weight(version, bounds, below=below, above=above)
            hard, soft = (hard + weight, soft) if weight >= HEAVY else (hard, soft + weight)
    return Weights(hard, soft)


def of_values(traits: Traits, known: Values) -> Weights:
    """Return the weights of everything else."""
    hard = soft = 0.0
    for name, values in traits.values.items():
        if (possible := known.get(name)) and not possible.issuperset(values):
            odd = len(values) - len(possible.intersection(values))
            hard += HEAVY * odd if name in HARD else 0.0
            soft += SOFT.get(name, 0.0) * odd / len(values)
    return Weights(hard, soft)


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
