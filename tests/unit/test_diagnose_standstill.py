"""Readers that stand still, members that send nothing, partitions that nobody reads: trouble without a sign."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.diagnose.analysis import analyse
from probe.diagnose.findings import ClientFinding, Status
from probe.diagnose.input.file_set import open_inputs
from probe.diagnose.observation import Source
from probe.model import Row
from probe.protocol import apis
from tests.support.wire_script import GROUP, NEW, NODES, OLD, OTHER, TOPIC, Talk, WireScript

ADDRESSES = {f"10.0.1.{number}:9092": node for number, node in NODES.items()}


def reader(source: Source = Source.CAPTURE) -> tuple[WireScript, Talk]:
    """A consumer that reads from broker 2, a follower."""
    script = WireScript(source=source, nodes=ADDRESSES)
    talk = script.client("reader", api=apis.FETCH, version=11)
    talk.asks()
    talk.answer(talk.request(apis.LIST_OFFSETS, OLD, talk.row), talk.row)
    talk.works(20, broker=NEW, every_ms=500)
    return script, talk


def beside(script: WireScript, seconds: int, talk: Talk, *, asks_every: int = 0) -> None:
    """Other clients are served by the leader, while a client goes on with something else."""
    writer = script.client("writer", "10.0.0.9")
    for second in range(seconds):
        writer.works(1, every_ms=1000)
        if asks_every and second % asks_every == 0:
            talk.asks()
        elif not asks_every:
            talk.answer(talk.request(apis.HEARTBEAT, OTHER, Row(key=GROUP)), Row(key=GROUP))


def only(script: WireScript, client_id: str = "reader") -> ClientFinding:
    return next(one for one in script.diagnose().clients if one.key.client_id == client_id)


@pytest.mark.parametrize("source", list(Source))
def test_a_reader_that_asks_on_and_does_not_fetch_is_stuck(source: Source) -> None:
    """As franz-go does whose follower was killed: Metadata every 5 s, and no Fetch."""
    script, talk = reader(source)
    beside(script, 73, talk, asks_every=5)
    script.client("other", "10.0.0.10").works(1, broker=NEW)
    found = only(script)
    assert found.status is Status.STUCK
    assert (
        found.reason
        == "it read regularly, and sent no fetch in the last 74 s, while it asked who leads 3 times and more"
    )


def test_a_reader_whose_broker_is_away_and_that_does_not_fetch_is_stuck() -> None:
    """As KafkaJS does whose follower was killed: heartbeats, and no Fetch; the log shows no cut connection."""
    script, talk = reader(Source.LOG)
    beside(script, 281, talk)
    found = only(script)
    assert found.status is Status.STUCK
    assert "since the broker that it read from answers nobody" in found.reason


def test_a_reader_that_pauses_is_unknown() -> None:
    script, talk = reader()
    other = script.client("other", "10.0.0.10")
    for _ in range(8):
        beside(script, 5, talk)
        other.works(1, broker=NEW)
    found = only(script)
    assert (found.status, found.reason.partition(": ")[2]) == (Status.UNKNOWN, "paused, or standing still")


def test_a_reader_whose_partition_another_one_has_is_healthy() -> None:
    script, talk = reader()
    other = script.client("other", "10.0.0.10", api=apis.FETCH)
    for _ in range(8):
        beside(script, 5, talk, asks_every=2)
        other.works(3, broker=NEW)
    assert only(script).status is Status.HEALTHY


def test_a_reader_may_go_on_at_a_broker_that_is_not_in_the_input() -> None:
    script, talk = reader(Source.LOG)
    script.nodes = {**ADDRESSES, "10.0.1.14:9092": 4}
    beside(script, 73, talk, asks_every=5)
    found = only(script)
    assert (found.status, found.reason) == (Status.UNKNOWN, "broker 4 is not in the input: record there, too")


def searches(script: WireScript, talk: Talk, seconds: int, *, asks: bool = True) -> None:
    """Another partition of the topic is looked for again and again, each time after a question."""
    other = Row(topic=TOPIC, partition=1)
    for _ in range(seconds):
        if asks:
            talk.asks()
        for _ in range(2):
            talk.answer(talk.request(apis.LIST_OFFSETS, OLD, other), other)
        talk.works(2, broker=NEW, every_ms=490)


def test_a_reader_that_looks_for_its_place_for_ever_is_stuck() -> None:
    """As kafka-go does after its topic was made again, in a capture that begins later."""
    script, talk = reader()
    searches(script, talk, 12)
    found = only(script)
    assert (found.status, str(found.findings[0].item)) == (Status.STUCK, f"{TOPIC}-1")
    assert found.reason == "it looked for its place 12 times in 11 s, and fetched nothing"


def test_a_reader_that_found_its_place_is_healthy() -> None:
    script, talk = reader()
    searches(script, talk, 6)
    assert only(script).status is Status.UNKNOWN, "seen for too short"
    Talk(script, talk.client_id, talk.address, Row(topic=TOPIC, partition=1), apis.FETCH, corr=5000).works(1)
    assert only(script).status is Status.HEALTHY


def test_offsets_of_a_partition_that_another_one_fetches_may_be_asked_for() -> None:
    script, talk = reader()
    other = script.client("other", "10.0.0.10", api=apis.FETCH, row=Row(topic=TOPIC, partition=1))
    for _ in range(12):
        searches(script, talk, 1)
        other.works(1)
    assert only(script).status is Status.HEALTHY


def test_offsets_that_are_asked_for_without_a_question_are_no_search() -> None:
    script, talk = reader()
    searches(script, talk, 12, asks=False)
    assert only(script).status is Status.HEALTHY


def test_a_member_of_a_group_may_ask_how_far_others_have_come() -> None:
    script, talk = reader()
    joins(talk)
    searches(script, talk, 12)
    found = only(script)
    assert found.status is Status.UNKNOWN
    assert found.reason.endswith(": or it asks how far others have come")


def group_of(*members: str) -> tuple[WireScript, list[Talk]]:
    """Members of a group, each of which reads one partition and sends heartbeats."""
    script = WireScript(nodes=ADDRESSES)
    talks = [
        script.client(name, f"10.0.0.{number}", api=apis.FETCH, row=Row(topic=TOPIC, partition=number))
        for number, name in enumerate(members)
    ]
    for talk in talks:
        talk.asks()
        talk.asks(broker=NEW)
        joins(talk)
    reads(talks, 10)
    return script, talks


def joins(talk: Talk) -> None:
    for api in (apis.JOIN_GROUP, apis.SYNC_GROUP):
        talk.answer(talk.request(api, OTHER, Row(key=GROUP)), Row(key=GROUP))


def reads(talks: list[Talk], seconds: int) -> None:
    for _ in range(seconds):
        for talk in talks:
            talk.works(1, every_ms=1)
            talk.answer(talk.request(apis.HEARTBEAT, OTHER, Row(key=GROUP)), Row(key=GROUP))
        talks[0].script.wait(1000)


def killed(talk: Talk) -> None:
    for broker in list(talk.open_at):
        talk.is_cut(broker, by="client")


def test_a_member_whose_partition_nobody_reads_is_stuck() -> None:
    script, (stays, gone) = group_of("stays", "gone")
    killed(gone)
    reads([stays], 7)
    joins(stays)
    reads([stays], 28)
    found = only(script, "stays")
    assert found.status is Status.STUCK
    assert (str(found.findings[0].item), found.reason) == (
        f"{TOPIC}-1",
        "nobody of its group has read it in the last 35 s",
    )
    assert only(script, "gone").status is Status.HEALTHY


def test_a_member_that_takes_over_is_healthy() -> None:
    script, (stays, gone) = group_of("stays", "gone")
    killed(gone)
    reads([stays], 7)
    joins(stays)
    takes = Talk(script, "stays", stays.address, row=gone.row, api=apis.FETCH, open_at=stays.open_at, corr=5000)
    reads([stays, takes], 28)
    assert only(script, "stays").status is Status.HEALTHY


def test_the_session_of_a_killed_member_may_take_a_minute() -> None:
    script, (stays, gone) = group_of("stays", "gone")
    killed(gone)
    reads([stays], 45)
    assert only(script, "stays").status is Status.HEALTHY
    reads([stays], 30)
    assert only(script, "stays").status is Status.STUCK


def test_which_of_several_members_has_it_is_not_known() -> None:
    script, (first, second, gone) = group_of("first", "second", "gone")
    killed(gone)
    reads([first, second], 7)
    joins(first)
    joins(second)
    reads([first, second], 28)
    found = only(script, "first")
    assert found.status is Status.UNKNOWN
    assert found.reason.endswith(": which of 2 members has it is not in the input")


@pytest.mark.parametrize(("seconds", "status"), [(10, Status.UNKNOWN), (95, Status.STUCK)])
def test_a_member_that_knows_its_coordinator_and_sends_it_nothing_is_stuck(seconds: int, status: Status) -> None:
    """As librdkafka does with the new group protocol where brokers have it as version 0 only."""
    script = WireScript(nodes=ADDRESSES)
    talk = script.client("member")
    asked = talk.request(apis.FIND_COORDINATOR, OLD, Row(key=GROUP, key_type=0))
    talk.answer(asked, Row(key=GROUP, key_type=0, leader=2))
    talk.connect(NEW)
    script.ends_after(seconds * 1000)
    found = script.only()
    assert found.status is status
    assert status is Status.UNKNOWN or found.reason == (
        f"it learned who coordinates, and sent nothing about the group in {seconds} s"
    )


def test_a_reader_that_gives_itself_partitions_owes_its_group_nothing() -> None:
    """librdkafka asks who coordinates its `group.id` also where the application called `assign()`, and then reads."""
    script = WireScript(nodes=ADDRESSES)
    talk = script.client("reader", api=apis.FETCH)
    talk.asks()
    asked = talk.request(apis.FIND_COORDINATOR, OLD, Row(key=GROUP, key_type=0))
    talk.answer(asked, Row(key=GROUP, key_type=0, leader=2))
    talk.works(95, every_ms=1000)
    assert script.only().status is Status.HEALTHY


def test_who_describes_a_group_does_not_take_part_in_it() -> None:
    script = WireScript(nodes=ADDRESSES)
    talk = script.client("admin")
    asked = talk.request(apis.FIND_COORDINATOR, OLD, Row(key=GROUP, key_type=0))
    talk.answer(asked, Row(key=GROUP, key_type=0, leader=2))
    talk.answer(talk.request(15, NEW))  # DescribeGroups
    script.ends_after(95_000)
    assert script.only().status is Status.UNKNOWN


def test_an_instance_is_not_taken_for_another_one_with_its_client_id() -> None:
    """A producer meets 6 once, served once and ended; other processes of its host read and write on, as `rdkafka`."""
    script = WireScript(nodes=ADDRESSES)
    ends, reads_on = script.client("rdkafka"), script.client("rdkafka", api=apis.FETCH)
    writes_on = script.client("rdkafka", row=Row(topic=TOPIC, partition=1))
    for talk in (ends, reads_on, writes_on):
        talk.asks()
    for _ in range(10):
        for talk in (ends, reads_on, writes_on):
            talk.works(1)
    ends.fails(6)
    ends.works(1, every_ms=138)
    killed(ends)
    for _ in range(54):
        reads_on.works(1, every_ms=500)
        writes_on.works(1, every_ms=500)
    assert script.only().status is not Status.STUCK


def test_an_instance_that_is_refused_on_and_on_is_stuck_beside_another_one() -> None:
    script = WireScript(nodes=ADDRESSES)
    stuck, works = script.client("rdkafka"), script.client("rdkafka", api=apis.FETCH)
    for talk in (stuck, works):
        talk.asks()
        talk.works(10)
    for _ in range(60):
        stuck.fails(56)
        works.works(1, every_ms=400)
    assert script.only().status is Status.STUCK


def test_brokers_and_controllers_that_talk_to_each_other_are_no_clients() -> None:
    script = WireScript(nodes=ADDRESSES)
    node, client = script.client("1", "10.0.1.11"), script.client("1", "10.0.0.7")
    client.works(5)
    node.connect(OTHER)
    script.among_brokers = {("10.0.1.11", "1")}
    assert [one.key.address for one in script.diagnose().clients] == ["10.0.0.7"]


NODE = Path(__file__).parents[1] / "data" / "combined_node"
"""A combined node of Kafka 4.4 (broker and controller) with a producer and a consumer of a share group that
acknowledges records after their lock has ended: the beginning of a capture, and lines of its request log."""


@pytest.mark.parametrize("file", ["node.pcap.gz", "request.log.gz"])
def test_a_combined_node_is_no_client_of_itself_and_a_share_consumer_is_one(file: str) -> None:
    with open_inputs([str(NODE / file)]) as source:
        found = analyse(source, whose=lambda *_: None, back_off_ms=lambda _: 100)
    clients = {one.key.client_id: one for one in found.clients}
    assert clients.keys() == {"sharer", "writer"}
    codes = {(error.code, str(one.item)) for one in clients["sharer"].findings for error in one.errors}
    assert (16, "group sg") in codes
    assert ((121, "t-1") in codes) is (file == "request.log.gz")


def test_a_reader_of_a_share_group_did_work_and_has_troubles() -> None:
    script = WireScript(nodes=ADDRESSES)
    talk = script.client("sharer", api=apis.SHARE_FETCH)
    talk.asks()
    talk.works(10)
    assert script.only().status is Status.HEALTHY
    talk.api = apis.SHARE_ACKNOWLEDGE
    talk.fails(121)
    talk.api = apis.SHARE_FETCH
    talk.works(10)
    (one,) = script.only().findings
    assert (one.status, [(error.code, error.api) for error in one.errors], one.role) == (
        Status.RECOVERED,
        [(121, apis.SHARE_ACKNOWLEDGE)],
        "consumer",
    )
    talk.fails(3, times=120)
    assert script.only().status is Status.STUCK
    assert replace(one, role=None).item.name == TOPIC
