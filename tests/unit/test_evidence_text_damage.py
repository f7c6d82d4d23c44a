"""Evidence as text: later trials of a line write what differs, and damage is one line that names its file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.evidence.repeated_facts import lengthened, shortened
from probe.evidence.schema import EvidenceError
from probe.evidence.text_files import CONFIRMED, RUNS, read_folder, write_folder
from probe.model import Outcome
from tests.support.synthetic_rows import CELL, HANDSHAKE
from tests.unit.test_evidence_file import cell_of, contents
from tests.unit.test_evidence_text import STEADY


def test_later_trials_write_what_differs() -> None:
    whole = [["rides+1", "o5", "g7", "~lO"], ["rides+1", "o5", "g7", "~lO"], ["stuck-2", "o5", "a1", "~lO"]]
    short = list(shortened(whole))
    assert short == [whole[0], ["rides+1", "="], ["stuck-2", "=", "a1", "!g"]]
    assert [sorted(one) for one in lengthened(short)] == [sorted(one) for one in whole]
    with pytest.raises(ValueError, match="before the first"):
        list(lengthened(short[1:]))


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (CONFIRMED, "embedded", "no engine"),
        (CONFIRMED, "\t2\t", "\t2 or so\t"),
        ("embedded/sarama.tsv", ".1\t", f".{2**63}\t"),
        ("embedded/sarama.first.tsv", "{", "["),
        ("embedded/sarama.first.tsv", ".1.", ".one."),
    ],
)
def test_a_damaged_value_is_one_line_that_names_its_file(tmp_path: Path, name: str, before: str, after: str) -> None:
    steady = replace(cell_of(STEADY, Outcome.CLEAN, conditions=2), trial=1)
    write_folder(tmp_path, contents([steady], handshakes={STEADY: (replace(HANDSHAKE, conn=1, broker=1),)}))
    text = (tmp_path / name).read_text()
    assert before in text
    (tmp_path / name).write_text(text.replace(before, after, 1))
    with pytest.raises(EvidenceError, match=r"sarama on embedded|sarama\.first\.tsv|confirmed\.tsv") as found:
        read_folder(tmp_path)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("name", [RUNS, CONFIRMED, "embedded/sarama.tsv"])
def test_a_damaged_file_is_one_line_that_names_it(tmp_path: Path, name: str) -> None:
    write_folder(tmp_path, contents([cell_of(CELL, Outcome.RIDES)]))
    (tmp_path / name).write_text("no such thing\n")
    with pytest.raises(EvidenceError, match=r"sarama on embedded|runs\.tsv|confirmed\.tsv") as found:
        read_folder(tmp_path)
    assert "\n" not in str(found.value)


def test_a_family_that_no_file_can_be_named_by_is_one_line(tmp_path: Path) -> None:
    write_folder(tmp_path, contents([cell_of(CELL, Outcome.RIDES)]))
    text = (tmp_path / CONFIRMED).read_text()
    (tmp_path / CONFIRMED).write_text(text.replace("sarama", "sara\0ma"))
    with pytest.raises(EvidenceError, match="cannot be read") as found:
        read_folder(tmp_path)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("name", ["embedded/sarama.tsv", "embedded/sarama.first.tsv"])
def test_cells_of_a_family_that_is_not_named_any_more_are_no_silent_loss(tmp_path: Path, name: str) -> None:
    write_folder(tmp_path, contents([cell_of(CELL, Outcome.RIDES)]))
    (tmp_path / name).touch()
    (tmp_path / CONFIRMED).write_text("")
    with pytest.raises(EvidenceError, match=r"confirmed\.tsv does not name .*sarama.*; restore it"):
        read_folder(tmp_path)
