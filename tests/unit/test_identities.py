"""An application has one identity in look-ups, audits, comparisons, images, sheets and packages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from probe.catalogue.baseline import baseline
from probe.catalogue.identities import compared_as, family_of, identify
from probe.cells.aggregate import SettledCell
from probe.cells.audit import Finding
from probe.cells.chance import is_of_chance, is_small, kind_of
from probe.cli.app import app
from probe.cli.wiring.catalogue import apps, by_number, families
from probe.evidence.access import opened
from probe.evidence.cell_choice import Wanted
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.model import Cell
from probe.model.versions import is_commit

NOT_BY_A_NAME = {"confluent-kafka-aio", "rust-rdkafka"}
"""Driven families that no application's versions name: a part of a wrapper, and one whose lock file names the
librdkafka inside instead."""
IMAGES = {
    "telegraf:1.39.3": ("telegraf", "1.39.3"),
    "telegraf:1.36.4": ("telegraf", "1.36.4"),
    "otel/opentelemetry-collector-contrib:0.165.0": ("otel-collector", "0.165.0"),
    "docker.elastic.co/beats/filebeat:7.17.29": ("beats", "7.17.29"),
}
"""NR5 of the reports: images as people list them, and the application that was measured itself."""


@cache
def ships() -> Path:
    """Return the evidence of this checkout as a file."""
    return built(TEXT)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--max-age", "36500", "--evidence", str(ships())])


def evidence_of(family: str, version: str | None = None) -> Mapping[Cell, SettledCell]:
    with opened(ships(), str(ships())) as file:
        wanted = Wanted(
            family=[family], version=None if version is None else [version], broker=["3.9"], engine=["embedded"]
        )
        return file.cells(wanted)


def services_of(text: str, folder: Path, name: str = "images.txt") -> list[dict[str, Any]]:
    file = folder / name
    file.write_text(text)
    done = invoke("audit", str(file), "--json", "--results", str(folder / "results"))
    return list(json.loads(done.stdout)["services"])


def own_answers(service: Mapping[str, Any]) -> Iterator[tuple[Cell, str]]:
    for fault in service["faults"]:
        yield Cell.of(dict(fault)), fault["finding"]


def test_every_application_that_is_driven_itself_is_found_by_the_name_of_either() -> None:
    driven = {name for name, family in families().items() if family_of(name, families(), None)} - NOT_BY_A_NAME
    assert driven == {item.driven_by for item in apps().values() if item.driven_by}
    for item in apps().values():
        if item.driven_by:
            listed = [one.version for one in families()[item.driven_by].versions]
            assert family_of(item.name, families(), apps()) == item.driven_by
            assert any(item.find(version) or family_of(item.name, families(), apps()) for version in listed)


@pytest.mark.parametrize("image", IMAGES)
def test_an_image_is_answered_by_the_cells_of_the_application_itself(image: str, tmp_path: Path) -> None:
    family, version = IMAGES[image]
    evidence = evidence_of(family, version)
    (service,) = services_of(f"{image}\n", tmp_path)
    answers = {cell: finding for cell, finding in own_answers(service) if cell in evidence}
    assert answers
    races = [item for item in evidence_of(family).values() if is_of_chance(item)]
    for cell, finding in answers.items():
        mine = evidence[cell]
        is_race = any(kind_of(one.cell) == kind_of(cell) and one.is_comparable(mine) for one in races)
        passing = Finding.UNKNOWN if is_race and is_small(mine) else Finding.PASSES
        assert finding == (Finding.FAILS if mine.grade.severity else passing), cell
    known = {(cell.role, cell.scenario) for cell in evidence}
    others = [fault for fault in service["faults"] if (fault["role"], fault["scenario"]) in known and fault["stand_in"]]
    assert others == []


def test_all_images_of_a_list_have_the_findings_of_the_evidence(tmp_path: Path) -> None:
    services = services_of("".join(f"{image}\n" for image in IMAGES), tmp_path)
    fails = [
        {f"{fault['role']} {fault['scenario']}" for fault in one["faults"] if fault["finding"] == "fails"}
        for one in services
    ]
    expected = {
        image: {
            f"{cell.role} {cell.scenario}"
            for cell, item in evidence_of(*client).items()
            if (cell.scenario == "steady" or cell.role in baseline().only_roles.get(cell.scenario, ()))
            and cell.profile == "isolated"
            and cell.workload == "continuous"
            and item.grade.severity
        }
        for image, client in IMAGES.items()
    }
    assert sorted(map(sorted, fails)) == sorted(map(sorted, expected.values()))
    assert {one["finding"] for one in services} == {"fails"}


def test_an_image_a_sheet_and_a_look_up_say_the_same_of_telegraf(tmp_path: Path) -> None:
    """The real application passes where its library with its settings was suspected (1.36.4, sarama 1.46.3 inside)."""
    (image,) = services_of("telegraf:1.36.4\n", tmp_path)
    sheets = [
        services_of(f"client\n{name}@1.36.4\n", tmp_path, "sheet.csv")[0] for name in ("telegraf", "telegraf-kafka")
    ]
    assert [one["faults"] for one in sheets] == [image["faults"]] * 2
    usual = [fault for fault in image["faults"] if fault["workload"] == "continuous"]
    asked = {(fault["role"], fault["scenario"]): fault["finding"] for fault in usual}
    said = json.loads(invoke("lookup", "telegraf@1.36.4", "--json").stdout)["answers"]
    looked = {(one["role"], one["scenario"]): one["finding"] for one in said if one["workload"] == "continuous"}
    assert {key: asked[key] for key in looked.keys() & asked} == {key: looked[key] for key in looked.keys() & asked}
    assert {asked[key] for key in asked.keys() - looked} <= {"unknown"}
    assert (asked["group", "leader/elected"], asked["group", "disk/storage-error"]) == ("passes", "passes")


@pytest.mark.parametrize("name", ["filebeat@7.17.29", "beats@7.17.29", "telegraf-kafka@1.29.5", "spring-kafka@4.0.7"])
def test_a_look_up_answers_from_the_applications_own_cells(name: str) -> None:
    answers = json.loads(invoke("lookup", name, "--json").stdout)["answers"]
    identity = identify(families(), name, by_number, apps())
    assert identity.itself is not None
    own = [one for one in answers if one["family"] == identity.itself.client.family and not one["stand_in"]]
    assert own
    for one in answers:
        assert bool(one["stand_in"]) == (one not in own)
        assert not (one["stand_in"] and one["finding"] in {"fails", "passes"})


@pytest.mark.parametrize(
    "name", ["opentelemetry-collector", "spring-kafka", "kafka-streams", "kafka-connect", "filebeat"]
)
def test_an_application_alone_lists_its_versions(name: str) -> None:
    done = invoke("lookup", name)
    listed = {item.version for item in families()[apps()[name].driven_by].versions}
    assert done.exit_code == 0
    assert {line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")} & listed


def test_a_release_that_was_not_measured_is_suspected_by_one_with_the_same_library() -> None:
    done = invoke("lookup", "filebeat@7.16.3", "--all")
    said = " ".join(done.stdout.split())
    assert done.exit_code == 0
    inside = "(beats@7.16.2, which has the same library inside)"
    assert "suspected producer isolated disk/storage-error: stops silently; stuck in 1 trial" in said
    assert f"stuck in 1 trial {inside}" in said
    assert "Beats link a fork that adds a reconnect back-off" in said


def test_a_release_that_no_registry_serves_is_answered_by_the_commit_that_stands_for_it() -> None:
    """The application of the incident: Filebeat 8.16.1, whose tags the module proxy does not serve."""
    found = identify(families(), "filebeat@8.16.1", by_number, apps())
    assert found.relative is not None
    assert found.stands_for
    assert is_commit(found.relative.client.version)
    done = invoke("lookup", "filebeat@8.16.1")
    said = " ".join(done.stdout.split())
    assert done.exit_code == 1
    worst = said.split("worst first: ")[1]
    assert worst.startswith(
        "stops silently disk/storage-error (producer): it asks who serves now, and does not recover (measured at beats@"
    )
    assert "since no registry serves this release" in worst
    assert "to do: upgrade to 9.0.0, the next release that mends disk/storage-error (producer)" in worst
    assert "9.0.0 mends 1 of " in said
    assert "measured with the library's own defaults" in said


def test_an_application_names_its_later_libraries() -> None:
    one = apps()["filebeat"]
    assert one.changes_of_library("8.16.1") == "filebeat changes in 9.0.0 to sarama 1.43.3"
    assert one.changes_of_library("7.17.29") == one.changes_of_library("8.16.1")
    assert one.changes_of_library("7.13.4") == "filebeat changes in 7.16.0 to sarama 1.29.1, in 9.0.0 to 1.43.3"
    assert not one.changes_of_library(one.versions[-1].last)


def test_no_commit_stands_for_a_release_that_a_registry_serves() -> None:
    for name in ("filebeat@7.16.0", "filebeat@7.17.28", "beats@7.12.0"):
        found = identify(families(), name, by_number, apps())
        assert not found.stands_for
        assert found.relative is None or not is_commit(found.relative.client.version), name


def test_a_kcat_that_nobody_measured_has_the_library_that_its_version_names() -> None:
    found = identify(families(), "kcat@1.7.1-2.1.1", by_number, apps())
    assert (str(found.library and found.library.client), found.relative) == ("librdkafka@2.1.1", None)


def test_the_nearest_release_with_the_library_is_asked() -> None:
    found = identify(families(), "telegraf@1.31.1", by_number, apps())
    assert (str(found.itself and found.itself.client), str(found.relative and found.relative.client)) == (
        "telegraf@1.31.1",
        "telegraf@1.31.3",
    )
    assert found.library is not None
    assert found.library.application is not None
    assert (str(found.library.client), found.library.application.app.name) == ("sarama@1.43.2", "telegraf-kafka")


def test_a_collector_finds_the_library_of_its_release() -> None:
    for version, library in (("0.130.0", "sarama@1.45.2"), ("0.165.0", "franz-go@1.22.2")):
        found = identify(families(), f"opentelemetry-collector@{version}", by_number, apps())
        assert str(found.library and found.library.client) == library


def test_a_comparison_is_of_the_application_where_both_versions_are_listed() -> None:
    of = {name: compared_as(name, ("7.10.2", "7.17.29"), families(), apps()) for name in ("filebeat", "beats")}
    assert of == {"filebeat": ("beats", None), "beats": ("beats", None)}
    assert compared_as("filebeat", ("8.16.1", "9.0.0"), families(), apps()) == ("sarama", apps()["filebeat"])
    assert compared_as("telegraf", ("1.30.1", "1.38.0"), families(), apps()) == ("sarama", apps()["telegraf-kafka"])
    assert compared_as("sarama", ("1.43.2", "1.43.3"), families(), apps()) == ("sarama", None)
