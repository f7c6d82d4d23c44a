"""The generator of the lists of releases, and the lists that it wrote."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.cli.wiring.catalogue import families
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.toolchain.registry_releases import FOLDER, text_of, with_older
from probe.toolchain.release_lists import Release, dated, numbers

ROOT = Path(__file__).parents[2]
WRITTEN = sorted(path.stem for path in FOLDER.glob("*.toml") if path.stem != "dates")


def test_patch_numbers_of_every_line_are_asked_for() -> None:
    asked = numbers(["1.2.0", "1.0.12"], "1.0.11")
    assert asked[:5] == ["1.0.11", "1.0.12", "1.0.13", "1.0.14", "1.0.15"]
    assert {"1.1.0", "1.1.9", "1.2.0", "1.2.9"} <= {*asked}
    assert {"1.4.0", "1.5.0"} & {*asked} == {"1.4.0"}


def test_what_a_registry_does_not_list_any_more_stays_with_its_date() -> None:
    before = [{"version": "1.0.0", "released": "2020-01-01"}, {"version": "1.1.0", "released": "2020-02-01"}]
    kept = with_older([Release("1.1.0", withdrawn="yanked: broken"), Release("1.2.0", "2020-03-01")], before)
    assert kept == [
        Release("1.0.0", "2020-01-01"),
        Release("1.1.0", "2020-02-01", "yanked: broken"),
        Release("1.2.0", "2020-03-01"),
    ]


def test_a_date_of_the_registry_counts_before_another() -> None:
    assert dated([Release("1", "2020-01-01"), Release("2")], {"1": "1999-01-01", "2": "2021-01-01"}) == [
        Release("1", "2020-01-01"),
        Release("2", "2021-01-01"),
    ]


def test_a_written_file_can_be_read_again() -> None:
    found = [Release("2.8.0", "2025-01-07", 'yanked: "broken"'), Release("2.10.0")]
    read = tomllib.loads(text_of(families()["librdkafka"], found, "2026-11-28", {"2.8.0": "2.8.2"}))
    assert read["releases"] == [
        {"version": "2.8.0", "artifact": "2.8.2", "released": "2025-01-07", "withdrawn": 'yanked: "broken"'},
        {"version": "2.10.0"},
    ]


@pytest.mark.parametrize("name", WRITTEN)
def test_every_listed_version_is_a_release_that_the_list_has(name: str) -> None:
    data = tomllib.loads((FOLDER / f"{name}.toml").read_text())
    family = families()[name]
    listed = {one["version"] for one in data["releases"]}
    assert {item.version for item in family.versions} <= listed
    assert data["read"] >= "2026-11-28"


def test_no_version_is_named_twice() -> None:
    for name in WRITTEN:
        versions = [one["version"] for one in tomllib.loads((FOLDER / f"{name}.toml").read_text())["releases"]]
        assert len(versions) == len(set(versions)), name


def test_what_is_released_and_not_measured_is_listed(tmp_path: Path) -> None:
    arguments = ["clients", "--released", "--evidence", str(built(TEXT)), "--results", str(tmp_path)]
    told = CliRunner().invoke(app, [*arguments, "--json"])
    data = json.loads(told.stdout)
    jsonschema.validate(data, json.loads((ROOT / "docs" / "schema" / "released.json").read_text()))
    sarama = {
        one["version"]: one for item in data["released"] if item["family"] == "sarama" for one in item["releases"]
    }
    assert sarama["1.43.2"]["measured"]
    assert sarama["1.32.0"]["withdrawn"].startswith("retracted")
    text = CliRunner().invoke(app, arguments).stdout
    some = next(item for item in data["released"] if len({one["measured"] for one in item["releases"]}) == 2)
    listed = f"\n{text}".partition(f"\n{some['family']}: ")[2].partition("not measured: ")[2].partition("\n")[0]
    for one in some["releases"]:
        if not one["withdrawn"]:
            assert (f" {one['artifact']} (" in f" {listed}") is not one["measured"], one
