"""The plan and the report of `benchmarks/year.py`."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.faults.clock import library
from tests.support.year.plan import AT_FIRST, Year
from tests.support.year.report import LINES, picture, table, trend
from tests.support.year.usage import measured, size

RELEASES = [f"1.{minor}.0" for minor in range(23)]
YEAR = Year(300, RELEASES, publish_every=5)
ROUNDS = [YEAR.planned(number) for number in range(YEAR.rounds)]


def rows(growth: float) -> list[dict[str, str]]:
    rng = random.Random(1)
    values = [100 + growth * number + rng.uniform(-1, 1) for number in range(100)]
    return [{"round": str(number), **dict.fromkeys(LINES, f"{value:.3f}")} for number, value in enumerate(values)]


def test_releases_appear_one_by_one_and_then_no_more() -> None:
    newest = [RELEASES.index(one.newest) for one in ROUNDS]
    assert newest[0] == AT_FIRST - 1
    assert {after - before for before, after in itertools.pairwise(newest)} == {0, 1}
    assert set(newest[YEAR.settled_from :]) == {len(RELEASES) - 1}


def test_numbers_change_and_trials_are_judged_again_after_each_round_of_an_older_program() -> None:
    assert [one.conditions_later for one in ROUNDS[:: YEAR.rounds // 4]] == [0, 1, 2, 3]
    older = [one.number for one in ROUNDS if one.has_older_rules]
    judged = [one.number for one in ROUNDS if one.judges]
    assert len(older) >= 4
    assert all(any(number < later <= number + YEAR.publish_every for later in judged) for number in older[:4])
    assert not ROUNDS[0].judges


def test_each_fiftieth_round_is_opened_once_its_site_is_built() -> None:
    assert len([one for one in ROUNDS if one.visits]) == 5
    assert all(one.publishes for one in ROUNDS if one.visits or one.judges)
    assert [one.publishes for one in ROUNDS].count(True) == YEAR.rounds / YEAR.publish_every


@pytest.mark.parametrize(("growth", "word"), [(0.0, "flat"), (0.5, "grows"), (-0.5, "flat"), (0.025, "undecided")])
def test_a_line_that_grows_is_no_flat_one(growth: float, word: str) -> None:
    lines = list(table(rows(growth), 20))
    assert len(lines) == 2 + len(LINES)
    assert all(line.endswith(f" {word} |") for line in lines[2:])


def test_few_rounds_say_nothing() -> None:
    assert trend([(0, 1), (1, 2)]) is None
    assert "too few rounds" in list(table(rows(1)[:25], 20))[2]
    assert picture([], 20).count("<polyline") == picture(rows(1), 20).count("<polyline") == len(LINES)


def test_a_command_has_the_clock_of_its_day_and_is_measured(tmp_path: Path) -> None:
    clock = tmp_path / "clock"
    clock.write_text(str(10 * 86_400))
    env = {"LD_PRELOAD": str(library(tmp_path)), "WALL_CLOCK_OFFSET": str(clock)}
    said = "import sys, time; bytearray(50 << 20); sys.stderr.write(time.strftime('%s'))"
    used = measured([sys.executable, "-c", said], env, tmp_path / "errors")
    now = int(subprocess.run(["date", "+%s"], capture_output=True, text=True, check=True).stdout)
    assert abs(int(used.said) - now - 10 * 86_400) < 60
    assert (used.code, used.peak_mb > 50, used.cpu_s > 0) == (0, True, True)
    assert size(tmp_path).files == 3


def test_a_program_of_other_numbers_stores_them() -> None:
    code = (
        "from tests.support.year.program import renumber; renumber(-1, 2);"
        "from probe.verdict import RULES_VERSION; from probe.store.run_description import conditions_now;"
        "from probe.model.conditions import CHANGES; print(RULES_VERSION, conditions_now()['embedded'], len(CHANGES))"
    )
    plain = "from probe.verdict import RULES_VERSION; from probe.model.conditions import CHANGES, CURRENT;"
    plain += "print(RULES_VERSION - 1, max(CURRENT.values()) + 2, len(CHANGES) + 4)"
    both = [
        subprocess.run(
            [sys.executable, "-c", one], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
        )
        for one in (code, plain)
    ]
    assert both[0].stdout == both[1].stdout
