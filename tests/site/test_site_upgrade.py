"""The upgrade page agrees with `probe advise`, and its address keeps the choices."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from probe.cells.aggregate import SettledCell, settle
from probe.cells.trends import Step, question
from probe.model import Cell, Outcome, Verdict
from probe.model.conditions import FIRST
from probe.model.grades import Trend
from probe.site.data.outcome_signs import TREND_SIGNS
from tests.support import site_data

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
    return Counter(str(Step(before[key], after[key]).trend) for key in before.keys() & after.keys())


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
    better = page.locator("[data-trend=better] tr", has_text="disk/storage-error").first
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


def test_every_trend_has_a_sign() -> None:
    assert set(TREND_SIGNS) == set(Trend)
