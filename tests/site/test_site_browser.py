"""The site as a reader uses it, in a real browser, from files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.support import site_data

if TYPE_CHECKING:
    from tests.support.browser import Built, Opener

pytest_plugins = ("tests.support.browser",)
pytestmark = pytest.mark.browser

FILTERS = ("family", "role", "profile", "scenario", "outcome", "conforms", "engine", "broker")
SLUG = "decodeURIComponent(link.pathname.split('/').pop()).replace(/[.]html$/, '')"
VISIBLE = f"links => links.filter(link => link.checkVisibility()).map(link => {SLUG})"


def visible(page: Page) -> set[str]:
    """Names of the visible cells; rows, columns and cells may each be hidden."""
    return set(page.locator("#matrix td a").evaluate_all(VISIBLE))


def focused(page: Page) -> str:
    return str(page.evaluate(f"(link => {SLUG})(document.activeElement)"))


def wanted(built: Built, keep: Callable[[dict[str, str]], bool]) -> set[str]:
    return site_data.slugs(row for row in built.rows if keep(row))


def value_of(row: dict[str, str], name: str) -> str:
    return (row[name] or "none") if name == "conforms" else row[name]


def choose(page: Page, name: str, values: Iterable[str]) -> None:
    page.locator(f"details[data-filter={name}] > summary").click()
    for value in values:
        page.locator(f'details[data-filter={name}] input[value="{value}"]').check()
    page.keyboard.press("Escape")


def given(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).fragment)


def test_without_filters_every_cell_is_shown(built: Built, opener: Opener) -> None:
    page = opener(built.url)
    assert visible(page) == wanted(built, lambda _: True)
    expect(page.locator("#count")).to_contain_text(f"{len(built.rows)} of {len(built.rows)} cells")


@pytest.mark.parametrize("name", FILTERS)
def test_each_value_of_a_filter_shows_exactly_its_cells(name: str, built: Built, opener: Opener) -> None:
    values = sorted({value_of(row, name) for row in built.rows})
    assert len(values) > 1, f"the data cannot tell whether {name} works"
    page = opener(built.url)
    for value in values:
        choose(page, name, [value])
        expected = wanted(built, lambda row, value=value: value_of(row, name) == value)  # type: ignore[misc]
        assert visible(page) == expected, value
        assert 0 < len(expected) < len(built.rows)
        assert given(page) == {name: [value]}
        expect(page.locator("#count")).to_contain_text(f"{len(expected)} of {len(built.rows)} cells")
        if value == values[-1]:
            assert visible(opener(page.url)) == expected, "the same URL, opened fresh"
        page.locator(f'details[data-filter={name}] input[value="{value}"]').evaluate("box => box.click()")
        assert given(page) == {}


def test_values_of_a_filter_add_and_filters_narrow(built: Built, opener: Opener) -> None:
    page = opener(built.url)
    choose(page, "family", ["sarama", "java"])
    choose(page, "outcome", ["stuck", "refreshes"])
    choose(page, "role", ["consumer"])
    expected = wanted(
        built,
        lambda row: (
            row["family"] in {"sarama", "java"}
            and row["outcome"] in {"stuck", "refreshes"}
            and row["role"] == "consumer"
        ),
    )
    assert visible(page) == expected
    assert given(page) == {"family": ["java", "sarama"], "outcome": ["refreshes", "stuck"], "role": ["consumer"]}
    assert visible(opener(page.url)) == expected


def test_rows_and_columns_without_a_match_are_hidden(built: Built, opener: Opener) -> None:
    page = opener(built.url)
    choose(page, "family", ["sarama"])
    choose(page, "outcome", ["stuck"])
    heads = page.locator("#matrix .versions th[data-version]")
    shown = [head.get_attribute("data-version") for head in heads.all() if head.is_visible()]
    assert shown == ["1.27.0", "1.43.2"]
    assert page.locator("#matrix .families th:visible").all_inner_texts() == ["sarama"]
    rows = page.locator("#matrix tbody tr[data-scenario]:visible th")
    assert {text.replace("\n", "") for text in rows.all_inner_texts()} == {"disk/storage-error"}
    assert page.locator("#matrix .families th:visible").get_attribute("colspan") == "2"


def test_search_works_while_typing(built: Built, opener: Opener) -> None:
    page = opener(built.url)
    before = page.evaluate("history.length")
    page.get_by_label("Search").press_sequentially("1.43 consumer st")
    expected = wanted(built, lambda row: "1.43" in row["version"] and row["role"] == "consumer" and _said(row, "st"))
    assert visible(page) == expected
    assert given(page) == {"q": ["1.43 consumer st"]}
    assert page.evaluate("history.length") == before, "typing does not fill the history"
    assert visible(opener(page.url)) == expected


def _said(row: dict[str, str], word: str) -> bool:
    """Whether a cell's scenario, outcome, profile, engine or broker contains a word."""
    return any(word in row[name].lower() for name in ("scenario", "outcome", "profile", "engine", "broker", "family"))


def test_back_and_forward_restore_filters(built: Built, opener: Opener) -> None:
    page = opener(built.url)
    everything = visible(page)
    choose(page, "family", ["java"])
    java = visible(page)
    choose(page, "role", ["producer"])
    both = visible(page)
    page.go_back()
    assert visible(page) == java
    assert page.locator("input[value=java]").is_checked()
    page.go_back()
    assert visible(page) == everything
    page.go_forward()
    page.go_forward()
    assert visible(page) == both


def test_an_empty_result_offers_a_reset(built: Built, opener: Opener) -> None:
    page = opener(f"{built.url}#family=java&outcome=stuck")
    expect(page.get_by_text("Nothing matches")).to_be_visible()
    assert visible(page) == set()
    page.get_by_role("button", name="Show everything").click()
    expect(page.get_by_text("Nothing matches")).to_be_hidden()
    assert len(visible(page)) == len(built.rows)
    assert given(page) == {}


def test_reset_removes_all_filters(built: Built, opener: Opener) -> None:
    page = opener(f"{built.url}#family=java&q=producer")
    assert len(visible(page)) < len(built.rows)
    page.get_by_role("button", name="Reset").click()
    assert len(visible(page)) == len(built.rows)
    assert given(page) == {}


def test_invalid_filters_in_a_url_are_ignored(built: Built, opener: Opener) -> None:
    page = opener(f"{built.url}#family=nobody&colour=red&at=nowhere&%E0%A4%A")
    assert visible(page) == wanted(built, lambda _: True)


def test_keyboard_navigation_keeps_the_filter(built: Built, opener: Opener) -> None:
    page = opener(f"{built.url}#family=sarama&role=producer")
    before = visible(page)
    page.locator(".matrix .scroller").focus()
    page.keyboard.press("Tab")
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    slug = focused(page)
    target = built.cell(
        version="1.27.0", role="producer", profile="isolated", scenario="broker/shutdown", engine="embedded"
    )
    assert slug == target.stem
    page.keyboard.press("Enter")
    page.wait_for_url("**/cell/**")
    expect(page.get_by_role("heading", level=1)).to_contain_text("1.27.0")
    expect(page.locator("svg.timeline").first).to_be_visible()
    page.get_by_role("link", name="Back to the matrix").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/index.html*")
    assert visible(page) == before
    assert given(page) == {"family": ["sarama"], "role": ["producer"]}
    assert focused(page) == slug, "focus is where one left"


def test_the_back_button_keeps_the_filter(built: Built, opener: Opener) -> None:
    page = opener(f"{built.url}#outcome=flaky")
    before = visible(page)
    page.locator("#matrix td a:visible").first.click()
    page.wait_for_url("**/cell/**")
    page.go_back()
    page.wait_for_url("**/index.html*")
    assert visible(page) == before


def test_the_matrix_is_one_tab_stop(built: Built, opener: Opener) -> None:
    page = opener(built.url)
    assert page.locator("#matrix td a[tabindex='0']").count() == 1
    choose(page, "family", ["sarama"])
    stop = page.locator("#matrix a[tabindex='0']")
    assert stop.count() == 1
    assert stop.is_visible()


def test_the_skip_link_moves_focus(built: Built, opener: Opener) -> None:
    page = opener(f"{built.url}#role=producer")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert given(page) == {"role": ["producer"]}
