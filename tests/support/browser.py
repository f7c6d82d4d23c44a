"""A real browser for tests of the site: the installed Chromium, which may open local files only."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from probe.catalogue.costs import shipped_costs
from probe.model import Cell, History
from probe.site import Source, build
from probe.site.pages.costs import KnownCosts
from probe.toolchain.tools import BROWSERS, ToolError, find_tool
from tests.support import site_data, sweep_data

ARGS = [
    "--no-sandbox",
    "--headless=new",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
NAMES = BROWSERS


@dataclass(frozen=True, slots=True)
class Built:
    """A built site, and the rows of its matrix."""

    index: Path
    rows: list[dict[str, str]]

    @property
    def url(self) -> str:
        return self.index.as_uri()

    @property
    def site(self) -> Path:
        return self.index.parent

    def cell(self, **wanted: str) -> Path:
        """Return the page of the only cell with these columns."""
        want = [row for row in self.rows if all(row[name] == value for name, value in wanted.items())]
        slugs = site_data.slugs(want)
        assert len(slugs) == 1, f"{len(slugs)} cells for {wanted}"
        return self.index.parent / "cell" / f"{slugs.pop()}.html"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    out = tmp_path_factory.mktemp("site")
    rows = site_data.matrix()
    site_data.write_past(out)
    matrix = site_data.write_matrix(out / "matrix.csv", rows)
    costs = KnownCosts(shipped_costs())
    return Built(build(matrix, site_data.SOURCE, out, sweeps=[sweep_data.result()], costs=costs), rows)


@pytest.fixture(scope="session")
def big(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build a site of ten thousand cells, of which one has histories."""
    out = tmp_path_factory.mktemp("big")
    rows = site_data.many(10_000)

    def histories(run_id: str, wanted: Collection[tuple[Cell, int]], _: Collection[str]) -> Iterator[History]:
        return site_data.histories(run_id, [key for key in wanted if key[0] == site_data.CHANGED])

    source = Source(site_data.trials, histories)
    return Built(build(site_data.write_matrix(out / "matrix.csv", rows), source, out), rows)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=str(_chromium()), args=ARGS, timeout=60_000)
        yield launched
        launched.close()


def _chromium() -> Path:
    for name in NAMES:
        try:
            return find_tool(name)
        except ToolError as error:
            reason = str(error)
    pytest.skip(reason)


@dataclass(slots=True)
class Opener:
    """A function that opens pages, and records their requests and errors."""

    browser: Browser
    requests: list[str]
    problems: list[str]
    contexts: list[BrowserContext]

    def __call__(self, url: str = "", **options: Any) -> Page:
        if options or not self.contexts:
            self.contexts.append(self.browser.new_context(**options))
        page = self.contexts[-1].new_page()
        page.set_default_timeout(15_000)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self.problems.append(message.text) if message.type == "error" else None)
        if url:
            page.goto(url)
        return page


@pytest.fixture
def opener(browser: Browser) -> Iterator[Opener]:
    """Yield a page opener; fail if a request was not for a local file or a page had an error."""
    one = Opener(browser, [], [], [])
    yield one
    for context in one.contexts:
        context.close()
    assert [url for url in one.requests if not url.startswith("file://")] == []
    assert one.problems == []
