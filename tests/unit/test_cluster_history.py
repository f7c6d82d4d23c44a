"""The history of a cluster: what it is by release line, and its text."""

from __future__ import annotations

import pytest

from probe.drivers.conversion import read_value
from probe.model import ClusterHistory, decode, encode
from probe.model.cluster_history import OLD, WRITER, history_plan


@pytest.mark.parametrize(
    ("line", "elections", "deleted", "producer_ids"),
    [
        ("0.9.0", (0, 0), 0, 0),
        ("0.10.2", (0, 0), 0, 0),
        ("0.11.0", (0, 0), 7, 3),
        ("2.0", (0, 0), 7, 3),
        ("2.1", (8, 4), 7, 3),
        ("4.3.1", (8, 4), 7, 3),
    ],
)
def test_brokers_have_the_history_that_they_support(
    line: str, elections: tuple[int, int], deleted: int, producer_ids: int
) -> None:
    plan = history_plan(line)
    assert (plan.elections, plan.deleted, plan.producer_ids) == (elections, deleted, producer_ids)


def test_the_committed_offset_is_at_neither_end() -> None:
    plan = history_plan("3.9")
    assert plan.deleted < plan.committed < plan.records


def test_there_are_some_twenty_other_topics_with_about_a_hundred_partitions() -> None:
    topics = history_plan("3.9").topics
    assert (len(topics), sum(topics.values())) == (20, 100)


def test_the_text_names_only_what_there_is() -> None:
    assert ClusterHistory().text() == ""
    whole = ClusterHistory(
        epochs={1: 5, 0: 9},
        starts={0: 7, 1: 7},
        ends={0: 24, 1: 24},
        committed={0: 15, 1: 15},
        producer_ids=3,
        transactions=2,
        topics=20,
        partitions=100,
        controller_changes=1,
    )
    assert whole.text() == (
        "leader epochs 9, 5; logs from 7, 7; old records up to 24, 24; committed offsets 15, 15; 3 producer ids used; "
        "transactional ids used by 2 producers; 20 other topics with 100 partitions; controller changed once"
    )
    assert decode(ClusterHistory, encode(whole)) == whole


def test_a_record_of_the_history_has_no_number() -> None:
    assert read_value(f"{WRITER} 0 17 5000") == (OLD, 5000)
    assert read_value("feed 0 17 5000") == (17, 5000)
