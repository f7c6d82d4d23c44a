"""clients/java: its two data files agree with the releases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from probe.catalogue.brokers import broker_digests
from probe.catalogue.families import Family, read_family
from probe.drivers.sources.jar import MACHINES
from probe.toolchain.maven_registry import Coordinate
from probe.toolchain.pinned_jars import read_pins

FOLDER = Path(__file__).parents[2] / "clients" / "java"
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@pytest.fixture(scope="module")
def family() -> Family:
    return read_family(FOLDER / "client.toml")


def test_it_has_25_versions(family: Family) -> None:
    assert len(family.versions) == 25


def test_the_core_has_an_old_a_middle_and_the_newest_version(family: Family) -> None:
    assert family.core == ("1.1.1", "3.9.2", "latest")


def test_additional_jars_are_pinned(family: Family) -> None:
    pins = read_pins()
    digests = {**broker_digests(), **pins.digests}
    programs = [f"{pins.protoc}:exe:{machine}" for machine in MACHINES.values()]
    for name in [*family.source.extra, *pins.schemas, pins.api, pins.ecj, *programs]:
        assert DIGEST.fullmatch(digests[name]), name
        assert str(Coordinate.parse(name)) == name


def test_files_agree_about_digests(family: Family) -> None:
    pins = read_pins()
    for item in family.versions:
        name = f"{family.source.name}:{item.version}"
        assert pins.digests.get(name, item.digest) == item.digest


def test_schema_jars_are_pinned_clients_before_and_after_4_0(family: Family) -> None:
    old, new = (Coordinate.parse(name).version for name in read_pins().schemas)
    assert old.startswith("3.9.")
    assert new == family.newest.version


@pytest.mark.parametrize(
    ("what", "name", "version", "has"),
    [
        ("roles", "producer", "0.9.0.1", True),
        ("roles", "transactional", "0.10.2.2", False),
        ("roles", "transactional", "0.11.0.3", True),
        ("roles", "admin", "2.4.1", False),
        ("roles", "admin", "2.6.3", True),
        ("profiles", "zstd", "2.0.1", False),
        ("profiles", "zstd", "2.1.1", True),
        ("profiles", "consumer-protocol", "3.9.2", False),
        ("profiles", "consumer-protocol", "4.0.2", True),
    ],
)
def test_spans_cover_their_versions(family: Family, what: str, name: str, version: str, has: bool) -> None:
    assert getattr(family, what)[name].covers(version) is has
