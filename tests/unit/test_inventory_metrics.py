"""Connections by client software, as real exporters serve them."""

from __future__ import annotations

import gzip
import io
import tracemalloc

import pytest

from probe.inventory.document import MIB
from probe.inventory.entries import FileContent
from probe.inventory.inventory_reader import read_stream
from tests.support.inventories import SAMPLES, read

ALL = {"java@3.6.2": 2, "librdkafka@2.16.0": 2, "kafka-python@3.0.12": 1, "franz-go@1.22.3": 3, "unknown": 9}
EXPORTERS = ("metrics-jmx-exporter.prom", "metrics-strimzi.prom", "metrics-strimzi-reporter.openmetrics.prom")
ROW = 'kafka_server_socket_server_metrics_connections{{clientSoftwareName="{}",clientSoftwareVersion="{}",{}}} {}\n'


def counts(reading: FileContent) -> dict[str, int]:
    assert reading.taken_for == "Prometheus text"
    return {item.shown: item.count for item in reading.found}


def row(name: str, version: str, value: str, more: str = 'listener="EXT",networkProcessor="1"') -> str:
    return ROW.format(name, version, more, value)


@pytest.mark.parametrize("name", EXPORTERS)
def test_connections_are_summed_over_listeners_and_threads(name: str) -> None:
    reading = read((SAMPLES / name).read_bytes(), name)
    assert counts(reading) == ALL
    assert [str(item) for item in reading.skipped] == ["3 connections: of brokers and controllers, by the listener"]


@pytest.mark.parametrize("spelled", ["client_software_{}", "clientsoftware{}", "ClientSoftware{}"])
def test_labels_are_read_in_any_spelling(spelled: str) -> None:
    text = (SAMPLES / EXPORTERS[1]).read_text()
    for part in ("Name", "Version"):
        text = text.replace(f"clientSoftware{part}", spelled.format(part if "C" in spelled else part.lower()))
    assert counts(read(text, "a.prom")) == ALL


def test_rows_of_several_brokers_are_summed() -> None:
    text = row("kgo", "v1.22.3", "1.0", 'instance="a"') + row("kgo", "v1.22.3", "2", 'instance="b"')
    assert counts(read(text * 2)) == {"franz-go@1.22.3": 6}


def test_a_row_without_connections_is_no_client() -> None:
    name = "metrics-strimzi-clients-gone.prom"
    reading = read((SAMPLES / name).read_bytes(), name)
    assert counts(reading) == {"java@3.6.2": 2, "unknown": 1}
    assert "3 clients: no connection is left; a broker keeps the row" in map(str, reading.skipped)


def test_deprecated_requests_are_no_connections() -> None:
    labels = 'clientSoftwareName="unknown",clientSoftwareVersion="unknown",request="Produce",version="2"'
    text = f"kafka_network_requestmetrics_deprecatedrequestspersec_count{{{labels}}} 9\n"
    assert counts(read(text + row("kgo", "v1.22.3", "1"))) == {"franz-go@1.22.3": 1}
    assert "it has no connections by client software (KIP-511)" in read(text).problem


def test_other_metrics_are_said_to_be_other() -> None:
    assert "it has no connections by client software" in read("# TYPE up gauge\nup 1\n").problem


@pytest.mark.parametrize("value", ["", "many", "NaN", "+Inf"])
def test_a_row_that_cannot_be_read_is_counted(value: str) -> None:
    reading = read(row("kgo", "v1.22.3", "1") + row("sarama", "v1.61.1", value))
    assert counts(reading) == {"franz-go@1.22.3": 1}
    assert [str(item) for item in reading.skipped] == ["1 line: no sample of the Prometheus text format"]


def test_a_packed_file_is_unpacked() -> None:
    text = (SAMPLES / EXPORTERS[0]).read_bytes()
    assert counts(read(gzip.compress(text), "metrics.prom.gz")) == ALL


class Repeated(io.RawIOBase):
    """A file of many equal lines that needs no disk."""

    def __init__(self, line: str, size: int) -> None:
        self.block = line.encode() * (MIB // len(line))
        self.left = size

    def readable(self) -> bool:
        return True

    def read(self, most: int = -1) -> bytes:
        data = self.block[: min(most, self.left)] if most >= 0 else self.block
        self.left -= len(data)
        return data


def test_a_large_file_is_read_in_little_memory() -> None:
    tracemalloc.start()
    try:
        many = Repeated(f"# HELP up A metric that says nothing of clients{'.' * 4000}\n", 100 * MIB)
        reading = read_stream("a.prom", "a.prom", many, named=True)  # type: ignore[arg-type]
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "it has no connections by client software" in reading.problem
    assert most < 8 * MIB


def test_many_different_names_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probe.inventory.readers.prometheus.MOST_NAMES", 3)
    reading = read("".join(row(f"name-{number}", "1", "1") for number in range(9)))
    assert len(reading.found) == 3
    assert "6 rows: more than 3 different names and versions" in map(str, reading.skipped)
