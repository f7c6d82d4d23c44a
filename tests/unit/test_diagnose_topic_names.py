"""Topics that are known by their ids until an answer names them: one object, whenever the name comes."""

from __future__ import annotations

from probe.diagnose.findings import Status
from probe.diagnose.objects import Item, Kind
from probe.model import Row
from probe.protocol.rows import id_text
from tests.support.wire_script import OLD, TOPIC, Talk, WireScript

ID = bytes(range(16))
UNNAMED = Row(topic=id_text(ID), partition=0)
NAMED = Row(topic=TOPIC, partition=0)
STORAGE_ERROR = 56


def begun_late(names: dict[bytes, str] | None = None) -> tuple[WireScript, Talk]:
    """A writer whose connection began before the input: its requests have ids, and no answer has named them."""
    script = WireScript(names={ID: TOPIC} if names is None else names)
    talk = script.client(row=UNNAMED)
    talk.works(10)
    return script, talk


def test_a_client_that_asks_because_of_the_error_recovers_under_the_name() -> None:
    script, talk = begun_late()
    talk.fails(STORAGE_ERROR, times=3)
    script.leader = 2
    talk.asks()
    talk.row = NAMED
    talk.works(20, broker=12)
    found = script.only()
    assert found.status is Status.RECOVERED
    assert [(one.item, one.errors[0].count) for one in found.findings] == [(Item(Kind.PARTITION, TOPIC, 0), 3)]
    assert found.healthy == 0
    (asked,) = (one.asked for one in found.findings)
    assert asked is not None
    assert (asked.count, asked.named) == (1, 2)
    refused = [one for broker in script.diagnose().brokers for one in broker.refused]
    assert [(one.item.name, one.count, one.leads) for one in refused] == [(TOPIC, 3, 2)]


def test_requests_that_keep_the_id_are_about_the_same_partition() -> None:
    script, talk = begun_late()
    talk.asks()
    talk.fails(STORAGE_ERROR, times=200)
    found = script.only()
    assert found.status is Status.STUCK
    assert [one.item.name for one in found.findings] == [TOPIC]


def test_an_answer_to_another_client_names_the_topic_of_all() -> None:
    script, talk = begun_late()
    talk.fails(STORAGE_ERROR, times=100)
    other = script.client("other", "10.0.0.8", row=UNNAMED)
    other.works(3, broker=12)
    other.asks()
    other.works(3, broker=12)
    talk.fails(STORAGE_ERROR, times=100)
    named = {one.key.client_id: [item.item.name for item in one.findings] for one in script.diagnose().clients}
    assert named == {talk.client_id: [TOPIC], "other": []}


def test_a_request_that_waits_while_its_topic_is_named_is_silence_about_the_name() -> None:
    script, talk = begun_late()
    talk.waits_for()
    talk.asks()
    script.ends_after(40_000)
    (found,) = script.only().findings
    assert (found.item.name, found.silent) == (TOPIC, 1)


def test_a_topic_that_no_answer_names_keeps_its_id() -> None:
    script, talk = begun_late(names={})
    talk.fails(STORAGE_ERROR, times=200)
    talk.asks(broker=OLD)
    found = script.only()
    assert [one.item.name for one in found.findings] == [UNNAMED.topic]
    assert found.status is Status.STUCK
