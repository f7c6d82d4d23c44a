"""Applications and wrappers: selected like clients, run as the library inside with their settings."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from probe.catalogue.app_relations import stand_for
from probe.catalogue.apps import listed
from probe.catalogue.apps_file import read_apps
from probe.catalogue.families import CatalogueError, Family, Version, read_families
from probe.catalogue.files import data_file
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import Chosen, select_clients, select_profiles
from probe.cli.app import app
from probe.cli.wiring.catalogue import inside
from probe.model import Client, Election, Engine, Outcome, Profile, Role
from probe.planning.plan import make_plan
from probe.planning.selection import Selection
from probe.site import build
from probe.site.data.page_names import client_slug
from tests.support import site_data
from tests.support.synthetic_rows import CELL, fill

ROOT = Path(__file__).parents[2]
FAMILIES = read_families(ROOT / "clients")
APPS_FILE = data_file("apps.toml")
APPS = read_apps(APPS_FILE, FAMILIES)

SMALL = """
[[app]]
name = "shipper"
title = "A shipper"
kind = "application"
family = "sarama"
names = ["shipper-lite"]
roles = ["producer"]
source = "go.mod at v{version}"
versions = [
    { since = "1.0.0", until = "1.9.0", library = "1.27.0" },
    { since = "2.0.0.Final", library = "1.43.3", source = "elsewhere" },
]
[[app.settings]]
until = "1.9.0"
roles = ["producer"]
source = "its manual"
[app.settings.properties]
"Producer.Retry.Max" = "7"
"""


def by_number(_: Family, text: str) -> Version:
    return Version(version=text)


def write(tmp_path: Path, text: str = SMALL) -> Path:
    path = tmp_path / "apps.toml"
    path.write_text(text)
    return path


def chosen(tmp_path: Path, *names: str) -> list[Chosen]:
    return list(select_clients(FAMILIES, names, by_number, read_apps(write(tmp_path), FAMILIES)))


def cells(
    found: list[Chosen], *, profiles: tuple[Profile, ...] = (Profile("isolated"),)
) -> tuple[list[str], list[str]]:
    selection = Selection(
        clients=found,
        scenarios=select_scenarios(["steady"]),
        roles=tuple(Role),
        profiles=profiles,
        engine=Engine.EMBEDDED,
        brokers=["3.9"],
    )
    plan = make_plan(selection)
    return [str(item.cell) for item in plan.cells], [skip.reason for skip in plan.skips]


@pytest.mark.parametrize(
    ("name", "library", "stands"),
    [
        ("shipper@1.5.0", "1.27.0", "shipper 1.5.0"),
        ("shipper@1.9.0", "1.27.0", "shipper 1.9.0"),
        ("shipper@2.0.0", "1.43.3", "shipper 2.0.0"),
        ("shipper-lite", "1.43.3", "shipper 2.0.0.Final"),
    ],
)
def test_an_application_version_selects_its_library(tmp_path: Path, name: str, library: str, stands: str) -> None:
    (found,) = chosen(tmp_path, name)
    assert (found.family.family, found.version.version, str(found.application)) == ("sarama", library, stands)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "shipper@1.9.5",
            r"nearest known are 1\.0\.0 to 1\.9\.0 \(sarama 1\.27\.0\) and 2\.0\.0\.Final \(sarama 1\.43\.3\)",
        ),
        ("shipper@3.0", r"nearest known are 2\.0\.0\.Final"),
        ("shiper@1.0.0", "did you mean shipper"),
        ("shipper@>=1.0", "is not a version"),
    ],
)
def test_an_unknown_version_is_reported_with_the_nearest(tmp_path: Path, name: str, says: str) -> None:
    with pytest.raises(CatalogueError, match=says):
        chosen(tmp_path, name)


def test_settings_of_an_application_are_part_of_the_profile(tmp_path: Path) -> None:
    runs, skips = cells(chosen(tmp_path, "shipper@1.0.0"))
    assert runs == ["sarama@1.27.0 producer isolated+Producer.Retry.Max=7 steady embedded 3.9"]
    assert set(skips) == {f"shipper 1.0.0 has no role {role}" for role in Role if role is not Role.PRODUCER}


def test_settings_of_the_user_take_precedence(tmp_path: Path) -> None:
    profiles = select_profiles(["acks-1"], ["Producer.Retry.Max=0", "ChannelBufferSize=1"], Election(500))
    runs, _ = cells(chosen(tmp_path, "shipper@1.0.0"), profiles=profiles)
    assert runs == [
        "sarama@1.27.0 producer acks-1+ChannelBufferSize=1+Producer.Retry.Max=0+election=500 steady embedded 3.9"
    ]


def test_versions_with_the_same_client_run_once(tmp_path: Path) -> None:
    found = chosen(tmp_path, "shipper@1.0.0", "shipper@1.9.0", "sarama@1.27.0")
    runs, _ = cells(found)
    assert len(found) == 3
    assert sum("Producer.Retry.Max=7" in run for run in runs) == 1
    assert sum(" isolated steady" in run and "producer" in run for run in runs) == 1


def test_a_family_name_takes_precedence_over_an_application(tmp_path: Path) -> None:
    apps = read_apps(write(tmp_path, SMALL.replace('"shipper"', '"java"')), FAMILIES)
    assert set(apps) == {"shipper-lite"}
    (found,) = select_clients(FAMILIES, ["java@3.9.2"], by_number, apps)
    assert found.application is None


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('source = "go.mod at v{version}"\n', "", "shipper 1.0.0 to 1.9.0 has no source"),
        ('"Producer.Retry.Max" = "7"', '"a" = ""', "the property a is not KEY=VALUE"),
        ('kind = "application"', 'kind = "wrapper"', "a wrapper, which sets nothing"),
        ('kind = "application"', 'kind = "thing"', "kind"),
        ('names = ["shipper-lite"]', 'names = ["shipper"]', "shipper occurs twice"),
        ('source = "its manual"', 'source = "its manual"\nsauce = 1', "sauce"),
        ("[[app]]", "[[app", "apps.toml"),
    ],
)
def test_an_invalid_file_is_reported_in_one_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = write(tmp_path, SMALL.replace(old, new))
    with pytest.raises(CatalogueError) as caught:
        read_apps(path, FAMILIES)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_means_no_applications(tmp_path: Path) -> None:
    assert read_apps(tmp_path / "apps.toml", FAMILIES) == {}


def test_a_wrapper_with_library_versions_accepts_any_version() -> None:
    names = ["confluent-kafka-python@2.8.2", "confluent-kafka@2.11.77"]
    found = {str(item.application): item.version.version for item in select_clients(FAMILIES, names, by_number, APPS)}
    assert found == {"confluent-kafka-python 2.8.2": "2.8.0", "confluent-kafka-python 2.11.77": "2.11.77"}


class TestTheRealFile:
    def test_every_version_has_a_source_and_spans_that_overlap_agree(self) -> None:
        """A registry may serve only some releases of a span that was read in another place."""
        for item in listed(APPS):
            for one in item.versions:
                assert one.source or item.source, item.name
                for end in (one.since, one.last):
                    libraries = {other.library for other in item.versions if other.covers(end)}
                    assert libraries == {one.library}, f"{item.name} {one.span} contradicts another"

    def test_settings_apply_to_roles_of_the_family(self) -> None:
        for item in listed(APPS):
            for settings in item.settings:
                assert {str(role) for role in settings.roles} <= set(FAMILIES[item.family].roles), item.name
                assert not item.roles or set(settings.roles) <= set(item.roles), item.name

    def test_filebeat_maps_to_the_sarama_of_its_release(self) -> None:
        found = {
            str(item.application): item.version.version
            for item in select_clients(
                FAMILIES, [f"filebeat@{v}" for v in ("7.17.5", "8.16.1", "9.0.0")], by_number, APPS
            )
        }
        assert found == {"filebeat 7.17.5": "1.29.1", "filebeat 8.16.1": "1.29.1", "filebeat 9.0.0": "1.43.3"}

    def test_a_cell_lists_the_applications_it_stands_for(self) -> None:
        (old,) = select_clients(FAMILIES, ["filebeat@8.16.1"], by_number, APPS)
        assert old.application is not None
        profile = old.application.profile(Profile("isolated"), Role.PRODUCER)
        names = stand_for(APPS, "sarama", "1.29.1", Role.PRODUCER, profile)
        assert "filebeat 8.0.0 to 8.16.1" in names
        assert not any("jaeger" in name for name in names)
        assert "confluent-kafka-go 2.3.0" in stand_for(APPS, "librdkafka", "2.3.0", Role.GROUP, Profile("isolated"))


def test_what_is_driven_as_a_family_leaves_the_name_of_the_catalogue_to_its_other_versions() -> None:
    """A family of that name would hide the library inside every version that the family does not list."""
    rows = tomllib.loads(APPS_FILE.read_text())["app"]
    assert not {name for row in rows for name in (row["name"], *row.get("names", ()))} & set(FAMILIES)


def test_clients_lists_applications() -> None:
    done = CliRunner().invoke(app, ["clients", "--json"])
    data = json.loads(done.output)
    jsonschema.validate(data, json.loads((ROOT / "docs" / "schema" / "clients.json").read_text()))
    kinds = {item["name"]: item["kind"] for item in data["applications"]}
    assert (kinds["filebeat"], kinds["confluent-kafka-go"]) == ("application", "wrapper")
    assert "A wrapper: looked up as librdkafka" in CliRunner().invoke(app, ["clients"]).output


def test_show_finds_an_application_by_its_name(tmp_path: Path) -> None:
    (found,) = select_clients(FAMILIES, ["filebeat@8.16.1"], by_number, APPS)
    assert found.application is not None
    profile = str(found.application.profile(Profile("isolated"), Role.PRODUCER))
    own = CELL.of({**CELL.columns(), "version": "1.29.1", "profile": profile})
    fill(tmp_path, (CELL, 0, Outcome.STUCK), (own, 0, Outcome.STUCK))
    done = CliRunner().invoke(app, ["show", "--client", "filebeat@8.16.1", "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "stands for filebeat 7.16.0 to 7.17.29, filebeat 8.0.0 to 8.16.1" in done.output


def test_a_client_page_names_the_applications_with_it(tmp_path: Path) -> None:
    rows = site_data.matrix()[:3]
    matrix = site_data.write_matrix(tmp_path / "matrix.csv", rows)
    client = Client(rows[0]["family"], rows[0]["version"])
    index = build(matrix, site_data.SOURCE, tmp_path, lambda one: ["shipper <1.0>"] if one == client else [])
    pages = {path.name: path.read_text() for path in (index.parent / "client").iterdir()}
    assert [name for name, text in pages.items() if "Inside shipper &lt;1.0&gt;." in text] == [
        f"{client_slug(client)}.html"
    ]


def test_applications_are_listed_for_any_client_version() -> None:
    assert "telegraf-kafka 1.32.2 to 1.34.1 (which has settings of its own)" in inside(Client("sarama", "1.43.3"))
    assert "confluent-kafka-go 2.3.0 (which sets nothing of its own)" in inside(Client("librdkafka", "2.3.0"))
    assert inside(Client("sarama", "0.0.1")) == []


def test_a_version_that_names_its_library_needs_no_entry() -> None:
    def driven(name: str) -> list[str]:
        return [str(item.client) for item in select_clients(FAMILIES, [name], by_number, APPS)]

    assert driven("rdkafka-sys@4.10.0+2.12.1") == ["librdkafka@2.12.1"]
    assert driven("rdkafka-sys@99.0.0+98.7.6") == ["librdkafka@98.7.6"]
    for name in ("rdkafka-sys@99.0.0", "rdkafka-sys@99.0.0+98.7"):
        with pytest.raises(CatalogueError, match="the library inside it is not known"):
            driven(name)
