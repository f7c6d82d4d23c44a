"""The published OSV records, read by osv-scanner without a network."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from probe.cells.aggregate import SettledCell
from probe.cli.wiring.catalogue import packages
from probe.cli.wiring.osv_records import ARCHIVE, FOLDER
from probe.model import Outcome
from probe.reports.osv import archives, records, withdraw
from tests.support.osv_scanner import osv_scanner
from tests.support.synthetic_rows import CELL, settled_cell

pytestmark = pytest.mark.real
SARAMA = "PROBE-sarama-producer-disk-storage-error"
NOTHING, FOUND = 0, 1
GO_MOD = "module example.com/orders\n\ngo 1.22\n\nrequire {} v{}\n"
LOCK = '{{"name": "web", "lockfileVersion": 3, "packages": {{"": {{}}, "node_modules/{0}": {{"version": "{1}"}}}}}}'
POM = (
    "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId><version>1</version>"
    "<dependencies><dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
    "</dependencies></project>"
)


def pair(family: str, bad: str, good: str) -> list[SettledCell]:
    cells = (replace(CELL, family=family, version=version) for version in (bad, good))
    return [
        settled_cell(cell, outcome) for cell, outcome in zip(cells, (Outcome.STUCK, Outcome.REFRESHES), strict=True)
    ]


MEASURED = [
    *pair("sarama", "1.43.2", "1.43.3"),
    *pair("java", "3.8.1", "3.9.2"),
    *pair("kafkajs", "2.2.0", "2.2.4"),
    *pair("librdkafka", "2.8.0", "2.10.1"),
]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The folder of a site with records."""
    return published(tmp_path / "site", MEASURED)


def published(site: Path, cells: Sequence[SettledCell]) -> Path:
    for ecosystem, data in archives(records(cells, packages())).items():
        (site / FOLDER / ecosystem).mkdir(parents=True)
        (site / FOLDER / ecosystem / ARCHIVE).write_bytes(data)
    return site


def scan(database: Path, file: Path) -> tuple[int, set[str]]:
    """Return the exit code and the ids of the records that are found."""
    done = subprocess.run(
        [
            *(str(osv_scanner()), "scan", "source", "--offline", "--no-call-analysis=go"),
            *("--format", "json", "--lockfile", str(file)),
        ],
        env={**os.environ, "OSV_SCALIBR_LOCAL_DB_CACHE_DIRECTORY": str(database)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "local db from" in done.stderr, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    found = (one for result in data["results"] for package in result["packages"] for one in package["vulnerabilities"])
    return done.returncode, {one["id"] for one in found}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("go.mod", GO_MOD.format("github.com/IBM/sarama", "1.43.2"), {SARAMA}),
        ("go.mod", GO_MOD.format("github.com/IBM/sarama", "1.43.3"), set()),
        ("go.mod", GO_MOD.format("github.com/Shopify/sarama", "1.43.2"), {SARAMA}),
        ("requirements.txt", "confluent-kafka==2.8.2\n", {"PROBE-librdkafka-producer-disk-storage-error"}),
        ("requirements.txt", "confluent-kafka==2.10.1\n", set()),
        ("package-lock.json", LOCK.format("kafkajs", "2.2.0"), {"PROBE-kafkajs-producer-disk-storage-error"}),
        ("package-lock.json", LOCK.format("kafkajs", "2.2.4"), set()),
        (
            "pom.xml",
            POM.format("org.apache.kafka", "kafka-clients", "3.8.1"),
            {"PROBE-java-producer-disk-storage-error"},
        ),
        ("pom.xml", POM.format("org.apache.kafka", "kafka-clients", "3.9.2"), set()),
    ],
)
def test_a_measured_version_is_found_and_its_remedy_is_not(
    database: Path, tmp_path: Path, name: str, text: str, expected: set[str]
) -> None:
    (tmp_path / name).write_text(text)
    assert scan(database, tmp_path / name) == (FOUND if expected else NOTHING, expected)


def test_a_range_and_a_withdrawn_record_are_understood(tmp_path: Path) -> None:
    of = [("1.43.0", Outcome.REFRESHES), ("1.43.1", Outcome.STUCK), ("1.43.2", Outcome.REFRESHES)]
    cells = [settled_cell(replace(CELL, version=version), outcome) for version, outcome in of]
    file = tmp_path / "go.mod"
    file.write_text(GO_MOD.format("github.com/IBM/sarama", "1.43.1"))
    assert scan(published(tmp_path / "ranged", cells), file) == (FOUND, {SARAMA})
    gone = withdraw(records(cells, packages()), {}, datetime(2026, 11, 28, tzinfo=UTC))
    (tmp_path / "gone" / FOLDER / "Go").mkdir(parents=True)
    (tmp_path / "gone" / FOLDER / "Go" / ARCHIVE).write_bytes(archives(gone)["Go"])
    assert scan(tmp_path / "gone", file) == (NOTHING, set())
