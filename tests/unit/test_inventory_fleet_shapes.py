"""A fleet file with any content is read, or rejected in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe.inventory.columns import WORDS
from probe.model import Role
from tests.support.command import command
from tests.support.inventories import only, read

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["sarama@1.43.3", "-1"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=9
)
KEYS = st.sampled_from([word for words in WORDS.values() for word in words]) | st.text()
SERVICES = st.dictionaries(KEYS, VALUES, max_size=6)


@given(st.lists(SERVICES | VALUES, max_size=4) | SERVICES | VALUES, st.sampled_from(["f.json", "f.jsonl", "f.txt"]))
def test_any_json_is_read_or_rejected(data: object, name: str) -> None:
    check(json.dumps(data), name)


@given(st.text())
def test_any_text_is_read_or_rejected(text: str) -> None:
    for ending in ("toml", "json", "csv", "txt"):
        check(text, f"f.{ending}")


def check(text: str, name: str) -> None:
    reading = read(text.encode("utf-8", "replace"), name)
    assert not (reading.problem and reading.found)
    for item in (*reading.found, *reading.skipped, reading.problem):
        assert str(item).isprintable() or "..." in str(item)
        str(item).encode()


REFUSED = [
    ("f.json", '[{"client": ["sarama@1.43.3"]}]', "entry 1: `client` is a list"),
    ("f.json", '[{"client": {"name": "sarama"}}]', "entry 1: `client` is an object"),
    ("f.json", '[{"client": "sarama", "version": ["1.43.3"]}]', "`version` is a list"),
    ("f.json", '[{"client": "sarama@1.43.3", "role": ["producer"]}]', "`role` is a list"),
    ("f.json", '[{"client": "sarama@1.43.3", "count": {"a": 1}}]', "`count` is an object"),
    ("f.json", '[{"client": "sarama@1.43.3", "count": 1e999}]', "count 'inf' is no number"),
    ("f.json", '[{"client": "sarama@1.43.3", "properties": [["a=b"]]}]', "an item of `properties` is a list"),
    ("f.json", '[{"client": "sarama@1.43.3", "properties": {"a": {"b": 1}}}]', "property 'a' is an object"),
    ("f.json", '["a@1", 3]', "entry 2: it is a number"),
    ("f.json", '["a@1", []]', "entry 2: it is a list"),
    ("f.json", '["a@1", null]', "entry 2: it is null"),
    ("f.json", '["a@1", ' + "[" * 100_000, "nested too deeply"),
    ("f.json", '["a@1", ' + "9" * 5000 + "]", "correct the file"),
    ("f.toml", 'service = "sarama@1.43.3"', "`service` is text; begin each service with [[service]]"),
    ("f.toml", '[service]\nclient = "sarama@1.43.3"', "`service` is an object"),
    ("f.toml", '[[service]]\nclient = ["sarama@1.43.3"]', "[[service]] 1: `client` is a list"),
    ("f.toml", '[[service]]\n[service.client]\nname = "sarama"', "`client` is an object"),
]


@pytest.mark.parametrize(("name", "text", "says"), REFUSED)
def test_unexpected_values_are_named(name: str, text: str, says: str) -> None:
    reading = read(text, name)
    assert says in reading.problem
    assert not reading.found


def test_numbers_and_booleans_are_read_as_text() -> None:
    text = """{
      "client": "sarama", "version": 1.43, "count": "2", "role": null,
      "properties": {"Producer.Retry.Max": 9, "Producer.Idempotent": true}
    }"""
    found = only(read(text, "f.json"))
    assert (found.selector, found.name, found.count, found.role) == ("sarama@1.43", "sarama@1.43", 2, None)
    assert found.properties == ("Producer.Retry.Max=9", "Producer.Idempotent=true")
    assert read('{"client": "java@3.9.2"}\n{"client": "java@4.0.0"}', "f.jsonl").found[1].selector == "java@4.0.0"


@pytest.mark.parametrize(
    ("name", "text", "says"), [REFUSED[0], REFUSED[-1], ("f.json", '["a@1", {', "correct the file")]
)
def test_the_command_ends_with_one_line(tmp_path: Path, name: str, text: str, says: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    done = command("audit", str(file), "--results", str(tmp_path / "none"))
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


class TestFleet:
    def test_a_sheet_has_the_columns_of_a_fleet(self) -> None:
        text = (
            "# exported today\n"
            "service,client,version,role,properties,count\n"
            'shipper,sarama,1.43.2,producer,"Producer.Retry.Max=9; ChannelBufferSize=1",12\n'
            "billing,spring-boot@3.2.0,,,,\n"
        )
        shipper, billing = read(text, "fleet.csv").found
        assert (shipper.service, shipper.selector, shipper.role, shipper.count) == (
            *("shipper", "sarama@1.43.2", Role.PRODUCER, 12),
        )
        assert shipper.properties == ("Producer.Retry.Max=9", "ChannelBufferSize=1")
        assert (billing.service, billing.selector, billing.role, billing.count) == (
            *("billing", "spring-boot@3.2.0", None, 1),
        )

    def test_client_metrics_of_brokers_are_read(self) -> None:
        text = (
            "clientSoftwareName,clientSoftwareVersion,connections\n"
            "apache-kafka-java,3.9.1,40\nconfluent-kafka-python,2.3.0-rdkafka-2.3.0,3\n"
            "kgo,v1.18.1,2.0\nsarama,v1.43.2,7\nunknown,unknown,1\n"
        )
        assert [(item.shown, item.count) for item in read(text, "metrics.csv").found] == [
            ("java@3.9.1", 40),
            ("librdkafka@2.3.0", 3),
            ("franz-go@1.18.1", 2),
            ("sarama", 7),
            ("unknown", 1),
        ]

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("sarama@1.43.2\n\n# old\njava@3.9.2\n", "fleet.txt"),
            ("- sarama@1.43.2\n- java@3.9.2\n", "fleet.yaml"),
            ('["sarama@1.43.2", {"client": "java", "version": "3.9.2"}]', "fleet.json"),
            ('{"client": "sarama@1.43.2"}\n{"family": "java@3.9.2"}\n', "fleet.jsonl"),
            ('[[service]]\nclient = "sarama@1.43.2"\n[[service]]\nclient = "java@3.9.2"\n', "fleet.toml"),
        ],
    )
    def test_text_yaml_json_and_toml_are_read(self, text: str, name: str) -> None:
        assert [item.selector for item in read(text, name).found] == ["sarama@1.43.2", "java@3.9.2"]

    @pytest.mark.parametrize(
        ("text", "name", "says"),
        [
            ("", "fleet.csv", "it is empty"),
            ("service,client,version\n", "fleet.csv", "there is no service in it"),
            ("sarama@1.0\nsarama boss@x@1\n@\n", "fleet.txt", "line 3: it names no client"),
            ("service,library_name\nx,y\n", "fleet.csv", "no format of an inventory"),
            ("client,role\nsarama@1.0,boss\n", "fleet.csv", "line 2: boss is no role"),
            ("client,count\nsarama@1.0,many\n", "fleet.csv", "count 'many' is no number"),
            ("client,properties\nsarama@1.0,novalue\n", "fleet.csv", "'novalue' is not KEY=VALUE"),
            ('["sarama@1.0",', "fleet.json", "correct the file"),
        ],
    )
    def test_an_invalid_entry_is_reported_with_its_line(self, text: str, name: str, says: str) -> None:
        reading = read(text, name)
        assert says in reading.problem
        assert not reading.found

    def test_a_client_without_a_version_is_unknown(self) -> None:
        (found,) = read("client;version\nsarama;\n").found
        assert (found.selector, found.package) == ("", "sarama")
        assert "no version" in found.unknown
