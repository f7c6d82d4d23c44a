"""OSV records: which measurements become one, what they claim, and that a rebuild gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest

from probe.cells.aggregate import SettledCell
from probe.cells.series import are_neighbours
from probe.cli.wiring.catalogue import packages
from probe.model import Cell, Engine, Outcome
from probe.reports.osv import archives, read_archive, records, withdraw
from tests.support.fetched_tools import python_packages
from tests.support.synthetic_rows import CELL, settled_cell

BAD, GOOD = Outcome.STUCK, Outcome.REFRESHES
NAME = "PROBE-sarama-producer-disk-storage-error"
IBM, SHOPIFY = "github.com/IBM/sarama", "github.com/Shopify/sarama"
OSV = "osv==0.0.22"
"""The wheel with the schema of records."""


def measured(*pairs: tuple[str, Outcome], of: Cell = CELL, run_id: str = "20261127T071307Z-5287") -> list[SettledCell]:
    return [settled_cell(replace(of, version=version), outcome, run_id=run_id) for version, outcome in pairs]


def made(*cells: SettledCell) -> Mapping[str, Mapping[str, Any]]:
    return records(cells, packages())


def affected(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any]
    (found,) = (item for item in record["affected"] if item["package"]["name"] == name)
    return found


MENDED = measured(("1.43.2", BAD), ("1.43.3", GOOD))


def test_a_version_that_fails_and_a_later_one_that_conforms_make_a_record() -> None:
    found = made(*MENDED)
    assert [*found] == [NAME]
    assert affected(found[NAME], IBM)["versions"] == affected(found[NAME], SHOPIFY)["versions"] == ["1.43.2"]
    assert affected(found[NAME], IBM)["package"]["purl"] == "pkg:golang/github.com/IBM/sarama"
    assert found[NAME]["modified"] == "2026-11-27T07:13:07Z"
    assert "1.43.3 is the first later version measured that conforms" in found[NAME]["details"]
    assert found[NAME]["summary"] == "sarama as producer in disk/storage-error: stops (stuck)"
    assert found[NAME]["database_specific"]["harm"] == "stops"


@pytest.mark.parametrize(
    "cells",
    [
        measured(("1.43.2", BAD)),
        measured(("1.43.2", GOOD), ("1.43.3", BAD)),
        measured(("1.43.2", Outcome.BROKEN), ("1.43.3", GOOD)),
        measured(("1.43.2", Outcome.NOT_PROVOKED), ("1.43.3", GOOD)),
        measured(("1.43.2+local.0a1b2c3d", BAD), ("1.43.3", GOOD)),
        measured(("1.43.2", BAD), ("1.43.3+local.0a1b2c3d", GOOD)),
        measured(("1.43.2", BAD), ("1.43.3", GOOD), of=replace(CELL, scenario="steady")),
        measured(("1.43.2", BAD), ("1.43.3", GOOD), of=replace(CELL, scenario="broker/kill")),
        measured(("1.43.2", BAD), ("1.43.3", GOOD), of=replace(CELL, profile="idempotent")),
        measured(("1.17.0", BAD), ("1.18.0", GOOD), of=replace(CELL, family="telegraf")),
        [*measured(("1.43.2", BAD)), *measured(("1.43.3", GOOD), of=replace(CELL, broker="2.6"))],
        [settled_cell(replace(CELL, version="1.43.2"), BAD, GOOD), *measured(("1.43.3", GOOD))],
        [*measured(("1.43.2", BAD)), settled_cell(CELL, GOOD, BAD)],
        [replace(MENDED[0], conditions=1), MENDED[1]],
    ],
    ids=lambda cells: " ".join(f"{one.cell.version}={one.outcomes}" for one in cells),
)
def test_anything_else_makes_none(cells: list[SettledCell]) -> None:
    assert made(*cells) == {}


def test_an_incident_makes_a_record() -> None:
    assert [*made(*measured(("1.43.2", BAD), ("1.43.3", GOOD), of=replace(CELL, scenario="incident/jbod")))] == [
        "PROBE-sarama-producer-incident-jbod"
    ]


def test_outcomes_may_differ_as_long_as_each_trial_fails() -> None:
    cells = [settled_cell(replace(CELL, version="1.43.2"), BAD, Outcome.STORMS), MENDED[1]]
    assert affected(made(*cells)[NAME], IBM)["versions"] == ["1.43.2"]


@pytest.mark.parametrize(
    ("pairs", "ranges"),
    [
        ([("1.43.0", GOOD), ("1.43.1", BAD), ("1.43.2", BAD), ("1.43.3", GOOD)], [("1.43.1", "1.43.3")]),
        ([("1.43.1", BAD), ("1.43.2", BAD), ("1.43.3", GOOD)], []),  # where it began is not known
        ([("1.43.0", GOOD), ("1.43.2", BAD), ("1.43.3", GOOD)], []),
        ([("1.43.1", GOOD), ("1.43.2", BAD), ("1.43.4", GOOD)], []),
        ([("1.42.2", GOOD), ("1.43.0", BAD), ("1.43.1", GOOD)], []),  # 1.42.3 may exist
        ([("1.43.0", GOOD), ("1.43.1", BAD), ("1.43.2", Outcome.BROKEN), ("1.43.3", GOOD)], []),
        (
            [("1.9.9", GOOD), ("1.9.10", BAD), ("1.9.11", GOOD), ("1.9.12", BAD), ("1.9.13", GOOD)],
            [("1.9.10", "1.9.11"), ("1.9.12", "1.9.13")],
        ),
    ],
)
def test_a_range_needs_neighbours_that_were_all_measured(
    pairs: list[tuple[str, Outcome]], ranges: list[tuple[str, str]]
) -> None:
    one = affected(made(*measured(*pairs))[NAME], IBM)
    events = [item["events"] for item in one.get("ranges", [])]
    assert [(pair[0]["introduced"], pair[1]["fixed"]) for pair in events] == ranges
    assert one["versions"] == [version for version, outcome in pairs if outcome is BAD]


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("1.43.2", "1.43.3", True),
        ("1.9", "1.10", True),
        ("1.43.9", "1.43.10", True),
        ("1.43.2", "1.43.4", False),
        ("1.43.3", "1.44.0", False),
        ("1.43.2", "1.43.3-rc1", False),
        ("0.8.2.1", "0.8.2.2", True),
    ],
)
def test_neighbours_are_known_by_their_numbers(older: str, newer: str, expected: bool) -> None:
    assert are_neighbours(older, newer) is expected


def test_each_line_of_brokers_says_what_was_measured_there() -> None:
    real = replace(CELL, engine=Engine.KAFKA, broker="4.3")
    both = [*MENDED, *measured(("1.43.2", BAD), ("1.43.3", GOOD), of=real)]
    lines = affected(made(*both)[NAME], IBM)["database_specific"]["measured"]
    assert [(line["engine"], line["broker"], line["fails"]) for line in lines] == [
        ("embedded", "3.9", {"1.43.2": "stuck:1"}),
        ("kafka", "4.3", {"1.43.2": "stuck:1"}),
    ]
    unmended = [*MENDED, *measured(("1.43.2", BAD), ("1.43.3", BAD), of=real)]
    assert len(affected(made(*unmended)[NAME], IBM)["database_specific"]["measured"]) == 1


def test_librdkafka_is_recorded_by_its_wrappers() -> None:
    of = replace(CELL, family="librdkafka")
    found = made(*measured(("1.9.2", BAD), ("2.2.0", BAD), ("2.8.0", BAD), ("2.8.1", GOOD), of=of))[
        "PROBE-librdkafka-producer-disk-storage-error"
    ]
    by_name = {item["package"]["name"]: item for item in found["affected"]}
    assert {name: item["package"]["ecosystem"] for name, item in by_name.items()} == {
        "confluent-kafka": "PyPI",
        "github.com/confluentinc/confluent-kafka-go": "Go",
        "github.com/confluentinc/confluent-kafka-go/v2": "Go",
        "Confluent.Kafka": "NuGet",
        "librdkafka.redist": "NuGet",
        "node-rdkafka": "npm",
        "@confluentinc/kafka-javascript": "npm",
        "rdkafka-sys": "crates.io",
    }
    assert by_name["confluent-kafka"]["versions"] == ["1.9.2", "2.2.0", "2.8.2"]  # 2.8.2 has librdkafka 2.8.0
    assert by_name["github.com/confluentinc/confluent-kafka-go"]["versions"] == ["1.9.2"]
    assert by_name["github.com/confluentinc/confluent-kafka-go/v2"]["versions"] == ["2.2.0", "2.8.0"]
    assert by_name["librdkafka.redist"]["versions"] == ["1.9.2", "2.2.0", "2.8.0"]
    assert [name for name, item in by_name.items() if "ranges" in item] == []


def test_packages_that_only_name_the_library_are_not_affected() -> None:
    found = made(*measured(("2.8.1", BAD), ("3.9.2", GOOD), of=replace(CELL, family="java")))
    names = [item["package"]["name"] for item in found["PROBE-java-producer-disk-storage-error"]["affected"]]
    assert names == ["org.apache.flink:flink-sql-connector-kafka", "org.apache.kafka:kafka-clients"]  # shaded; itself


def test_records_meet_the_schema_of_osv() -> None:
    """The schema allows prefixes of known databases only; ours is not one of them."""
    folder = python_packages("osv-schema", [OSV])
    schema = json.loads((folder / "osv" / "osv-schema" / "validation" / "schema.json").read_text())
    schema["$defs"]["prefix"]["pattern"] = "^PROBE-"
    checker = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
    of = replace(CELL, family="librdkafka")
    ranged = measured(("1.43.1", GOOD), ("1.43.2", BAD), ("1.43.3", GOOD))
    found = made(*ranged, *measured(("2.8.0", BAD), ("2.8.1", GOOD), of=of))
    for record in withdraw({"PROBE-old": {**found[NAME], "id": "PROBE-old"}}, found, datetime.now(UTC)).values():
        checker.validate(record)
    with pytest.raises(jsonschema.ValidationError):
        checker.validate({**found[NAME], "modified": None})


def test_the_same_evidence_gives_the_same_bytes_in_any_order() -> None:
    cells = [*MENDED, *measured(("3.8.0", BAD), ("3.9.0", GOOD), of=replace(CELL, family="java"))]
    first = archives(made(*cells))
    assert first == archives(made(*reversed(cells)))
    assert [*first] == ["Go", "Maven"]
    assert read_archive(first["Go"]) == {NAME: made(*MENDED)[NAME]}
    rebuilt = archives(
        withdraw(read_archive(first["Go"]) | read_archive(first["Maven"]), made(*cells), datetime.now(UTC))
    )
    assert rebuilt == first


def test_a_record_is_withdrawn_when_its_cell_says_so_no_more() -> None:
    before = made(*MENDED)
    later = measured(("1.43.2", GOOD), ("1.43.3", GOOD), run_id="20261128T000000Z-aaaa")
    first = withdraw(before, made(*later), datetime(2026, 11, 28, tzinfo=UTC))
    assert (first[NAME]["withdrawn"], first[NAME]["modified"]) == ("2026-11-28T00:00:00Z",) * 2
    assert first[NAME]["affected"] == before[NAME]["affected"]
    assert withdraw(first, made(*later), datetime(2026, 11, 29, tzinfo=UTC)) == first
    assert withdraw(first, before, datetime(2026, 11, 30, tzinfo=UTC)) == before


@pytest.mark.parametrize("data", [b"", b"PK\x05\x06", b"no zip"])
def test_a_damaged_archive_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no archive of records"):
        read_archive(data)
