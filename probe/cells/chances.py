"""The arithmetic of comparisons: Fisher's exact test, Holm's correction, Newcombe's interval. Pure, `math` only."""

from __future__ import annotations

import math
from collections.abc import Sequence

from probe.model.intervals import Z_90, wilson


def fisher(bad: int, trials: int, other_bad: int, other_trials: int) -> float:
    """Return how often chance alone gives the first side at least this number of bad trials, if both are alike.

    From 0 to 1, one-sided; Fisher 1922, the upper tail of the hypergeometric distribution.
    """
    total, of_all = bad + other_bad, trials + other_trials
    most = min(trials, total)
    ways = sum(math.comb(trials, hits) * math.comb(other_trials, total - hits) for hits in range(bad, most + 1))
    return ways / math.comb(of_all, total)


def least(bad: int, trials: int, other_bad: int, other_trials: int) -> float:
    """Return the least value that `fisher` has for either side if the same bad trials were spread otherwise."""
    total = bad + other_bad
    first, other = min(trials, total), min(other_trials, total)
    return min(
        fisher(first, trials, total - first, other_trials),
        fisher(other, other_trials, total - other, trials),
    )


def holm(values: Sequence[float], level: float) -> list[bool]:
    """Return which of several tests hold at a level that all of them share (Holm 1979)."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    held = [False] * len(values)
    for rank, place in enumerate(order):
        if values[place] > level / (len(values) - rank):
            break
        held[place] = True
    return held


def greatest_difference(bad: int, trials: int, other_bad: int, other_trials: int) -> float:
    """Return the upper limit (one-sided 95 %) of the distance of two shares (Newcombe 1998, from Wilson's limits)."""
    share, other = bad / trials, other_bad / other_trials
    low, high = wilson(bad, trials, Z_90, math.sqrt)
    other_low, other_high = wilson(other_bad, other_trials, Z_90, math.sqrt)
    up = share - other + math.hypot(high - share, other - other_low)
    down = other - share + math.hypot(other_high - other, share - low)
    return max(up, down)
