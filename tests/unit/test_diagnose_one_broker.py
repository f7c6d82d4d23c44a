"""Inputs that lack brokers: what a client does elsewhere is not known, and nobody is accused of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from probe.diagnose.diagnosis import Diagnosis
from probe.diagnose.findings import ClientFinding, Status
from probe.diagnose.leaders import Leaders
from probe.diagnose.objects import Item, Kind
from probe.diagnose.observation import Source
from probe.protocol import apis
from tests.support.wire_script import NEW, NODES, OLD, OTHER, TOPIC, Talk, WireScript

STORAGE_ERROR, NOT_LEADER = 56, 6
ADDRESSES = {f"10.0.1.{number}:9092": node for number, node in NODES.items()}


def incident(seconds: int = 30, **more: Any) -> WireScript:
    """Broker 1 refuses its partitions: one client asks and moves, another one writes on."""
    script = WireScript(nodes=ADDRESSES, **more)
    moves, stays = script.client("moves", "10.0.0.7"), script.client("stays", "10.0.0.8")
    for talk in (moves, stays):
        talk.asks(broker=OLD)
        talk.works(10)
    moves.fails(STORAGE_ERROR)
    stays.fails(STORAGE_ERROR)
    script.leader = 2
    moves.asks(broker=OTHER)
    script.client("observer", "10.0.0.9").asks(broker=OLD)
    for _ in range(seconds * 5):
        moves.works(1, broker=NEW, every_ms=100)
        stays.fails(STORAGE_ERROR)
    return script


def seen_at(script: WireScript, *brokers: int) -> Diagnosis:
    """The statement where only these brokers are recorded."""
    shown = {conn: one for conn, one in script.connections.items() if one.broker in brokers}
    written = [event for event in script.written if event.broker in brokers]
    until = script.written[-1].at
    return replace(script, connections=shown, written=written, until=until).diagnose()


def by_id(found: Diagnosis, client_id: str) -> ClientFinding:
    return next(one for one in found.clients if one.key.client_id == client_id)


@pytest.mark.parametrize("source", list(Source))
@pytest.mark.parametrize("brokers", [(OLD,), (OLD, OTHER)], ids=["one broker", "two of three"])
def test_who_left_for_a_broker_that_is_not_in_the_input_is_unknown(source: Source, brokers: tuple[int, ...]) -> None:
    found = seen_at(incident(source=source), *brokers)
    moved, stuck = by_id(found, "moves"), by_id(found, "stays")
    assert (moved.status, moved.reason) == (
        Status.UNKNOWN,
        "broker 2, which leads now, is not in the input: record there, too",
    )
    assert stuck.status is Status.STUCK
    assert "and it still tries" in stuck.reason


@pytest.mark.parametrize("source", list(Source))
def test_both_leaders_in_the_input_are_enough(source: Source) -> None:
    found = seen_at(incident(source=source), OLD, NEW)
    assert by_id(found, "moves").status is Status.RECOVERED
    assert by_id(found, "stays").status is Status.STUCK


def test_who_was_refused_last_some_seconds_ago_may_be_served_elsewhere() -> None:
    script = incident(seconds=10)
    script.wait(6_000)
    script.client("observer", "10.0.0.9").works(2)
    found = seen_at(script, OLD)
    assert by_id(found, "stays").status in {Status.UNKNOWN, Status.WAS_STUCK}


def test_a_leader_that_nobody_named_is_not_named() -> None:
    """No answer in the input names the leader: all brokers that are not recorded are named."""
    script = WireScript(nodes=ADDRESSES)
    talk = script.client()
    talk.asks(broker=OLD)
    talk.works(10)
    talk.is_cut()
    script.client("beside", "10.0.0.9").works(300, every_ms=200)
    assert by_id(seen_at(script, OLD), talk.client_id).reason == (
        "brokers 2 and 3 are not in the input: record there, too"
    )


def test_a_cluster_of_one_broker_is_whole() -> None:
    script = WireScript(nodes={"10.0.1.11:9092": 1})
    talk = script.client()
    talk.asks(broker=OLD)
    talk.works(10)
    talk.waits_for()
    beside = Talk(script, talk.client_id, talk.address, row=replace(talk.row, partition=1))
    beside.open_at = talk.open_at
    beside.corr = 1000
    for _ in range(40):
        beside.connect(OLD)
        script.wait(1000)
    assert script.only().status is Status.STUCK


def test_a_recording_at_the_client_is_whole_although_it_needs_few_brokers() -> None:
    script = WireScript(nodes={**ADDRESSES, "10.0.1.14:9092": 4, "10.0.1.15:9092": 5})
    talk = script.client()
    talk.asks()
    talk.works(10)
    for number, one in script.connections.items():
        script.connections[number] = replace(one, broker_address=f"10.0.1.{one.broker}:9092")
    talk.is_cut()
    for _ in range(60):
        talk.request(apis.API_VERSIONS, OTHER)
        script.wait(1000)
    assert script.only().status is Status.STUCK


def test_the_node_of_an_address_is_the_one_that_advertises_it() -> None:
    """A follower in sync serves consumers, so that a fetch does not show the leader."""
    item = Item(Kind.PARTITION, TOPIC, 0)
    nodes = {"kafka-1:9092": 1, "kafka-2:9093": 2, "kafka-3:9094": 3}
    leaders = Leaders(nodes)
    leaders.named(item, 1, 5, at=10)
    for number, address in ((11, "kafka-1:9092"), (12, "10.0.0.2:9093"), (13, "10.0.0.3:1234")):
        leaders.listens(number, address)
        leaders.served(item, number, read=True)
    assert [leaders.node_at(number) for number in (11, 12, 13)] == [1, 2, None]
    assert leaders.cluster == {1, 2, 3}
    leaders.served(item, 13)
    assert leaders.node_at(13) == 1, "only a leader serves a producer"


def test_the_port_alone_does_not_name_a_broker_where_all_have_the_same() -> None:
    leaders = Leaders({"kafka-1:9092": 1, "kafka-2:9092": 2})
    leaders.listens(11, "10.0.0.1:9092")
    assert leaders.node_at(11) is None


def test_a_broker_that_does_not_answer_does_not_show_that_a_client_works_nowhere() -> None:
    """It connects again and again to the one that is recorded, and may be served by another one."""
    script = WireScript(nodes=ADDRESSES)
    talk = script.client()
    talk.asks(broker=OLD)
    for _ in range(60):
        talk.request(apis.API_VERSIONS, OLD)
        script.wait(1000)
    assert seen_at(script, OLD).clients[0].reason == "brokers 2 and 3 are not in the input: record there, too"


def test_a_storm_of_questions_needs_all_brokers() -> None:
    """What gives a reason to ask, and what is served, may be elsewhere."""
    script = WireScript(nodes=ADDRESSES)
    talk = script.client()
    talk.asks(broker=OLD)
    talk.works(10)
    talk.fails(NOT_LEADER)
    script.leader = 2
    for _ in range(200):
        talk.asks(broker=OLD)
        script.wait(60)
    assert "a" not in {letter for one in seen_at(script, OLD).clients[0].findings for letter in one.storm}


@pytest.mark.parametrize(("seconds", "status"), [(12, Status.RECOVERED), (25, Status.WAS_STUCK)])
def test_what_a_client_asked_elsewhere_may_have_ended_its_trouble(seconds: int, status: Status) -> None:
    script = WireScript(nodes=ADDRESSES)
    talk = script.client()
    talk.asks(broker=OLD)
    talk.works(10)
    talk.fails(NOT_LEADER, times=seconds * 10)
    talk.works(20)
    assert seen_at(script, OLD).clients[0].status is status
