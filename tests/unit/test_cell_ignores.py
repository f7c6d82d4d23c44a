"""Entries of an ignore file about cells of a check."""

from __future__ import annotations

import re

import pytest

from probe.cells.cell_ignores import read_cell_ignores
from probe.cells.ignores import IgnoreError, read_ignores

NAME = "producer disk/storage-error"


def entries(text: str) -> str:
    return "\n".join(f"[[ignore]]\n{block}" for block in text.split(";"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('cell = "a"', "it has no reason"),
        ('cell = ""\nreason = "r"', "`cell` is not a text"),
        ('cell = "a"\nreason = "r"\nlink = "see wiki"', "`link` is no address"),
        ('cell = "a"\nreason = "r"\nexpires = "soon"', "`expires` is not a day"),
        ('cell = "a"\nreason = "r"\nrole = "producer"', "unknown key 'role'; known are cell, reason, link, expires"),
    ],
)
def test_a_bad_entry_is_named_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(IgnoreError, match=re.escape(says)):
        read_cell_ignores(entries(text), "f")


def test_audits_and_checks_share_a_file_without_seeing_each_other() -> None:
    text = entries(f'client = "sarama*"\nreason = "a"\nexpires = 2027-01-01;cell = "{NAME}"\nreason = "c"')
    assert [one.number for one in read_ignores(text, "f")] == [1]
    assert [(one.number, one.reason) for one in read_cell_ignores(text, "f")] == [(2, "c")]
