"""The site as it looks and as assistive technology meets it: axe, widths, print, no script, ten thousand cells."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import site_data
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from site_play import NASTY

from probe.site.pages import Pages
from probe.site.rows import read_matrix

if TYPE_CHECKING:
    from browser import Built, Opener

pytest_plugins = ("browser",)
pytestmark = pytest.mark.browser


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
    expect(page.locator(".reason")).to_contain_text(NASTY)


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


@pytest.mark.parametrize("width", [390, 1280])
def test_an_open_filter_stays_on_the_page(width: int, built: Built, opener: Opener) -> None:
    page = opener(built.url, viewport={"width": width, "height": 800})
    for box in page.locator("details.filter").all():
        box.locator("summary").click()
        fits = "list => { const at = list.getBoundingClientRect(); return at.x >= 0 && at.right <= innerWidth; }"
        page.wait_for_function(fits, arg=box.locator("fieldset").element_handle(), timeout=5000)
