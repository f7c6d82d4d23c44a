"""Texts of a look-up beside the client: releases with another library, other libraries, measured neighbours."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from probe.catalogue.apps import LINE
from probe.catalogue.families import CatalogueError
from probe.cells.audit import Fault, Finding
from probe.cells.library_changes import first_change, library_cell, questions
from probe.cells.loss_words import as_written
from probe.cli.wiring.alternatives import asking_of, other_libraries, otherwise
from probe.cli.wiring.asked_sides import asked_sides
from probe.cli.wiring.audit_requests import ask
from probe.cli.wiring.between import measured_near
from probe.cli.wiring.catalogue import apps, families
from probe.cli.wiring.lookup_words import near
from probe.inventory.entries import Found, Place
from probe.model import Cell, Engine, Outcome
from probe.model.engines import DEFAULT_ENGINE as ENGINE
from tests.support.synthetic_rows import CELL, settled_cell

FILEBEAT = apps()["filebeat"]
STOPPED = replace(CELL, family="beats", version="8.16.1")
INSIDE = library_cell(STOPPED, "sarama", "1.43.3")
ITSELF = replace(STOPPED, version="9.0.0")


@pytest.mark.parametrize(
    ("known", "release"),
    [
        ({INSIDE: Outcome.REFRESHES}, "9.0.0"),
        ({INSIDE: Outcome.STUCK}, None),
        ({}, None),
        ({INSIDE: Outcome.REFRESHES, ITSELF: Outcome.STUCK}, None),
        ({INSIDE: Outcome.REFRESHES, ITSELF: Outcome.REFRESHES}, "9.0.0"),
    ],
)
def test_a_release_is_suspected_to_work_by_its_library_unless_it_was_measured_otherwise(
    known: dict[Cell, Outcome], release: str | None
) -> None:
    stored = {cell: settled_cell(cell, outcome) for cell, outcome in known.items()}
    found = first_change(FILEBEAT, "8.16.1", [STOPPED], stored)
    assert (None if found is None else found.since) == release
    assert {INSIDE, ITSELF} <= {*questions(FILEBEAT, "8.16.1", [STOPPED])}


def test_without_a_fault_no_release_is_named() -> None:
    assert first_change(FILEBEAT, "8.16.1", [], {}) is None


def test_a_version_of_the_library_is_named_by_the_release_that_has_it() -> None:
    assert FILEBEAT.words_of("1.43.3", "8.16.1") == "filebeat 9.0.0 with sarama 1.43.3"
    assert FILEBEAT.words_of("99.0.0", "8.16.1") == "sarama 99.0.0 (no filebeat is known to have it)"


def test_many_changes_of_a_library_are_counted() -> None:
    words = apps()["confluent-kafka-python"].changes_of_library("2.3.0")
    assert words.startswith("confluent-kafka-python changes in 2.4.0 to librdkafka 2.4.0, in ")
    assert words.count(" to ") == 2
    assert " more releases, in " in words


def test_other_libraries_are_of_the_same_language_and_no_older() -> None:
    asked = asked_sides("kafkajs@2.2.4", "lookup")[0].chosen
    words = other_libraries(asked, families())
    assert words.startswith("other clients for Node to look up: ")
    assert "platformatic-kafka@" in words
    assert "kafka-node@" not in words, "its last release is older"
    assert not any(name in words for name in ("kafkajs", "sarama"))


@pytest.mark.parametrize(
    ("version", "found"), [("1.5", ["1.0", "2.0"]), ("2.0", ["2.0"]), ("3.0", ["2.0"]), ("0.1", ["1.0"])]
)
def test_the_nearest_releases_with_many_cells_are_named(version: str, found: list[str]) -> None:
    counts = {"0.9": 1, "1.0": 80, "1.4": 2, "2.0": 300}
    assert measured_near(counts, version, 8) == found
    assert measured_near({}, version, 8) == []


@pytest.mark.parametrize(
    ("client", "named"),
    [("sarama@1.43.2", []), ("filebeat@7.16.0", ["measured near it: `probe lookup sarama@1.29.1`"])],
)
def test_a_release_is_measured_near_an_application_and_not_near_itself(client: str, named: list[str]) -> None:
    sides = asked_sides(client, "lookup")
    evidence: Any = SimpleNamespace(counts=lambda *_: {"1.29.1": 300, "1.43.2": 300})
    nothing: Any = SimpleNamespace(mending={})
    said = asking_of(evidence, sides, [Fault(CELL, Finding.UNKNOWN, None)], nothing, []).measured
    assert [text for text in said.split("; ") if text.startswith("measured near it")] == named


@pytest.mark.parametrize(
    ("text", "client", "found"),
    [
        ("telegraf:1.31", "telegraf", "telegraf@1.31.3"),
        ("docker.elastic.co/beats/filebeat:8.16", "filebeat", "filebeat@8.16.1"),
        ("filebeat:8.15.1", "filebeat", "filebeat@8.15.1"),
        ("kafka-clients:3.6.99-ccs", "java", "java@3.6.2"),
        ("sarama 0.0.1", "sarama", "sarama@1.19.0"),
        ("nobody:1.0", "", "none; `probe clients` lists what is measured"),
    ],
)
def test_a_line_is_near_its_newest_release(text: str, client: str, found: str) -> None:
    assert near(text, client) == found


def test_a_line_of_an_application_names_its_releases() -> None:
    with pytest.raises(
        CatalogueError, match=r"8\.14 names no release; its releases are 8\.14\.0 to 8\.14\.3 \(java 3\.4"
    ):
        apps()["logstash"].inside("8.14")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("8.16", r"8\.16 names no release; its releases lie in 8\.0\.0 to 8\.16\.1 \(sarama 1\.29\.1\)"),
        ("7.17", r"7\.17 names no release; its releases lie in 7\.16\.0 to 7\.17\.29"),
        ("9.0", r"9\.0 names no release; its releases are 9\.0\.0 to 9\.0\.8"),
        ("8.17", "the library inside it is not known"),
    ],
)
def test_a_line_within_a_span_of_releases_is_none_of_them(line: str, said: str) -> None:
    """Of Filebeat 7.17 only 7.17.29 was measured, which stops: the line is no release without a measurement."""
    with pytest.raises(CatalogueError, match=said):
        apps()["filebeat"].inside(line)


def test_releases_of_applications_have_three_numbers() -> None:
    """Fewer name a line (`LINE`)."""
    assert not [
        one
        for app in apps().values()
        for item in app.versions
        for one in (item.since, item.last)
        if LINE.fullmatch(one)
    ]


@pytest.mark.parametrize(("version", "profile", "loses"), [("3.6.1", "isolated", False), ("2.8.0", "isolated", True)])
def test_a_loss_by_acks_says_nothing_of_a_client_that_writes_to_all(version: str, profile: str, loses: bool) -> None:
    """java 1.1.1 has acks=1 by default and loses records; 3.6.1, which lies after 3.0, has acks=all."""
    older = replace(CELL, family="java", version="1.1.1", scenario="leader/elected")
    real = settled_cell(replace(older, engine=Engine.KAFKA), Outcome.REFRESHES)
    seen = replace(settled_cell(older, Outcome.SURFACES), real=real)
    (found,) = as_written(
        [Fault(replace(older, version=version, profile=profile), Finding.SUSPECTED, seen)], families()
    )
    assert found.evidence is not None
    assert found.evidence.loses is loses


def test_audit_and_look_up_know_the_same_way_out() -> None:
    """Filebeat 8.16.1 stops in disk/storage-error; the sarama inside 9.0.0 goes on there."""
    request = ask(
        Found(package="filebeat", client="filebeat", version="8.16.1", place=Place("here")), (), ENGINE, "3.9"
    )
    assert request.identity is not None
    library = request.identity.library
    assert library is not None
    bad = replace(CELL, family="beats", version="8.16.1")
    inside = library_cell(bad, "sarama", "1.43.3")
    stored = {inside: settled_cell(inside, Outcome.REFRESHES)}
    words = otherwise(request.identity.first, library.application, [bad], lambda _: stored)
    assert words == "suspected to: filebeat 9.0.0, since sarama 1.43.3 inside it goes on there by itself"
    fault = Fault(bad, Finding.FAILS, settled_cell(bad, Outcome.STUCK))
    evidence: Any = SimpleNamespace(find=lambda _: stored, counts=lambda *_: {})
    nothing: Any = SimpleNamespace(mending={})
    assert asking_of(evidence, asked_sides("filebeat@8.16.1", "lookup"), [fault], nothing, []).otherwise == words
