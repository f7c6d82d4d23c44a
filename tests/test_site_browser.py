"""The site as a reader uses it, in a real browser, from files."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
import site_data
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from probe.site.pages import Pages
from probe.site.rows import read_matrix

if TYPE_CHECKING:
    from browser import Built, Opener

pytest_plugins = ("browser",)
pytestmark = pytest.mark.browser

FILTERS = ("family", "role", "profile", "scenario", "outcome", "conforms", "engine", "broker")
VISIBLE = "links => links.filter(link => link.checkVisibility()).map(link => link.id)"


def visible(page: Page) -> set[str]:
    """Ids of the cells that can be seen; rows, columns and cells may each be hidden."""
    return set(page.locator("#matrix td a").evaluate_all(VISIBLE))


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


def test_without_filters_every_cell_is_there(built: Built, opener: Opener) -> None:
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
        assert visible(opener(page.url)) == expected, "the same URL, opened fresh"
        page.locator(f'details[data-filter={name}] input[value="{value}"]').evaluate("box => box.click()")
        assert given(page) == {}


def test_several_values_add_up_and_several_filters_narrow(built: Built, opener: Opener) -> None:
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


def test_rows_and_columns_without_a_match_go_away(built: Built, opener: Opener) -> None:
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


def test_search_as_one_types(built: Built, opener: Opener) -> None:
    page = opener(built.url)
    before = page.evaluate("history.length")
    page.get_by_label("Search").press_sequentially("1.43 consumer st")
    expected = wanted(built, lambda row: "1.43" in row["version"] and row["role"] == "consumer" and _said(row, "st"))
    assert visible(page) == expected
    assert given(page) == {"q": ["1.43 consumer st"]}
    assert page.evaluate("history.length") == before, "typing does not fill the history"
    assert visible(opener(page.url)) == expected


def _said(row: dict[str, str], word: str) -> bool:
    """Whether a word stands anywhere in a cell's scenario, outcome, profile, engine or broker."""
    return any(word in row[name].lower() for name in ("scenario", "outcome", "profile", "engine", "broker", "family"))


def test_back_and_forward(built: Built, opener: Opener) -> None:
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


def test_nothing_matches_and_the_way_out(built: Built, opener: Opener) -> None:
    page = opener(f"{built.url}#family=java&outcome=stuck")
    expect(page.get_by_text("Nothing matches")).to_be_visible()
    assert visible(page) == set()
    page.get_by_role("button", name="Show everything").click()
    expect(page.get_by_text("Nothing matches")).to_be_hidden()
    assert len(visible(page)) == len(built.rows)
    assert given(page) == {}


@pytest.mark.parametrize("button", ["Reset"])
def test_reset(button: str, built: Built, opener: Opener) -> None:
    page = opener(f"{built.url}#family=java&q=producer")
    assert len(visible(page)) < len(built.rows)
    page.get_by_role("button", name=button).click()
    assert len(visible(page)) == len(built.rows)
    assert given(page) == {}


def test_strange_filters_in_a_url_do_no_harm(built: Built, opener: Opener) -> None:
    page = opener(f"{built.url}#family=nobody&colour=red&at=nowhere&%E0%A4%A")
    assert visible(page) == wanted(built, lambda _: True)


def test_by_keyboard_to_a_timeline_and_back_with_the_filter(built: Built, opener: Opener) -> None:
    page = opener(f"{built.url}#family=sarama&role=producer")
    before = visible(page)
    page.locator(".matrix .scroller").focus()
    page.keyboard.press("Tab")
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    slug = page.evaluate("document.activeElement.id")
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
    assert page.evaluate("document.activeElement.id") == slug, "focus is where one left"


def test_the_browsers_own_back_keeps_the_filter_too(built: Built, opener: Opener) -> None:
    page = opener(f"{built.url}#outcome=flaky")
    before = visible(page)
    page.locator("#matrix td a:visible").first.click()
    page.wait_for_url("**/cell/**")
    page.go_back()
    page.wait_for_url("**/index.html*")
    assert visible(page) == before


def test_one_tab_stop_in_the_matrix(built: Built, opener: Opener) -> None:
    page = opener(built.url)
    assert page.locator("#matrix td a[tabindex='0']").count() == 1
    choose(page, "family", ["sarama"])
    stop = page.locator("#matrix td a[tabindex='0']")
    assert stop.count() == 1
    assert stop.get_attribute("id") in visible(page)


def test_skip_link_and_its_focus(built: Built, opener: Opener) -> None:
    page = opener(f"{built.url}#role=producer")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert given(page) == {"role": ["producer"]}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("outcome", ["", "flaky", "stuck", "not_run"])
def test_accessible(scheme: str, outcome: str, built: Built, opener: Opener) -> None:
    url = built.url
    if outcome:
        row = next(row for row in built.rows if row["outcome"] == outcome)
        url = (built.index.parent / "cell" / f"{site_data.slugs([row]).pop()}.html").as_uri()
    page = opener(url, color_scheme=scheme, bypass_csp=True)
    page.locator("details:not(.filter)").evaluate_all("boxes => boxes.forEach(box => box.open = true)")
    found = Axe().run(page, options={"preload": False})
    grave = [one for one in found.response["violations"] if one["impact"] in {"serious", "critical"}]
    told = [(one["id"], one["nodes"][0]["target"], one["nodes"][0].get("failureSummary")) for one in grave]
    assert told == []


def test_filters_are_accessible_when_open(built: Built, opener: Opener) -> None:
    page = opener(built.url, bypass_csp=True)
    page.locator("details[data-filter=outcome] > summary").click()
    found = Axe().run(page, options={"preload": False})
    assert [one["id"] for one in found.response["violations"] if one["impact"] in {"serious", "critical"}] == []


def test_without_script_it_is_a_plain_table(built: Built, opener: Opener) -> None:
    page = opener(built.url, java_script_enabled=False)
    assert page.locator("#matrix td a").count() == len(built.rows)
    expect(page.locator("#matrix td a").first).to_be_visible()
    expect(page.locator("#filters")).to_be_hidden()
    page.locator("#matrix td a").first.click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


@pytest.mark.parametrize("width", [360, 390, 768, 1440])
def test_no_page_scrolls_sideways(width: int, built: Built, opener: Opener) -> None:
    stuck = built.cell(version="1.27.0", role="producer", profile="isolated", outcome="stuck", engine="embedded")
    for url in (built.url, stuck.as_uri()):
        page = opener(url, viewport={"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_headers_stay_in_sight(built: Built, opener: Opener) -> None:
    page = opener(built.url, viewport={"width": 390, "height": 700})
    scroller = page.locator(".matrix .scroller")
    scroller.evaluate("box => { box.scrollLeft = 500; box.scrollTop = 400; }")
    box = scroller.bounding_box()
    first = page.locator("#matrix tbody th[scope=row]:visible").nth(12).bounding_box()
    head = page.locator("#matrix .versions th[data-version]").nth(6).bounding_box()
    assert box
    assert first
    assert head
    assert abs(first["x"] - box["x"]) < 3
    assert box["y"] <= head["y"] < box["y"] + 60


def test_a_focused_cell_is_not_under_the_headers(built: Built, opener: Opener) -> None:
    page = opener(built.url, viewport={"width": 600, "height": 500})
    page.locator(".matrix .scroller").focus()
    page.keyboard.press("Tab")
    for key in [*["ArrowRight"] * 9, *["ArrowDown"] * 9, *["ArrowLeft"] * 6, *["ArrowUp"] * 6]:
        page.keyboard.press(key)
    on_top = """link => { const box = link.getBoundingClientRect();
        const seen = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        return link.contains(seen); }"""
    assert page.locator("#matrix td a:focus").evaluate(on_top)


def test_what_clients_say_runs_no_script(built: Built, opener: Opener) -> None:
    page = opener(
        built.cell(version="1.27.0", role="producer", profile="isolated", outcome="stuck", engine="embedded").as_uri()
    )
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    expect(page.locator(".reason")).to_contain_text(site_data.NASTY)


def test_print_shows_the_whole_matrix(built: Built, opener: Opener) -> None:
    page = opener(built.url)
    page.emulate_media(media="print")
    expect(page.locator("#filters")).to_be_hidden()
    scroller = page.locator(".matrix .scroller")
    assert scroller.evaluate("box => getComputedStyle(box).overflow") == "visible"
    assert page.locator("#matrix tbody tr:last-child").last.is_visible()


def test_ten_thousand_cells_stay_smooth(tmp_path: Path, built: Built, opener: Opener) -> None:
    csv = site_data.write_matrix(tmp_path / "matrix.csv", site_data.many(10_000))
    (tmp_path / "index.html").write_text(Pages(read_matrix(csv)).index(), encoding="utf-8")
    for name in ("site.css", "site.js"):
        shutil.copyfile(built.index.parent / name, tmp_path / name)
    page = opener((tmp_path / "index.html").as_uri())
    expect(page.locator("#count")).to_contain_text("10000 of 10000 cells")
    took = page.evaluate(
        """() => { const box = document.querySelector('input[value=stuck]'); const start = performance.now();
        box.click(); document.body.getBoundingClientRect(); return performance.now() - start; }"""
    )
    expect(page.locator("#count")).not_to_contain_text("10000 of 10000")
    assert took < 2500, f"a filter took {took:.0f} ms"
    print(f"a filter over 10,000 cells took {took:.0f} ms")  # noqa: T201 - shown with pytest -s
