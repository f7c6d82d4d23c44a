"""Storms of questions about who serves an object and of connections, with and without a sign of trouble."""

from __future__ import annotations

import pytest

from probe.diagnose.bursts import KINDS, Bursts
from probe.diagnose.findings import Status
from probe.model import Row
from probe.protocol import apis
from probe.protocol.rows import id_text
from tests.support.wire_script import GROUP, NEW, OLD, OTHER, TOPIC, Talk, WireScript, with_code


def asks_often(talk: Talk, times: int, *, every_ms: float = 20) -> None:
    for _ in range(times):
        talk.asks()
        talk.script.wait(every_ms)


@pytest.mark.parametrize(("times", "status"), [(32, Status.HEALTHY), (33, Status.STORMS)])
def test_a_client_that_works_and_asks_too_often_storms(times: int, status: Status) -> None:
    """As KafkaJS does while a leader is away, in a capture that begins after that; 100 ms allow 32 in two seconds."""
    script = WireScript()
    talk = script.client()
    talk.asks()
    talk.works(3, every_ms=1000)
    asks_often(talk, times)
    found = script.only()
    assert found.status is status
    assert found.reason == (f"asked {times} times within two seconds on one connection who leads" if times > 32 else "")
    assert script.only(back_off_ms=lambda _: 50).status is Status.HEALTHY


def test_questions_at_the_pace_of_the_back_off_are_no_storm() -> None:
    script = WireScript()
    talk = script.client()
    talk.works(3)
    asks_often(talk, 300, every_ms=100)
    assert script.only().status is Status.HEALTHY


def test_a_writer_that_gets_to_know_topics_asks_for_all_of_them_each_time() -> None:
    """As KafkaJS and kafka-python do."""
    script = WireScript()
    talk = script.client()
    talk.works(3)
    for number in range(1, 61):
        rows = [Row(topic=f"{TOPIC}{one}") for one in range(number)]
        talk.answer(talk.request(apis.METADATA, OTHER, *rows))
        talk.answer(talk.request(apis.PRODUCE, OLD, with_code(rows[-1], 0)))
    assert script.only().status is Status.HEALTHY


def test_an_administrator_is_asked_by_others() -> None:
    script = WireScript()
    asks_often(script.client("admin"), 60)
    assert script.only().status is Status.UNKNOWN


def test_processes_with_one_client_id_may_ask_at_once() -> None:
    script = WireScript()
    talks = [script.client("rdkafka", row=Row(topic=TOPIC, partition=partition)) for partition in range(40)]
    for talk in talks:
        talk.asks()
        talk.works(1, every_ms=1000)
    for talk in talks:
        talk.asks()
    assert script.only().status is Status.HEALTHY


def test_processes_with_one_client_id_may_connect_at_once() -> None:
    """As after a restart of the broker, which cut the connections of all."""
    script = WireScript()
    talks = [script.client("rdkafka", row=Row(topic=TOPIC, partition=partition)) for partition in range(60)]
    for talk in talks:
        talk.works(3, every_ms=200)
    for talk in talks:
        talk.is_cut()
    for talk in talks:
        talk.works(1, every_ms=1)
    for talk in talks:
        talk.works(3, every_ms=10)
    script.ends_after(2000)
    found = script.only()
    assert (found.status, found.storm) == (Status.RECOVERED, "")


def test_a_client_that_connects_again_and_again_storms() -> None:
    script = WireScript()
    talk = script.client()
    for _ in range(40):
        talk.works(1, every_ms=1)
        talk.is_cut(by="client")
    found = script.only()
    assert (found.status, found.reason) == (
        Status.STORMS,
        "opened 40 connections to one broker within two seconds",
    )


def test_who_wants_to_know_all_topics_asks_for_each() -> None:
    script = WireScript()
    talk = script.client()
    talk.works(3)
    for _ in range(60):
        talk.answer(talk.request(apis.METADATA, OTHER, everything=True))
    found = script.only()
    assert (found.status, found.reason) == (
        Status.STORMS,
        "asked 59 times within two seconds on one connection who leads",
    )


def test_a_member_that_asks_for_its_coordinator_too_often_storms() -> None:
    """As kafka-python-ng does whose coordinator was killed."""
    script = WireScript()
    talk = script.client()
    talk.answer(talk.request(apis.HEARTBEAT, OLD, Row(key=GROUP)), Row(key=GROUP))
    for _ in range(40):
        asked = talk.request(apis.FIND_COORDINATOR, NEW, Row(key=GROUP, key_type=0))
        talk.answer(asked, Row(key=GROUP, key_type=0, leader=3))
    found = script.only()
    assert (found.status, found.reason) == (
        Status.STORMS,
        "asked 39 times within two seconds on one connection who coordinates its group",
    )


def test_kinds_of_which_none_came_lately_are_dropped() -> None:
    bursts = Bursts()
    for kind in range(3 * KINDS):
        assert bursts.add(kind, kind * 1_000_000) == 1
    assert len(bursts._recent) <= KINDS  # what is kept is the point
    assert [bursts.add("one", at) for at in (500_000_000, 501_000_000, 502_500_000)] == [1, 2, 2]


def test_a_topic_that_is_known_by_its_id_first_is_worked_on() -> None:
    script = WireScript(names={bytes(15) + b"\1": TOPIC})
    talk = script.client(row=Row(topic=id_text(bytes(15) + b"\1"), partition=0))
    talk.works(3)
    asks_often(talk, 60)
    assert script.only().status is Status.STORMS
