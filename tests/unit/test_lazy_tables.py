"""Tables that are read when they are first looked into."""

from __future__ import annotations

import pytest

from probe.catalogue.lazy_tables import LateEntries, LateMapping


def test_a_table_is_read_once_and_not_before_it_is_looked_into() -> None:
    read: list[str] = []

    def table() -> dict[str, int]:
        read.append("table")
        return {"a": 1, "b": 2}

    late = LateMapping(table)
    assert read == []
    assert late["b"] == 2
    assert (list(late), len(late), late.get("c"), "a" in late) == (["a", "b"], 2, None, True)
    assert read == ["table"]


def test_an_entry_is_read_once_and_without_the_others() -> None:
    read: list[str] = []

    def entry(name: str) -> str:
        read.append(name)
        return name.upper()

    late = LateEntries(["a", "b"], entry)
    assert (list(late), len(late), "b" in late, "c" in late) == (["a", "b"], 2, True, False)
    assert read == []
    assert (late["b"], late["b"], late.get("c")) == ("B", "B", None)
    assert read == ["b"]
    assert dict(late) == {"a": "A", "b": "B"}


def test_a_broken_entry_is_an_error_at_each_look_and_hides_no_other() -> None:
    def entry(name: str) -> str:
        if name == "broken":
            raise ValueError(name)
        return name

    late = LateEntries(["broken", "whole"], entry)
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            late["broken"]
    assert late["whole"] == "whole"
