"""The upgrade page agrees with `probe advise`, and its address keeps the choices."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from probe.cells.aggregate import SettledCell, settle
from probe.cells.comparison import Answer, Compared, Pair, compare
from probe.cells.comparison_steps import Asked, compared_steps
from probe.cells.trends import Step, question
from probe.model import Cell, Outcome, Verdict
from probe.model.conditions import FIRST
from probe.site.data.outcome_signs import ANSWER_SIGNS, BAD_IN_BOTH
from probe.site.pages.upgrade import ORDER, RULES, harms
from probe.site.render.build import STATIC
from tests.support import site_data
from tests.support.synthetic_rows import CELL, verdict

if TYPE_CHECKING:
    from tests.support.browser import Built, Opener

pytest_plugins = ("tests.support.browser",)

SHOWN = """() => Object.fromEntries([...document.querySelectorAll('#advice [data-trend]')].map(part =>
    [part.dataset.trend, part.querySelectorAll('tbody tr').length]))"""


class Stored:
    """A trial as the store returns it, with the verdict of the matrix."""

    run_id = site_data.RUN
    shortened = False
    sweep = ""
    conditions = FIRST

    def __init__(self, cell: Cell, trial: int, verdict: Verdict) -> None:
        self.cell, self.trial, self.verdict = cell, trial, verdict


def advised(family: str, old: str, new: str) -> Counter[str]:
    """The command's counts over the same trials as the site."""
    rows = [Stored(one.cell, one.trial, one.verdict) for one in site_data.trials(site_data.RUN)]
    stored = [item for item in settle(rows).values() if item.outcome is not Outcome.NOT_RUN]
    before, after = of(stored, family, old), of(stored, family, new)
    steps = [Step(before[key], after[key]) for key in before.keys() & after.keys()]
    return Counter(_group(one) for one in compared_steps(steps, Asked.of(stored)))


def _group(one: Compared) -> str:
    bad = one.step.before.conforms is False and one.step.after.conforms is False
    return BAD_IN_BOTH if one.answer is Answer.SAME and bad else str(one.answer)


def of(stored: list[SettledCell], family: str, version: str) -> dict[tuple[str, ...], SettledCell]:
    return {
        question(item.cell, "version"): item
        for item in stored
        if (item.cell.family, item.cell.version) == (family, version)
        and (item.cell.profile, item.cell.engine.value, item.cell.broker) == ("isolated", "embedded", "3.9")
    }


def opened(built: Built, opener: Opener, family: str, old: str, new: str) -> Page:
    setting = {"profile": "isolated", "engine": "embedded", "broker": "3.9"}
    query = urlencode({"family": family, "from": old, "to": new} | setting)
    return opener(f"{(built.site / 'upgrade.html').as_uri()}#{query}")


@pytest.mark.browser
@pytest.mark.parametrize(
    ("family", "old", "new"),
    [
        ("sarama", "1.27.0", "1.46.1"),
        ("sarama", "1.43.2", "1.43.3"),
        ("sarama", "1.46.1", "1.9.0"),
        ("librdkafka", "1.5.0", "2.10.1"),
        ("librdkafka", "2.10.1", "1.9.2"),
    ],
)
def test_page_and_command_count_the_same(family: str, old: str, new: str, built: Built, opener: Opener) -> None:
    page = opened(built, opener, family, old, new)
    expected = advised(family, old, new)
    assert len(expected) > 1, "the data cannot tell trends apart"
    assert Counter(page.evaluate(SHOWN)) == expected
    links = page.locator("#advice a").evaluate_all("links => links.map(link => link.href)")
    assert links
    for link in links:
        assert (built.site / "cell" / link.rsplit("/", 1)[-1]).is_file(), link


@pytest.mark.browser
def test_the_smallest_upgrade_that_helps_is_named(built: Built, opener: Opener) -> None:
    page = opened(built, opener, "sarama", "1.27.0", "1.46.1")
    better = page.locator("[data-trend=undecided] tr", has_text="disk/storage-error").first
    expect(better).to_contain_text("conforms from 1.43.3 on")
    expect(page.locator("#advice code")).to_contain_text("probe advise sarama 1.27.0 1.46.1")


@pytest.mark.browser
def test_choices_are_in_the_address_and_restored(built: Built, opener: Opener) -> None:
    page = opened(built, opener, "sarama", "1.43.2", "1.43.3")
    page.get_by_label("Client").select_option("librdkafka")
    expect(page.get_by_role("heading", level=2).first).to_contain_text("librdkafka")
    assert "family=librdkafka" in page.url
    page.get_by_role("button", name="Swap versions").click()
    swapped = page.get_by_role("heading", level=2).first.inner_text()
    page.go_back()
    assert page.get_by_role("heading", level=2).first.inner_text() != swapped
    page.go_back()
    expect(page.get_by_role("heading", level=2).first).to_contain_text("sarama 1.43.2")


@pytest.mark.browser
def test_invalid_choices_in_an_address_are_ignored(built: Built, opener: Opener) -> None:
    page = opener(f"{(built.site / 'upgrade.html').as_uri()}#family=nobody&from=0&to=%E0%A4%A&engine=steam")
    expect(page.get_by_role("heading", level=2).first).to_be_visible()


def test_every_answer_of_the_page_has_a_sign() -> None:
    assert set(ANSWER_SIGNS) == set(ORDER) == {*Answer, BAD_IN_BOTH} - {Answer.EQUAL}


def drawn(rng: random.Random) -> tuple[Pair, list[dict[str, object]]]:
    """Draw two sides of one run or of two, with what the page has of them."""
    share, other = rng.choice([(0, 1), (0, 0), (0.5, 0.5), (0.1, 0.9), (1, 1), (0, 0.6), (1, 0)])
    count, apart, chance = rng.choice([1, 1, 4, 6, 12, 20]), rng.random() < 0.2, rng.random() < 0.5
    bad = rng.choice([Outcome.STUCK, Outcome.LATE, Outcome.STORMS, Outcome.SURFACES])
    sides: list[SettledCell] = []
    shown: list[dict[str, object]] = []
    for place, rate in enumerate((share, other)):
        number = rng.choice([count, count + 1])
        outcomes = [bad if rng.random() < rate else Outcome.REFRESHES for _ in range(number)]
        found = tuple(verdict(one, recovery_ms=None) for one in outcomes)
        run = f"r{place * apart}"
        sides.append(SettledCell(cell=CELL, run_id=run, trial=0, verdicts=found))
        known = {"run": place * apart, "harms": harms(sides[-1]), "chance": chance, "recovery": None}
        shown.append(known | {"outcome": str(sides[-1].outcome)})
    return Pair(Step(*sides), chance), shown


def test_the_script_says_what_the_command_says(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    rng = random.Random(11)
    pairs, shown = zip(*(drawn(rng) for _ in range(600)), strict=True)
    groups = [slice(start, start + 20) for start in range(0, 600, 20)]
    asked = tmp_path / "asked.json"
    asked.write_text(json.dumps({"rules": RULES, "groups": [shown[group] for group in groups]}))
    script = STATIC / "comparison.js"
    code = f"""const comparison = require({json.dumps(str(script))});
        const asked = JSON.parse(require("fs").readFileSync({json.dumps(str(asked))}, "utf8"));
        const said = (pairs) => comparison.all(pairs, asked.rules).map((one) => one.answer);
        console.log(JSON.stringify(asked.groups.map(said)))"""
    done = subprocess.run([node, "-e", code], capture_output=True, text=True, check=True)
    expected = [[str(one.answer) for one in compare(pairs[group])] for group in groups]
    assert json.loads(done.stdout) == expected
    assert {answer for group in expected for answer in group} >= {"worse", "better", "undecided", "no difference seen"}
