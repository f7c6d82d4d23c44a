"""docs/audit.md lists the formats and columns that are read."""

from __future__ import annotations

from pathlib import Path

from probe.inventory.columns import WORDS
from probe.inventory.formats import FORMATS

PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text()


def plain(text: str) -> str:
    """Return a text without what headers spell in several ways."""
    return text.lower().replace("_", "").replace(" ", "")


def test_every_format_is_on_the_page() -> None:
    assert [item.title for item in FORMATS if item.title not in PAGE] == []


def test_every_column_is_on_the_page() -> None:
    words = plain(PAGE)
    assert [name for name in WORDS if f"`{name}`" not in PAGE] == []
    assert [word for accepted in WORDS.values() for word in accepted if plain(word) not in words] == []
