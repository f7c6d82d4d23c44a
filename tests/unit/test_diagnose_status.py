"""Statuses of clients on a wire that is only watched, as transcripts."""

from __future__ import annotations

from typing import Any

import pytest

from probe.diagnose.findings import ClientFinding, Status
from probe.diagnose.objects import Kind
from probe.diagnose.observation import Source
from probe.model import Row, Trigger
from probe.protocol import apis
from tests.support.wire_script import GROUP, NEW, NODES, OLD, OTHER, TOPIC, TXN_ID, Talk, WireScript

ADDRESSES = {f"10.0.1.{number}:9092": node for number, node in NODES.items()}
STORAGE_ERROR, NOT_LEADER, NOT_COORDINATOR, UNKNOWN_TOPIC = 56, 6, 16, 3


def started(**more: Any) -> tuple[WireScript, Talk]:
    """A client asks who leads, and works."""
    script = WireScript()
    talk = script.client(**more)
    talk.asks()
    talk.works(10)
    return script, talk


def statuses(found: ClientFinding) -> dict[str, Status]:
    return {str(item.item): item.status for item in found.findings}


def test_a_client_that_only_works_is_healthy() -> None:
    script, _ = started()
    found = script.only()
    assert (found.status, found.findings, found.healthy) == (Status.HEALTHY, (), 1)


def test_a_client_that_writes_on_to_the_old_leader_and_never_asks_is_stuck() -> None:
    script, talk = started()
    other = script.client("other", "10.0.0.7")
    talk.fails(STORAGE_ERROR, times=10)
    script.leader = 2
    other.asks()
    talk.fails(STORAGE_ERROR, times=290)
    found = next(one for one in script.diagnose().clients if one.key.client_id == talk.client_id)
    (one,) = found.findings
    assert found.status is Status.STUCK
    assert [(item.code, item.count, item.broker) for item in one.errors] == [(STORAGE_ERROR, 300, OLD)]
    assert one.asked is not None
    assert (one.asked.count, one.asked.trigger, one.asked.unknown) == (0, Trigger.NONE, "")
    assert one.leader == 2
    assert one.moved_to is None
    assert one.futile_per_s == pytest.approx(9.9, rel=0.05)
    assert one.futile_bytes_per_s == pytest.approx(2970, rel=0.05)


def test_a_client_that_asks_because_of_the_error_and_moves_has_recovered() -> None:
    script, talk = started()
    talk.fails(NOT_LEADER, times=3)
    script.leader = 2
    talk.asks()
    talk.works(30, broker=NEW)
    found = script.only()
    (one,) = found.findings
    assert found.status is Status.RECOVERED
    assert one.asked is not None
    assert (one.asked.count, one.asked.trigger, one.asked.named) == (1, Trigger.ERROR, 2)
    assert (one.broker, one.moved_to) == (OLD, NEW)
    assert one.recovered is not None
    assert one.recovered - one.since == pytest.approx(710_000, rel=0.1)


def test_asking_is_not_recovering() -> None:
    script, talk = started()
    talk.fails(NOT_LEADER, times=3)
    script.leader = 2
    talk.asks()
    talk.fails(NOT_LEADER, times=200)
    found = script.only()
    assert found.status is Status.STUCK
    assert found.findings[0].asked is not None
    assert found.findings[0].asked.named == 2


@pytest.mark.parametrize(("after_ms", "status"), [(500, Status.UNKNOWN), (2000, Status.RECOVERED)])
def test_a_client_has_recovered_only_after_a_second_without_another_error(after_ms: float, status: Status) -> None:
    script, talk = started()
    talk.fails(7)
    talk.works(3, every_ms=10)
    script.ends_after(after_ms)
    assert script.only().status is status


@pytest.mark.parametrize(("leader", "status"), [(2, Status.RECOVERED), (1, Status.UNKNOWN)])
def test_who_is_served_by_the_leader_that_it_moved_to_has_recovered_when_the_input_ends(
    leader: int, status: Status
) -> None:
    """As in a capture that is stopped in the middle of a rolling restart."""
    script, talk = started()
    script.nodes = ADDRESSES
    talk.fails(NOT_LEADER, times=3)
    script.leader = leader
    talk.asks()
    talk.works(3, broker=NEW, every_ms=100)
    found = script.only()
    assert found.status is status
    if status is Status.RECOVERED:
        assert found.reason == "the broker that leads now has served it 3 times; then the input ends"


def test_a_leader_that_nobody_named_yet_is_not_in_office() -> None:
    """As in an election of three seconds: a reader that asks on, and fetches from the others, does not storm."""
    script = WireScript(nodes=ADDRESSES)
    talk = script.client(api=apis.FETCH)
    for _ in range(4):
        talk.asks(leader=-1, code=5)
        talk.fails(NOT_LEADER, times=100, every_ms=7)
    talk.asks(leader=2)
    talk.works(20, broker=NEW)
    assert script.only().status is Status.RECOVERED


def test_a_client_that_is_seen_for_too_short_is_unknown_with_the_time() -> None:
    script, talk = started()
    talk.fails(STORAGE_ERROR, times=40)
    found = script.only()
    assert found.status is Status.UNKNOWN
    assert found.reason == "seen for only 3.9 s after KAFKA_STORAGE_ERROR"


def test_a_final_error_says_nothing_of_what_the_application_made_of_it() -> None:
    script, talk = started()
    talk.fails(29, times=200)
    found = script.only()
    assert found.status is Status.UNKNOWN
    assert found.reason == "TOPIC_AUTHORIZATION_FAILED is final: what the application made of it is not on the wire"


def test_nothing_shows_whether_a_writer_with_acks_0_is_served() -> None:
    script, talk = started(acks=0)
    talk.is_cut()
    talk.works(100, broker=NEW)
    assert script.only().reason == "it writes with acks=0, to which no broker answers"


def test_a_client_that_ended_after_an_error_was_stopped_or_gave_up() -> None:
    script, talk = started()
    talk.fails(STORAGE_ERROR, times=3)
    for broker in list(talk.open_at):
        talk.is_cut(broker, by="client")
    script.ends_after(20_000)
    found = script.only()
    assert (found.status, found.reason) == (
        Status.UNKNOWN,
        "it ended its connections after KAFKA_STORAGE_ERROR: stopped, or given up",
    )


def test_a_cut_connection_is_a_trouble_of_the_objects_it_carried() -> None:
    script, talk = started()
    talk.is_cut()
    script.leader = 2
    talk.asks()
    talk.works(30, broker=NEW)
    (one,) = script.only().findings
    assert (one.status, one.cuts) == (Status.RECOVERED, 1)
    assert one.asked is not None
    assert one.asked.trigger is Trigger.DISCONNECT


def test_an_idle_connection_that_a_broker_ends_is_no_trouble() -> None:
    script, talk = started()
    talk.asks(broker=NEW)
    script.wait(11_000)
    talk.works(3, broker=OLD)
    talk.is_cut(NEW)
    talk.works(30, broker=OLD)
    assert script.only().status is Status.HEALTHY


def test_a_request_without_an_answer_for_a_second_is_a_trouble() -> None:
    script, talk = started()
    talk.waits_for()
    script.ends_after(40_000)
    found = script.only()
    assert (found.status, found.findings[0].silent) == (Status.STUCK, 1)


def test_a_request_log_has_no_unanswered_requests() -> None:
    script, talk = started()
    script.source = Source.LOG
    log = script.client("logged")
    log.works(3)
    log.waits_for()
    talk.works(3)
    script.ends_after(40_000)
    found = next(one for one in script.diagnose().clients if one.key.client_id == "logged")
    assert found.status is Status.HEALTHY


def test_a_fetch_may_wait_for_records() -> None:
    script, talk = started(api=apis.FETCH)
    talk.answer(talk.waits_for(), Row(topic=TOPIC, partition=0), after_ms=9000)
    talk.works(3)
    assert script.only().status is Status.HEALTHY


def test_a_writer_that_serves_what_had_waited_and_then_nothing_has_not_recovered() -> None:
    script, talk = started()
    beside = Talk(script, talk.client_id, talk.address, row=Row(topic=TOPIC, partition=1))
    talk.is_cut()
    talk.works(3, broker=NEW, every_ms=1)
    beside.works(200, broker=OTHER)
    found = script.only()
    assert statuses(found) == {f"{TOPIC}-0": Status.STUCK}


def test_a_group_recovers_from_a_refused_commit_only_by_a_commit() -> None:
    script = WireScript()
    group = script.client(api=apis.OFFSET_COMMIT, row=Row(key=GROUP))
    group.works(10, every_ms=1000)
    group.fails(NOT_COORDINATOR, times=3)
    group.api = apis.HEARTBEAT
    group.works(20, broker=NEW, every_ms=1000)
    assert statuses(script.only()) == {f"group {GROUP}": Status.STUCK}
    group.api = apis.OFFSET_COMMIT
    group.works(3, broker=NEW, every_ms=1000)
    (one,) = script.only().findings
    assert (one.status, one.item.kind) == (Status.WAS_STUCK, Kind.GROUP)


def test_a_transactional_id_is_an_object_of_its_own() -> None:
    script = WireScript()
    talk = script.client(api=apis.END_TXN, row=Row(key=TXN_ID))
    talk.works(5)
    talk.fails(NOT_COORDINATOR, times=100)
    assert statuses(script.only()) == {f"transactional id {TXN_ID}": Status.STUCK}


def test_a_client_that_connects_without_end_storms() -> None:
    script, talk = started()
    for _ in range(60):
        talk.connect(NEW)
        talk.is_cut(NEW, by="client")
        script.wait(10)
    found = script.only()
    assert found.status is Status.STORMS
    assert found.reason.startswith("opened ")


def test_a_client_that_asks_without_end_storms_and_has_recovered() -> None:
    script, talk = started()
    talk.fails(NOT_LEADER)
    for _ in range(60):
        talk.asks()
        script.wait(5)
    talk.works(40, broker=NEW)
    found = script.only()
    assert (found.status, "b" in found.findings[0].storm) == (Status.STORMS, True)


def test_the_frames_of_a_storm_count() -> None:
    script, talk = started()
    talk.fails(STORAGE_ERROR)
    talk.storms(STORAGE_ERROR, requests=10_000, seconds=20)
    talk.fails(STORAGE_ERROR)
    found = script.only()
    assert found.status is Status.STUCK
    assert found.findings[0].errors[0].count == 10_002
    assert found.findings[0].futile_per_s == pytest.approx(500, rel=0.05)


def test_a_capture_at_one_broker_does_not_show_that_no_other_was_asked() -> None:
    script = WireScript()
    talk = script.client()
    talk.works(10)
    talk.fails(STORAGE_ERROR, times=200)
    (one,) = script.only().findings
    assert one.status is Status.STUCK
    assert one.asked is not None
    assert one.asked.unknown == "only one broker of this client is in the input: it may have asked another"


def test_an_unknown_topic_is_a_trouble_until_its_partitions_work() -> None:
    script = WireScript()
    talk = script.client()
    asked = talk.request(apis.METADATA, OTHER, Row(topic=TOPIC))
    talk.answer(asked, Row(topic=TOPIC, code=3))
    assert script.only().status is Status.UNKNOWN
    script.wait(500)
    talk.asks()
    talk.works(20)
    assert statuses(script.only()) == {TOPIC: Status.RECOVERED}


@pytest.mark.parametrize(("api", "step"), [(apis.HEARTBEAT, 27), (apis.JOIN_GROUP, 79)])
def test_steps_of_the_protocol_are_no_trouble(api: int, step: int) -> None:
    script = WireScript()
    group = script.client(api=api, row=Row(key=GROUP))
    group.works(3)
    group.fails(step)
    group.works(3)
    assert script.only().status is Status.HEALTHY


def test_clients_of_one_host_differ_by_their_ids() -> None:
    script = WireScript()
    first, second = script.client("a"), script.client("b")
    first.works(10)
    second.works(10)
    first.fails(STORAGE_ERROR, times=100)
    second.works(10)
    assert [(one.key.client_id, one.status) for one in script.diagnose().clients] == [
        ("a", Status.STUCK),
        ("b", Status.HEALTHY),
    ]


def test_a_reader_that_looks_for_its_place_and_never_fetches_again_is_stuck() -> None:
    script, talk = started(api=apis.FETCH)
    talk.fails(UNKNOWN_TOPIC)
    talk.api = apis.LIST_OFFSETS
    talk.works(30, broker=NEW, every_ms=500)
    assert script.only().status is Status.STUCK


def test_a_client_that_only_asks_for_offsets_recovers_by_them() -> None:
    script, talk = started(api=apis.LIST_OFFSETS)
    talk.fails(NOT_LEADER)
    talk.works(30, broker=NEW, every_ms=500)
    assert script.only().status is Status.RECOVERED


@pytest.mark.parametrize(("api", "status"), [(apis.LIST_OFFSETS, Status.RECOVERED), (apis.FETCH, Status.STORMS)])
def test_who_only_asks_about_partitions_may_ask_who_leads_as_often(api: int, status: Status) -> None:
    """What an administrator is asked is in no frame; a reader asks by itself."""
    script, talk = started(api=api)
    talk.fails(STORAGE_ERROR)
    script.leader = 2
    for _ in range(150):
        talk.asks()
        script.wait(10)
    talk.works(20, broker=NEW)
    assert script.only().status is status
