"""`--known FILE`: what an earlier audit found does not end the next one with exit code 1."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from probe.model import Outcome, Role
from tests.support.synthetic_rows import CELL, fill
from tests.unit.test_audit import audit

FLEET = "service,client,role\nweb,sarama@1.43.3,{}\n"


def test_only_new_findings_end_an_audit(tmp_path: Path) -> None:
    fleet, results, known = tmp_path / "fleet.csv", tmp_path / "results", tmp_path / "known.sarif"
    fill(results, (CELL, 0, Outcome.STUCK), (replace(CELL, role=Role.CONSUMER), 0, Outcome.STUCK))
    fleet.write_text(FLEET.format("producer"))
    text, _, code = audit(fleet, results, "--format", "sarif")
    assert code == 1
    log, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    known.write_text(json.dumps(log))
    text, _, code = audit(fleet, results, "--known", str(known))
    assert (code, "accepted: fails: producer disk/storage-error" in text, str(known) in text) == (0, True, True)
    fleet.write_text(FLEET.format(""))
    text, _, code = audit(fleet, results, "--known", str(known))
    assert code == 1
    assert "web: stops silently: disk/storage-error (consumer)" in text


@pytest.mark.parametrize("text", ["", "{}", '{"runs": [{"results": [{}]}]}', "[]", "name: yaml"])
def test_a_file_that_is_no_sarif_of_an_audit_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "fleet.csv").write_text(FLEET.format("producer"))
    (tmp_path / "known").write_text(text)
    _, error, code = audit(tmp_path / "fleet.csv", tmp_path / "results", "--known", str(tmp_path / "known"))
    assert code == 2
    assert "is no SARIF of an audit" in str(error)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "fleet.csv").write_text(FLEET.format("producer"))
    _, error, code = audit(tmp_path / "fleet.csv", tmp_path / "results", "--known", str(tmp_path / "none.sarif"))
    assert (code, "none.sarif cannot be read" in str(error)) == (2, True)
