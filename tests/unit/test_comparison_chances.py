"""The arithmetic of comparisons, against scipy and the published figures."""

from __future__ import annotations

from itertools import product

import pytest

from probe.cells.chances import fisher, greatest_difference, holm, least

UP_TO = 20


@pytest.mark.parametrize("trials", range(1, UP_TO + 1))
def test_fisher_agrees_with_scipy_on_every_table(trials: int) -> None:
    from scipy.stats import hypergeom  # noqa: PLC0415  # its import costs each worker that collects this file a second

    for other in range(1, UP_TO + 1):
        for bad, other_bad in product(range(trials + 1), range(other + 1)):
            # the tail that fisher_exact(alternative="greater") sums; the next test compares with that itself
            expected = hypergeom.sf(bad - 1, trials + other, bad + other_bad, trials)
            assert fisher(bad, trials, other_bad, other) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("trials", "other"), [(4, 4), (12, 12), (20, 20), (7, 12), (1, 20)])
def test_fisher_agrees_with_the_test_of_scipy(trials: int, other: int) -> None:
    from scipy.stats import fisher_exact  # noqa: PLC0415  # the same

    for bad, other_bad in product(range(trials + 1), range(other + 1)):
        table = [[bad, trials - bad], [other_bad, other - other_bad]]
        expected = fisher_exact(table, alternative="greater").pvalue
        assert fisher(bad, trials, other_bad, other) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_the_least_value_is_that_of_the_furthest_spread() -> None:
    assert least(6, 12, 6, 12) == pytest.approx(fisher(12, 12, 0, 12))
    assert least(1, 12, 0, 12) == pytest.approx(0.5)
    assert least(0, 12, 0, 12) == least(12, 12, 12, 12) == 1.0


def test_holm_goes_on_from_the_smallest_until_one_fails() -> None:
    assert holm([0.004, 0.0001, 0.0026], 0.005) == [False, True, False]
    assert holm([0.004, 0.0001, 0.0024], 0.005) == [True, True, True]
    assert holm([], 0.005) == []


@pytest.mark.parametrize(("trials", "limit"), [(7, 0.28), (12, 0.18)])
def test_shares_without_a_bad_trial_are_so_far_apart_at_most(trials: int, limit: float) -> None:
    assert greatest_difference(0, trials, 0, trials) == pytest.approx(limit, abs=0.005)
    assert greatest_difference(trials, trials, trials, trials) == pytest.approx(limit, abs=0.005)
