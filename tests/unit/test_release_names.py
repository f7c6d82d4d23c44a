"""Ways out name what can be installed: of an application that is measured at a commit, the release it stands for."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.catalogue.identities import measured_for
from probe.cli.app import app
from probe.cli.wiring.catalogue import apps, families
from probe.cli.wiring.release_names import installable
from probe.model import Outcome
from probe.model.profile import OWN_DEFAULTS
from tests.support.synthetic_rows import CELL, fill

OLD, NEW = measured_for("filebeat", ("8.16.1", "9.0.0"), families(), apps())


@pytest.fixture
def own(tmp_path: Path) -> list[str]:
    """Return the options of a folder in which the commit of 8.x stops, and that of 9.0 goes on."""
    old, new = (replace(CELL, family="beats", version=version) for version in (OLD, NEW))
    both = {one: replace(one, profile=OWN_DEFAULTS) for one in (old, new)}
    stuck = [(one, 0, Outcome.STUCK) for one in (old, both[old])]
    fill(tmp_path, *stuck, *((one, 0, Outcome.REFRESHES) for one in (new, both[new])))
    return ["--evidence", "own", "--results", str(tmp_path)]


def test_a_commit_is_the_first_release_that_it_stands_for() -> None:
    assert installable("beats", NEW) == "9.0.0"
    assert installable("beats", "7.17.29") == "7.17.29"
    assert installable("sarama", NEW) == NEW


def test_a_look_up_names_the_release_that_mends(own: list[str]) -> None:
    said = CliRunner().invoke(app, ["lookup", "filebeat@8.16.1", *own]).stdout
    assert "in short: not as producer" in said
    assert "mended in 9.0.0" in said
    assert "upgrade to 9.0.0, the next release that mends disk/storage-error (producer)" in said
    assert NEW not in said


def test_the_defaults_of_a_commit_answer_for_its_releases(tmp_path: Path) -> None:
    old = replace(CELL, family="beats", version=OLD)
    fill(tmp_path, (old, 0, Outcome.STUCK), (replace(old, profile=OWN_DEFAULTS), 0, Outcome.REFRESHES))
    asked = ["lookup", "filebeat@8.16.1", "--evidence", "own", "--results", str(tmp_path)]
    said = CliRunner().invoke(app, asked).stdout
    assert "nothing stops or loses work" in said
    assert "measured with the library's own defaults" in said


def test_an_audit_names_it_and_lists_the_fault_once(own: list[str], tmp_path: Path) -> None:
    (tmp_path / "fleet.txt").write_text("metricbeat@8.13.0\n")
    said = CliRunner().invoke(app, ["audit", str(tmp_path / "fleet.txt"), *own]).stdout
    assert "upgrade to 9.0.0, the next release that mends disk/storage-error (producer)" in said
    assert "no released version is known to mend" not in said
    assert sum("stops silently: disk/storage-error" in line for line in said.splitlines()) == 1
    data = json.loads(CliRunner().invoke(app, ["audit", str(tmp_path / "fleet.txt"), *own, "--json"]).stdout)
    (service,) = data["services"]
    assert {one["mended_in"] for one in service["faults"] if one["finding"] == "fails"} == {"9.0.0"}
