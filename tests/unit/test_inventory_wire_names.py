"""Names of clients on the wire, and which clients that means."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.catalogue.families import read_families
from probe.inventory.entries import Place
from probe.inventory.wire_names import client_on_the_wire, silent, tables, wire_names
from tests.unit.test_handshake_recorded import WHO, recorded

ROOT = Path(__file__).parents[2]


def meant(name: str, version: str) -> str:
    found = client_on_the_wire(name, version, place=Place("here"))
    return found.selector or found.unknown


@pytest.mark.parametrize(
    ("name", "version", "client"),
    [
        ("apache-kafka-java", "3.9.1", "java@3.9.1"),
        ("librdkafka", "2.0.2", "librdkafka@2.0.2"),
        ("confluent-kafka-python", "2.16.1-rdkafka-2.16.0", "librdkafka@2.16.0"),
        ("confluent-kafka-go", "2.3.0", "librdkafka@2.3.0"),
        ("confluent-kafka-javascript", "1.4.0-librdkafka-2.11.0", "librdkafka@2.11.0"),
        ("karafka", "v2.5.0-rdkafka-ruby-v0.19.5-librdkafka-v2.8.0", "librdkafka@2.8.0"),
        ("kafka-python", "3.0.12", "kafka-python@3.0.12"),
        ("kgo", "v1.22.3", "franz-go@1.22.3"),
        ("sarama", "v1.47.0", "sarama@1.47.0"),
        ("sarama", "v1.61.1", "sarama@1.61.1"),
    ],
)
def test_a_name_and_a_version_are_a_client(name: str, version: str, client: str) -> None:
    assert meant(name, version) == client


@pytest.mark.parametrize("version", ["v1.43.2", "v0.1.0", "dev", "(devel)", "v2.0.0", "v1.47.9", ""])
def test_a_sarama_that_reports_its_application_has_no_known_version(version: str) -> None:
    found = client_on_the_wire("sarama", version, place=Place("here"))
    assert (found.client, found.version) == ("sarama", "")
    assert found.unknown.startswith("some sarama before 1.47")


@pytest.mark.parametrize(
    ("name", "version", "why"),
    [
        ("unknown", "unknown", "it reports no name, as aiokafka, kafkajs, kafka-go and old versions of others do"),
        ("", "", "it reports no name"),
        ("sarama", "v1.99.0", "v1.99.0 is a sarama after 1.61.1, which this table does not have"),
        ("kgo", "v1.22.4-0.20261101000000-abcdefabcdef", "is a pseudo-version"),
        ("apache-kafka-java", "7.6.0-ccs", "a build of others"),
        ("confluent-kafka-python", "2.16.1", "2.16.1 does not say which librdkafka is inside"),
        ("something", "1.0", "no client that is known reports the name something"),
    ],
)
def test_what_is_not_known_is_said(name: str, version: str, why: str) -> None:
    found = client_on_the_wire(name, version, place=Place("here"))
    assert found.selector == ""
    assert why in found.unknown


def test_a_client_id_is_a_hint_and_no_more() -> None:
    found = client_on_the_wire("unknown", "unknown", place=Place("here"), client_id="aiokafka-0.14.0")
    assert (found.service, found.client, found.note) == (
        "aiokafka-0.14.0",
        "",
        "its client id is a default of aiokafka",
    )


def test_every_client_of_the_table_is_one_of_the_catalogue() -> None:
    families = set(read_families(ROOT / "clients"))
    assert {row.client for row in wire_names().values()} - {""} <= families
    assert {row.client for row in silent() if row.always} <= families


def test_every_example_is_understood() -> None:
    for row in wire_names().values():
        assert bool(client_on_the_wire(row.reported, row.example, place=Place("here")).version) == bool(row.client)


def test_the_page_has_the_tables() -> None:
    page = (ROOT / "docs" / "audit.md").read_text()
    assert [line for line in tables().splitlines() if line not in page.splitlines()] == []


@pytest.mark.parametrize("who", WHO)
def test_names_in_recorded_handshakes_are_those_of_their_clients(who: str) -> None:
    for one in recorded(who):
        if one.software_name:
            found = client_on_the_wire(one.software_name, one.software_version or "", place=Place("here"))
            assert found.version
            assert found.version in who


def test_a_number_without_v_is_not_what_sarama_reports_of_itself() -> None:
    found = client_on_the_wire("sarama", "1.61.1", place=Place("x"))
    assert (found.version, "some sarama before 1.47" in found.unknown) == ("", True)
