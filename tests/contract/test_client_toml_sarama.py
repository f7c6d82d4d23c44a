"""clients/sarama/client.toml agrees with the driver and the releases."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pytest

from probe.catalogue.families import Family, read_family
from probe.model.versions import version_key

TOML = Path(__file__).parents[2] / "clients" / "sarama" / "client.toml"


@pytest.fixture(scope="module")
def family() -> Family:
    return read_family(TOML)


def test_every_version_is_pinned_and_dated(family: Family) -> None:
    for item in family.versions:
        assert re.fullmatch(r"h1:[A-Za-z0-9+/]{43}=", item.digest), item
        dt.date.fromisoformat(item.released)
    assert len({item.digest for item in family.versions}) == len(family.versions) == 26


def test_versions_are_ordered_by_number_and_date(family: Family) -> None:
    keys = [version_key(item.version) for item in family.versions]
    dates = [item.released for item in family.versions]
    assert keys == sorted(keys)
    assert dates == sorted(dates)


def test_the_incident_is_in_the_core(family: Family) -> None:
    assert family.core == ("1.27.0", "1.43.2", "1.43.3", "latest")


@pytest.mark.parametrize(
    ("what", "name", "version", "has"),
    [
        ("roles", "transactional", "1.36.0", False),
        ("roles", "transactional", "1.37.2", True),
        ("roles", "group", "1.19.0", True),
        ("profiles", "idempotent", "1.19.0", False),
        ("profiles", "idempotent", "1.20.1", True),
        ("profiles", "zstd", "1.22.1", False),
        ("profiles", "zstd", "1.24.1", True),
    ],
)
def test_spans_cover_their_versions(family: Family, what: str, name: str, version: str, has: bool) -> None:
    assert getattr(family, what)[name].covers(version) is has


def test_every_version_has_a_back_off_with_a_source(family: Family) -> None:
    for item in family.versions:
        assert family.limit(family.behaviour.back_off_ms, item.version) == 100
    assert all("Producer.Retry.Backoff" in limit.source for limit in family.behaviour.back_off_ms)
