"""Three fleets as companies list them, written before their evidence was read: hardly anything in them is unknown."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.evidence.checkout_build import built, write_built
from probe.files.atomic_writes import write_file
from probe.files.shipped_evidence import TEXT

pytestmark = pytest.mark.whole
FOLDER = Path(__file__).parents[1] / "data" / "fleets"
FLEETS = sorted(path.name for path in FOLDER.iterdir())
MOST_UNKNOWN = 0.05


@cache
def services_of(name: str) -> list[dict[str, Any]]:
    evidence = ["--evidence", str(built(TEXT)), "--max-age", "36500", "--results", str(FOLDER / "no-results")]
    done = CliRunner().invoke(app, ["audit", str(FOLDER / name), "--json", *evidence])
    return list(json.loads(done.stdout)["services"])


@pytest.mark.parametrize("name", FLEETS)
def test_hardly_any_row_of_a_fleet_is_unknown_and_each_has_its_reason(name: str) -> None:
    services = services_of(name)
    rows = [line for line in (FOLDER / name).read_text().splitlines() if line and not line.startswith("service,")]
    assert len(services) == len(rows) >= 30
    unknown = [one for one in services if one["finding"] == "unknown"]
    assert len(unknown) <= MOST_UNKNOWN * len(services), [one["client"] for one in unknown]
    for one in unknown:
        assert one["problem"] or all(fault["command"] for fault in one["faults"])


def test_every_answer_that_was_not_measured_itself_says_by_what() -> None:
    for name in FLEETS:
        for one in services_of(name):
            for fault in one["faults"]:
                if fault["finding"].startswith(("likely", "suspected")):
                    assert fault["stand_in"] or fault["measured_profile"] != fault["profile"], fault


def without(version: str, folder: Path) -> Path:
    """Return evidence of franz-go in which a release was not measured."""
    text = folder / "text"
    for file in TEXT.glob("*/franz-go*.tsv"):
        rows = file.read_text().splitlines(keepends=True)
        write_file(text / file.relative_to(TEXT), "".join(row for row in rows if row.split()[0] != version))
    confirmed = (TEXT / "confirmed.tsv").read_text().splitlines(keepends=True)
    write_file(text / "confirmed.tsv", "".join(row for row in confirmed if row.split()[1] == "franz-go"))
    write_file(text / "runs.tsv", (TEXT / "runs.tsv").read_text())
    write_built(text, folder / "evidence.sqlite")
    return folder / "evidence.sqlite"


def test_no_exit_code_rests_on_what_is_likely(tmp_path: Path) -> None:
    """Without its own cells franz-go 1.15.3 lies between two releases that fail alike."""
    file = tmp_path / "fleet.txt"
    file.write_text("franz-go@1.15.3\n")
    where = without("1.15.3", tmp_path)
    evidence = ["--evidence", str(where), "--max-age", "36500", "--results", str(tmp_path / "results")]
    done = CliRunner().invoke(app, ["audit", str(file), "--json", *evidence])
    (service,) = json.loads(done.stdout)["services"]
    assert "likely fails" in {fault["finding"] for fault in service["faults"]}
    assert "fails" not in {fault["finding"] for fault in service["faults"]}
    assert done.exit_code == 0
