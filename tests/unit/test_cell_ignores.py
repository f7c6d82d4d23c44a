"""Entries of `probe check` in an ignore file as `--write` changes them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from probe.cells.cell_ignores import Stale, check_rewritable, read_cell_ignores, rewritten
from probe.cells.ignores import IgnoreError

TODAY = datetime(2026, 11, 30, tzinfo=UTC).date()
FILE = """# Known failures of this library.
[[ignore]]
cell = "producer net/reset"
reason = "one"

# the next release has the mend
# (see the tracker)
[[ignore]]
cell = "producer disk/*"
reason = "two"

# three is about a group
[[ignore]]
cell = "group net/reset"
reason = "three"
# the end
"""


@pytest.mark.parametrize(
    ("gone", "left", "lost"),
    [
        (1, ("# Known failures", "# the next release", "# (see", '"two"', "# three is", '"three"'), ('"one"',)),
        (2, ("# Known failures", '"one"', "# three is", '"three"'), ('"two"', "# the next release", "# (see")),
        (3, ("# Known failures", '"one"', "# the next release", '"two"'), ('"three"', "# three is")),
    ],
)
def test_a_removed_entry_takes_its_own_comment_with_it_and_no_other(
    gone: int, left: tuple[str, ...], lost: tuple[str, ...]
) -> None:
    entries = read_cell_ignores(FILE, "f")
    text = rewritten(FILE, [Stale(entries[gone - 1], "gone")], {"admin steady": "new"})
    assert [one for one in left if one not in text] == []
    assert [one for one in lost if one in text] == []
    assert [one.pattern for one in read_cell_ignores(text, "f")][-1] == "admin steady"
    assert rewritten(FILE, [], {}) == FILE


@pytest.mark.parametrize("text", ['ignore = [{cell = "a", reason = "b"}]', "ignore = []"])
def test_entries_that_are_no_tables_are_refused_before_anything_is_played(text: str) -> None:
    """An entry at its end would make the file unreadable."""
    with pytest.raises(IgnoreError, match="f: its entries are no tables, which --write needs"):
        check_rewritable(text, "f")
    check_rewritable(FILE, "f")
    check_rewritable("", "f")
