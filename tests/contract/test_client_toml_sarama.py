"""clients/sarama/client.toml agrees with the driver and the releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.catalogue.families import Family, read_family

TOML = Path(__file__).parents[2] / "clients" / "sarama" / "client.toml"


@pytest.fixture(scope="module")
def family() -> Family:
    return read_family(TOML)


def test_versions_are_ordered_by_date(family: Family) -> None:
    dates = [item.released for item in family.versions]
    assert dates == sorted(dates)
    assert len(dates) == 26


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


def test_the_source_of_a_back_off_names_the_setting(family: Family) -> None:
    assert all("Producer.Retry.Backoff" in limit.source for limit in family.behaviour.back_off_ms)
