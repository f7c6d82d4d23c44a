"""Names that assistive technology reads, and records that no outcome shows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from probe.model import Role
from probe.site.data.wording import details, hint
from tests.site.test_site import CELL, index, matrix, row_of

__all__ = ["index", "matrix"]  # the fixtures


def test_a_page_has_one_banner_and_links_have_the_text_that_is_seen(index: Path) -> None:
    for page in index.parent.rglob("*.html"):
        assert page.read_text().count("<header") <= 1, page.name
    links = re.findall(r'aria-label="([^"]+)" title="[^"]*">([^<]+)<i>([^<]*)</i>', index.read_text())
    assert links
    assert [one for one in links if f"{one[1]}{one[2]}".strip() not in one[0]] == []


def test_lost_records_are_shown_whatever_the_outcome() -> None:
    lossy = row_of(
        outcome="refreshes", worst="refreshes", outcomes="refreshes:1", conforms="yes", lost="40", acked="2920"
    )
    assert "Records: 40 of 2,920 or more that were acknowledged lost (with acks=1" in " ".join(details(lossy))
    assert hint(lossy).endswith("40 lost")
    reader = replace(CELL, role=Role.CONSUMER)
    assert row_of(reader, lost="40").lost == 0
