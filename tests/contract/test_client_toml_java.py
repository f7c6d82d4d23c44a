"""clients/java: what its two files of data say."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pytest

from probe.catalogue.families import Family, read_family
from probe.drivers.sources.jar import MACHINES
from probe.model.versions import version_key
from probe.toolchain.maven_registry import Coordinate
from probe.toolchain.pinned_jars import read_pins

FOLDER = Path(__file__).parents[2] / "clients" / "java"
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@pytest.fixture(scope="module")
def family() -> Family:
    return read_family(FOLDER / "client.toml")


def test_every_version_is_pinned_and_dated(family: Family) -> None:
    for item in family.versions:
        assert DIGEST.fullmatch(item.digest), item
        dt.date.fromisoformat(item.released)
    assert len({item.digest for item in family.versions}) == len(family.versions) == 21


def test_versions_stand_in_order(family: Family) -> None:
    keys = [version_key(item.version) for item in family.versions]
    assert keys == sorted(keys)


def test_the_core_is_an_old_one_the_last_of_three_and_the_newest(family: Family) -> None:
    assert family.core == ("1.1.1", "3.9.2", "latest")


def test_whatever_is_fetched_beside_a_client_is_pinned(family: Family) -> None:
    pins = read_pins()
    programs = [f"{pins.protoc}:exe:{machine}" for machine in MACHINES.values()]
    for name in [*family.source.extra, *pins.schemas, pins.api, pins.ecj, *programs]:
        assert DIGEST.fullmatch(pins.digests[name]), name
        assert str(Coordinate.parse(name)) == name


def test_two_files_do_not_disagree_about_a_digest(family: Family) -> None:
    pins = read_pins()
    for item in family.versions:
        name = f"{family.source.name}:{item.version}"
        assert pins.digests.get(name, item.digest) == item.digest


def test_the_schemas_are_of_pinned_clients_before_and_after_the_cut(family: Family) -> None:
    old, new = (Coordinate.parse(name).version for name in read_pins().schemas)
    assert old.startswith("3.9.")
    assert new == family.newest.version


@pytest.mark.parametrize(
    ("what", "name", "version", "has"),
    [
        ("roles", "producer", "0.10.2.2", False),
        ("roles", "transactional", "0.11.0.3", True),
        ("roles", "admin", "2.4.1", False),
        ("roles", "admin", "2.6.3", True),
        ("profiles", "zstd", "2.0.1", False),
        ("profiles", "zstd", "2.1.1", True),
        ("profiles", "consumer-protocol", "3.9.2", False),
        ("profiles", "consumer-protocol", "4.0.2", True),
    ],
)
def test_spans(family: Family, what: str, name: str, version: str, has: bool) -> None:
    assert getattr(family, what)[name].covers(version) is has


def test_every_version_has_one_back_off(family: Family) -> None:
    for item in family.versions:
        assert sum(limit.covers(item.version) for limit in family.behaviour.back_off_ms) == 1
        assert family.limit(family.behaviour.back_off_ms, item.version) == 100
