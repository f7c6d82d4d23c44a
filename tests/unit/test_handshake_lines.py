"""Evidence as text: the first requests of a cell, which releases share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.evidence.text_files import read_folder, write_folder
from probe.model import Outcome
from tests.support.synthetic_rows import HANDSHAKE
from tests.unit.test_evidence_file import cell_of, contents
from tests.unit.test_evidence_text import STEADY, lines


def test_first_requests_are_kept_by_cell(tmp_path: Path) -> None:
    sent = {STEADY: (HANDSHAKE, replace(HANDSHAKE, conn=9, broker=3))}
    write_folder(tmp_path, contents([cell_of(STEADY, Outcome.CLEAN)], handshakes=sent))
    assert read_folder(tmp_path).handshakes == sent
    assert len([line for line in lines(tmp_path)["embedded/sarama.first.tsv"] if line.startswith("#")]) == 1


def test_releases_that_differ_in_their_number_share_what_they_sent_first(tmp_path: Path) -> None:
    cells = [replace(STEADY, version=version) for version in ("1.43.2", "1.43.3", "1.9")]
    said = {cell: f"v{cell.version}-fork-{cell.version}" for cell in cells}
    sent = {cell: (replace(HANDSHAKE, software_name="sarama", software_version=said[cell]),) for cell in cells}
    write_folder(tmp_path, contents([cell_of(cell, Outcome.CLEAN) for cell in cells], handshakes=sent))
    assert read_folder(tmp_path).handshakes == sent
    assert len([line for line in lines(tmp_path)["embedded/sarama.first.tsv"] if line.startswith("#")]) == 1


@pytest.mark.parametrize("software", ["%v", "%1.43.2", "1.43.2%", "1.43.2%%1.43.2", "%%v1.43.2v", "", "dev"])
def test_any_version_of_software_is_read_as_it_was_sent(tmp_path: Path, software: str) -> None:
    sent = {STEADY: (replace(HANDSHAKE, software_name="sarama", software_version=software),)}
    write_folder(tmp_path, contents([cell_of(STEADY, Outcome.CLEAN)], handshakes=sent))
    assert read_folder(tmp_path).handshakes == sent
