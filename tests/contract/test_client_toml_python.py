"""Families with Python drivers: client.toml agrees with the drivers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from probe.catalogue.families import Family, read_family
from probe.model.versions import version_key

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
FAMILIES = ("librdkafka", "confluent-kafka-aio", "kafka-python", "kafka-python-ng", "aiokafka")


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> Family:
    return read_family(CLIENTS / request.param / "client.toml")


def test_an_artifact_is_named_only_where_it_differs(family: Family) -> None:
    assert all(item.artifact != item.version for item in family.versions)


def test_spans_of_older_pythons_are_in_order(family: Family) -> None:
    ends = [version_key(span.until or "") for span in family.source.pythons]
    assert ends == sorted(set(ends))
    tags = [int(span.python[1:]) for span in family.source.pythons]
    assert tags == sorted(set(tags))
    assert all(tag < 11 for tag in tags)


def test_the_driver_exists(family: Family) -> None:
    assert (CLIENTS / family.family / family.driver).is_file()


def test_renamed_errors_become_protocol_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(CLIENTS / "python"), *sys.path])
    from driver_runtime.protocol_names import RENAMED, protocol_name  # noqa: PLC0415  # clients are not on the path of tests

    assert protocol_name("MSG_SIZE_TOO_LARGE") == "MESSAGE_TOO_LARGE"
    assert protocol_name("KAFKA_STORAGE_ERROR") == "KAFKA_STORAGE_ERROR"
    assert not set(RENAMED) & set(RENAMED.values())
