"""Numbers that begin several releases, as people paste them: what was measured of the line, and how to ask for one."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner, Result

from probe.catalogue.line_names import line_named
from probe.cli.app import app
from probe.cli.wiring.audit_requests import ask
from probe.cli.wiring.catalogue import apps, families
from probe.cli.wiring.lookup_words import asked_client
from probe.errors import NothingJudgedError
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.inventory.entries import Place
from probe.inventory.paste_parser import named
from probe.model.engines import DEFAULT_ENGINE


def look(*arguments: str) -> Result:
    """Look a client up in the evidence that ships."""
    where = ("--results", "no-results", "--evidence", str(built(TEXT)), "--max-age", "36500")
    return CliRunner().invoke(app, ["lookup", *arguments, *where])


@pytest.mark.parametrize(
    ("client", "first", "count"),
    [
        ("sarama@1.43", "1.43.0", 4),
        ("sarama@1.43.x", "1.43.0", 4),
        ("sarama@1", "1.19.0", 72),
        ("java@0.11.0", "0.11.0.0", 4),
        ("librdkafka@2.11", "2.11.0", 2),
        ("confluent-kafka@2.3", "2.3.0", 1),
        ("telegraf@1.30", "1.30.0", 4),
    ],
)
def test_a_number_names_the_releases_that_begin_with_it(client: str, first: str, count: int) -> None:
    found = line_named(client, families(), apps())
    assert found is not None
    assert (next(iter(found.releases)), len(found.releases)) == (first, count)


@pytest.mark.parametrize(
    "client", ["sarama", "sarama@1.43.2", "sarama@9.9", "java@3.6.3", "filebeat@8.16", "unheard@1.0", "sarama@latest"]
)
def test_a_release_a_family_and_what_is_not_known_are_no_line(client: str) -> None:
    assert line_named(client, families(), apps()) is None


@pytest.mark.parametrize(
    ("text", "client"),
    [
        ("kafka-clients:3.6", "java@3.6"),
        ("org.apache.kafka:kafka-clients:3.6", "java@3.6"),
        ("github.com/IBM/sarama v1.43", "sarama@1.43"),
        ("sarama@1.43", "sarama@1.43"),
        ("librdkafka 2.11", "librdkafka@2.11"),
        ("kafka-python==2.0", "kafka-python@2.0"),
        ("pkg:npm/kafkajs@2.2", "kafkajs@2.2"),
    ],
)
def test_lines_are_read_from_what_is_pasted(text: str, client: str) -> None:
    assert asked_client(text) == client
    assert line_named(client, families(), apps())


@pytest.mark.parametrize("text", ["kafka-python>=2.0", "kafka-python~=2.0", "kafkajs@^2.2", "kafka-clients:9.6"])
def test_a_range_is_no_line(text: str) -> None:
    with pytest.raises(NothingJudgedError, match="nearest is"):
        asked_client(text)


def test_a_line_lists_what_was_measured_of_it_and_does_not_fail() -> None:
    done = look("sarama@1.43")
    lines = done.stdout.splitlines()
    assert done.exit_code == 0
    assert lines[0].startswith("1.43 names no release of sarama; there are 1.43.0 to 1.43.3; 4 of 4 measured on")
    assert [line.split()[0] for line in lines[1:5]] == ["1.43.3", "1.43.2", "1.43.1", "1.43.0"]
    assert "not as producer" in lines[2]
    assert lines[5] == "1.43.3, the newest of them:"
    assert "`probe lookup sarama@1.43.3`" in lines[-1]
    one = look("sarama@1.43.2").stdout.splitlines()
    assert next(line for line in one if line.startswith("in short: ")).endswith(lines[2].split(maxsplit=1)[1])


def test_of_a_long_line_the_newest_releases_are_listed() -> None:
    lines = look("sarama@1").stdout.splitlines()
    assert len(lines) <= 40
    assert "  60 older releases" in lines


def test_json_of_a_line_has_each_release() -> None:
    found = json.loads(look("java@3.6", "--json").stdout)
    assert {one["version"] for one in found["answers"]} == {"3.6.0", "3.6.1", "3.6.2"}
    assert found["stands_for"] == "java"


def test_a_line_of_which_nothing_was_measured_names_a_release() -> None:
    done = look("telegraf@1.30")
    assert isinstance(done.exception, NothingJudgedError)
    assert "none was measured; `probe lookup telegraf@1.30.3`" in str(done.exception)


def test_a_service_that_runs_a_line_is_asked_for_its_release() -> None:
    service = named("sarama", "1.43", Place("fleet.csv"))
    request = ask(service, (), DEFAULT_ENGINE, "3.9")
    assert request.problem == "1.43 names no release of sarama; there are 1.43.0 to 1.43.3"
