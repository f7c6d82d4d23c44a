"""Appearance and accessibility of the site: axe, widths, print, no scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.support import site_data
from tests.support.deadlines import LONGEST_S
from tests.support.site_trials import NASTY

if TYPE_CHECKING:
    from tests.support.browser import Built, Opener

pytest_plugins = ("tests.support.browser",)
pytestmark = pytest.mark.browser


PAGES = (
    "index.html", "clients.html", "scenarios.html", "upgrade.html", "ready.html", "sweeps.html", "costs.html",
    "changes.html",
)  # fmt: skip
OUTCOMES = ("stuck", "flaky", "not_run")


def pages_of(built: Built) -> list[str]:
    cells = (next(row for row in built.rows if row["outcome"] == outcome) for outcome in OUTCOMES)
    named = [*PAGES, "client/sarama-1.27.0.html", "scenario/disk.storage-error.html"]
    named += [f"cell/{site_data.slugs([row]).pop()}.html" for row in cells]
    return [(built.site / name).as_uri() for name in named]


def test_pages_are_accessible(built: Built, opener: Opener) -> None:
    page = opener(bypass_csp=True)
    for url in pages_of(built):
        page.goto(url)
        page.locator("details:not(.filter, .trial ~ .trial *)").evaluate_all(
            "boxes => boxes.forEach(box => box.open = true)"
        )
        assert grave(page) == [], url


def test_dark_mode_has_enough_contrast(built: Built, opener: Opener) -> None:
    page = opener(color_scheme="dark", bypass_csp=True)
    for url in pages_of(built)[:-2]:
        page.goto(url)
        assert grave(page, "color-contrast", "link-in-text-block") == [], url


def test_tables_keep_their_roles_on_a_phone(built: Built, opener: Opener) -> None:
    page = opener(viewport={"width": 390, "height": 800}, bypass_csp=True)
    for url in pages_of(built)[:-2]:
        page.goto(url)
        assert grave(page, "cat.tables", "cat.aria", "cat.keyboard") == [], url


def grave(page: Page, *rules: str) -> list[tuple[object, ...]]:
    """Serious and critical findings of axe, by all rules or by the given rules or kinds."""
    only = {"runOnly": {"type": "tag" if rules[0].startswith("cat.") else "rule", "values": rules}} if rules else {}
    found = Axe().run(page, options={"preload": False} | only).response["violations"]
    bad = [one for one in found if one["impact"] in {"serious", "critical"}]
    return [(one["id"], one["nodes"][0]["target"], one["nodes"][0].get("failureSummary")) for one in bad]


def test_filters_are_accessible_when_open(built: Built, opener: Opener) -> None:
    page = opener(built.url, bypass_csp=True)
    page.locator("details[data-filter=outcome] > summary").click()
    assert grave(page) == []


def test_without_scripts_the_matrix_is_a_plain_table(built: Built, opener: Opener) -> None:
    page = opener(built.url, java_script_enabled=False)
    assert page.locator("#matrix td a").count() == len(built.rows)
    expect(page.locator("#matrix td a").first).to_be_visible()
    expect(page.locator("#filters")).to_be_hidden()
    page.locator("#matrix td a").first.click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_the_words_of_a_sweep_are_readable_on_a_phone(built: Built, opener: Opener) -> None:
    page = opener((built.site / "sweeps.html").as_uri(), viewport={"width": 390, "height": 800})
    heights = page.locator("svg.sweep text").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    assert min(heights) >= 9
    inside = """() => { const frame = document.querySelector("svg.sweep").getBoundingClientRect();
        return [...document.querySelectorAll("svg.sweep text")].map(one => one.getBoundingClientRect()).filter(
            box => box.left < frame.left - 1 || box.right > frame.right + 1).length; }"""
    assert page.evaluate(inside) == 0, "a word is cut off"


@pytest.mark.parametrize("width", [360, 390, 768])
def test_no_page_scrolls_sideways(width: int, built: Built, opener: Opener) -> None:
    page = opener(viewport={"width": width, "height": 800})
    for url in pages_of(built):
        page.goto(url)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, url


def test_headers_stay_visible_while_scrolling(built: Built, opener: Opener) -> None:
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


@pytest.mark.parametrize("width", [390, 1280])
def test_every_cell_is_below_its_version(width: int, built: Built, opener: Opener) -> None:
    page = opener(built.url, viewport={"width": width, "height": 900})
    astray = """() => { const left = node => Math.round(node.getBoundingClientRect().x);
        const heads = [...document.querySelectorAll('#matrix .versions th')].map(left);
        return [...document.querySelectorAll('#matrix tbody tr[data-scenario]')].filter(
            row => [...row.cells].some((cell, index) => Math.abs(left(cell) - heads[index]) > 1)).length; }"""
    assert page.evaluate(astray) == 0


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


def test_client_texts_run_no_script(built: Built, opener: Opener) -> None:
    page = opener(
        built.cell(version="1.27.0", role="producer", profile="isolated", outcome="stuck", engine="embedded").as_uri()
    )
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    expect(page.locator(".reason")).to_contain_text(NASTY)


def test_print_shows_the_whole_matrix(built: Built, opener: Opener) -> None:
    page = opener(built.url)
    page.emulate_media(media="print")
    expect(page.locator("#filters")).to_be_hidden()
    scroller = page.locator(".matrix .scroller")
    assert scroller.evaluate("box => getComputedStyle(box).overflow") == "visible"
    assert page.locator("#matrix tbody tr:last-child").last.is_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_an_open_filter_stays_on_the_page(width: int, built: Built, opener: Opener) -> None:
    page = opener(built.url, viewport={"width": width, "height": 800})
    for box in page.locator("details.filter").all():
        box.locator("summary").click()
        fits = "list => { const at = list.getBoundingClientRect(); return at.x >= 0 && at.right <= innerWidth; }"
        page.wait_for_function(fits, arg=box.locator("fieldset").element_handle(), timeout=1000 * LONGEST_S)


def test_print_is_light_in_dark_mode(built: Built, opener: Opener) -> None:
    page = opener(built.url, color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) != "rgb(255, 255, 255)"
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
