"""Settings of Filebeat, Telegraf and the OpenTelemetry Collector: known keys, and the version from beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.inventory.entries import FileContent, Found
from probe.inventory.inventory_reader import read_inventories
from probe.inventory.settings import COLLECTOR, FILEBEAT, TELEGRAF_INPUT, TELEGRAF_OUTPUT
from probe.inventory.yaml_files import DEPTH
from probe.model import Role
from tests.support.inventories import only, read

FILEBEAT_YML = """\
filebeat.inputs:
  - type: filestream
    paths: ["/var/log/*.log"]
output.kafka:
  hosts: ["kafka1.example:9092"]
  username: shop
  password: "SECRET-filebeat"
  topic: logs
  required_acks: -1
  compression: lz4
  version: 2.1.0
  metadata:
    refresh_frequency: 5m
    retry.max: 7
"""
TELEGRAF_CONF = """\
[agent]
  interval = "10s"
[[outputs.kafka]]
  brokers = ["kafka1.example:9092"]
  topic = "metrics"
  sasl_password = "SECRET-telegraf"
  required_acks = 1
  compression_codec = 4
  max_retry = 9
  idempotent_writes = true
[[inputs.kafka_consumer]]
  brokers = ["kafka1.example:9092"]
  topics = ["metrics"]
  session_timeout = "20s"
[[outputs.influxdb]]
  token = "SECRET-influx"
"""
COLLECTOR_YAML = """\
receivers:
  otlp: {}
exporters:
  kafka/logs:
    brokers: [kafka1.example:9092]
    protocol_version: 2.6.0
    auth: {sasl: {username: shop, password: SECRET-otel}}
    producer: {required_acks: 1, compression: zstd}
    metadata: {full: false, retry: {backoff: 500ms}}
  kafka/unused: {}
  debug: {}
service:
  pipelines:
    logs: {receivers: [otlp], exporters: [kafka/logs, debug]}
"""
ALL = {"filebeat.yml": FILEBEAT_YML, "telegraf.conf": TELEGRAF_CONF, "collector.yaml": COLLECTOR_YAML}


def test_filebeat_is_read_in_both_spellings() -> None:
    nested = FILEBEAT_YML.replace("output.kafka:", "output:\n kafka:")
    for text in (FILEBEAT_YML, nested):
        found = only(read(text, "filebeat.yml"))
        assert (found.client, found.version, found.role) == ("filebeat", "", Role.PRODUCER)
        assert found.properties == (
            "Producer.RequiredAcks=all",
            "Version=2.1.0",
            "Producer.Compression=lz4",
            "Metadata.RefreshFrequency=5m",
            "Metadata.Retry.Max=7",
        )
        assert found.unknown == "its settings name no version; put an inventory that does into the same folder"


@pytest.mark.parametrize("text", ["output.kafka:\n  enabled: false\n  required_acks: 1\n", "output.kafka:\n"])
def test_a_beat_that_writes_elsewhere_is_no_client(text: str) -> None:
    assert read(text, "filebeat.yml").problem == "its output is not Kafka"


def test_each_kafka_plugin_of_telegraf_is_a_client() -> None:
    output, consumer = read(TELEGRAF_CONF, "telegraf.conf").found
    assert (output.role, consumer.role) == (Role.PRODUCER, Role.GROUP)
    assert output.properties == (
        "Producer.RequiredAcks=1",
        "Producer.Compression=zstd",
        "Producer.Idempotent=true",
        "Producer.Retry.Max=9",
    )
    assert consumer.properties == ("Consumer.Group.Session.Timeout=20s",)
    assert str(consumer.place) == "telegraf.conf, [[inputs.kafka_consumer]] 1"


def test_each_exporter_that_a_pipeline_uses_is_a_client() -> None:
    reading = read(COLLECTOR_YAML, "collector.yaml")
    found = only(reading)
    assert found.properties == (
        "Version=2.6.0",
        "Metadata.Full=false",
        "Metadata.Retry.Backoff=500ms",
        "Producer.RequiredAcks=1",
        "Producer.Compression=zstd",
    )
    assert [str(item) for item in reading.skipped] == ["exporter kafka/unused: no pipeline uses it"]


@pytest.mark.parametrize("name", ALL)
def test_nothing_secret_of_settings_is_kept(name: str) -> None:
    assert "SECRET" in ALL[name]
    for text in (ALL[name], ALL[name][:-9], f"{ALL[name]}\n  broken: [SECRET\n"):
        assert "SECRET" not in repr(read(text, name))


def test_a_value_of_another_kind_is_left_out_and_not_shown() -> None:
    for value in ("SECRET", "[SECRET]", "true", "${SECRET}", "1.5"):
        reading = read(f"output.kafka:\n  topic: a\n  required_acks: {value}\n", "filebeat.yml")
        assert only(reading).properties == ()
        assert "SECRET" not in repr(reading)
        assert "`required_acks`: its value is not understood, and is left out" in map(str, reading.skipped)


def test_properties_are_fields_of_the_library() -> None:
    names = {name for one in (FILEBEAT, TELEGRAF_OUTPUT, TELEGRAF_INPUT, COLLECTOR) for name, _ in one.keys.values()}
    assert all(name == "Version" or name.split(".")[0] in {"Producer", "Consumer", "Metadata"} for name in names)


def folder(root: Path, **files: str) -> list[FileContent]:
    for name, text in files.items():
        (root / name.replace("__", ".")).write_text(text)
    return read_inventories([str(root)])


def found(readings: list[FileContent]) -> list[Found]:
    return [item for reading in readings for item in reading.found]


def test_settings_take_the_version_from_beside_them(tmp_path: Path) -> None:
    (item,) = found(folder(tmp_path, images__txt="beats/filebeat:8.16.1\n" * 3, filebeat__yml=FILEBEAT_YML))
    assert (item.selector, item.unknown, item.count) == ("filebeat@8.16.1", "", 3)
    assert "Producer.RequiredAcks=all" in item.properties
    assert item.note == f"in the version of {tmp_path}/images.txt, line 1"


def test_the_client_that_gave_its_version_is_said_to_be_left_out(tmp_path: Path) -> None:
    readings = folder(tmp_path, images__txt="beats/filebeat:8.16.1\n", filebeat__yml=FILEBEAT_YML)
    assert "filebeat@8.16.1: its settings are read in its place" in [str(s) for one in readings for s in one.skipped]


def test_two_versions_beside_settings_give_none(tmp_path: Path) -> None:
    images = "beats/filebeat:8.16.1\nbeats/filebeat:7.17.0\n"
    items = found(folder(tmp_path, images__txt=images, filebeat__yml=FILEBEAT_YML))
    assert sorted(item.version for item in items) == ["", "7.17.0", "8.16.1"]


def test_a_version_in_another_folder_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "images.txt").write_text("beats/filebeat:8.16.1\n")
    items = found(folder(tmp_path, filebeat__yml=FILEBEAT_YML))
    assert sorted(item.version for item in items) == ["", "8.16.1"]


ALIASES = "a: &a [x, x]\nb: &b [*a, *a]\noutput.kafka: *b\n"


def test_aliases_of_yaml_are_refused() -> None:
    assert read(ALIASES, "filebeat.yml").problem == "line 2: it has an alias, which is not read; write the value"


@pytest.mark.parametrize("filler", ["[", "{a: ", "- "])
def test_deep_yaml_is_refused(filler: str) -> None:
    problem = read(f"output.kafka:\n  required_acks: {filler * 2000}", "filebeat.yml").problem
    assert problem in {"its values are nested too deeply; correct the file", "line 2: it is no YAML; correct the file"}
    assert read("output.kafka: " + "[" * (DEPTH + 1), "filebeat.yml").problem.startswith("its values are nested")


def test_objects_of_python_are_not_made() -> None:
    text = "output.kafka:\n  topic: a\n  version: !!python/object/apply:os.getcwd []\n"
    assert "it is no YAML" in read(text, "filebeat.yml").problem


def test_a_file_with_variables_of_its_program_is_refused_in_one_line() -> None:
    assert "fill in its variables" in read("[[outputs.kafka]]\n  max_retry = $RETRIES\n", "telegraf.conf").problem
    assert "it is no YAML" in read("output.kafka:\n  {{ toYaml . }}\n  a: {{b}}\n", "filebeat.yml").problem


def test_large_settings_are_refused() -> None:
    for name, text in ALL.items():
        assert "larger than 1 MiB" in read(text + "# " + "x" * 2**20, name).problem
