"""A visit of a site in the browser: pages and their errors, and links that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Page, sync_playwright

from probe.toolchain.tools import BROWSERS, ToolError, find_tool
from tests.support.browser import ARGS

HREFS = "nodes => nodes.map(node => node.href || node.src).filter(Boolean)"


def visited(index: Path, at_most: int) -> tuple[int, list[str]]:
    """Open a site from its first page on, page by page; return how many were opened, and what was wrong."""
    problems: list[str] = []
    root, found, opened = index.parent, [index], 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=ARGS, timeout=120_000)
        page = browser.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
        page.on("console", lambda one: problems.append(f"{page.url}: {one.text}") if one.type == "error" else None)
        page.on("requestfailed", lambda one: problems.append(f"{one.url}: not loaded"))
        for path in found:  # grows
            if opened == at_most:
                break
            page.goto(path.as_uri())
            opened += 1
            for target in _targets(page):
                if not target.exists():
                    problems.append(f"{path.relative_to(root)}: a link to {target.name}, which is not there")
                elif target.suffix == ".html" and target not in found:
                    found.append(target)
        browser.close()
    return opened, problems


def _targets(page: Page) -> Iterator[Path]:
    """Yield the files of this machine that a page refers to."""
    for address in page.locator("a[href], link[href], script[src], img[src]").evaluate_all(HREFS):
        parts = urlsplit(address)
        if parts.scheme == "file":
            path = Path(unquote(parts.path))
            yield path / "index.html" if path.is_dir() else path


def _chromium() -> str:
    for name in BROWSERS:
        try:
            return str(find_tool(name))
        except ToolError as error:
            reason = error
    raise reason
