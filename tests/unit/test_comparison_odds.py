"""The benchmark of comparisons by a model and by what ships."""

from __future__ import annotations

import random

import pytest

from benchmarks.comparison_odds import BAD, DRAWN, GOOD, main, of_chance


def test_cells_of_chance_have_trials_enough_of_both_kinds() -> None:
    cells = of_chance(random.Random(1), count=5, half=True)
    assert [len(one) for one in cells] == [DRAWN] * 5
    assert all({BAD, GOOD} >= {*one} for one in cells)


@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        (
            ["model", "--comparisons", "2", "--cells", "20"],
            "1% of 20 cells of chance, share of trials that stop uniform: worse in",
        ),
        (
            ["shipped", "sarama@1.43.2", "--comparisons", "2"],
            "sarama@1.43.2: ",
        ),
    ],
)
def test_the_same_seed_gives_the_same_figures(
    arguments: list[str], begins: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PROBE_EVIDENCE")
    main(arguments)
    first = capsys.readouterr().out
    main(arguments)
    assert first.replace("\n", " ").startswith(begins)
    assert capsys.readouterr().out == first
