"""The tally of a trial of cost: requests by client, connections, when partitions work, and counts that differ."""

from __future__ import annotations

from probe.model import (
    App,
    AppKind,
    Closed,
    EngineEvent,
    EngineKind,
    Facts,
    Folded,
    Opened,
    Outcome,
    Request,
    Response,
    Row,
    Verdict,
)
from probe.ports import Start
from probe.protocol.apis import API_VERSIONS, METADATA, PRODUCE
from probe.runner.cost.client_record import ClientRecord
from probe.runner.cost.cost_sums import Window, client_cost, peak_per_s, rate_per_s
from probe.runner.cost.tally import Tally

SECOND = 1_000_000


def started(tally: Tally, name: str, partitions: int = 2) -> ClientRecord:
    start = Start(
        instance=name, client_id=name, role="producer", profile="isolated", properties={}, bootstrap=[], topic="t",
        partitions=list(range(partitions + 1)),
    )  # fmt: skip
    return tally.new_record(ClientRecord(start, frozenset(range(partitions + 1))))


def asks(conn: int, name: str, api: int, at: int = 0, corr: int = 1) -> Request:
    return Request(at=at, conn=conn, broker=1, corr=corr, api=api, version=1, client_id=name, size=40)


def answers(conn: int, api: int, at: int = 0, corr: int = 1, rows: tuple[Row, ...] = ()) -> Response:
    return Response(at=at, conn=conn, broker=1, corr=corr, api=api, version=1, sent_at=0, size=60, rows=rows)


def acked(name: str, partition: int, at: int) -> App:
    return App(at=at, kind=AppKind.ACKED, instance=name, partition=partition, sequence=0)


def moved(partition: int, at: int) -> EngineEvent:
    return EngineEvent(at=at, kind=EngineKind.MOVED, broker=2, topic="t", partition=partition)


VERDICT = Verdict(outcome=Outcome.REFRESHES, reason="", conforms=True, facts=Facts(), rules=1)


def test_a_connection_is_that_of_the_client_that_sends_its_first_request() -> None:
    tally = Tally()
    one, two = started(tally, "a-0001"), started(tally, "a-0002")
    tally.add(Opened(at=1, conn=1, broker=1))
    tally.add(Opened(at=1, conn=2, broker=1))
    tally.add(Opened(at=1, conn=3, broker=1))
    for conn, name in ((1, "a-0001"), (2, "a-0002")):
        tally.add(asks(conn, name, API_VERSIONS))
        tally.add(answers(conn, API_VERSIONS))
        tally.add(asks(conn, name, METADATA, corr=2))
    tally.add(asks(3, "stranger", METADATA))
    for record in (one, two):
        assert record.requests() == {API_VERSIONS: 1, METADATA: 1}
        assert record.opened == [1]


def test_folded_requests_count() -> None:
    tally = Tally()
    one = started(tally, "a")
    tally.add(asks(1, "a", METADATA))
    tally.add(
        Folded(at=10, until=110, conn=1, broker=1, api=METADATA, version=1, requests=50, responses=50, bytes=5000)
    )
    assert one.requests() == {METADATA: 51}
    cost = client_cost(one, Window(0, SECOND), [], VERDICT)
    assert cost.requests == {"Metadata": 51}
    assert cost.bytes == 5040


def test_costs_are_those_of_the_window() -> None:
    tally = Tally()
    one = started(tally, "a")
    tally.add(Opened(at=2 * SECOND, conn=1, broker=1))
    for number, at in enumerate((0, 2 * SECOND, 3 * SECOND, 9 * SECOND)):
        tally.add(asks(1, "a", METADATA, at, number))
    cost = client_cost(one, Window(SECOND, 4 * SECOND), [3 * SECOND, 2 * SECOND], VERDICT)
    assert (cost.requests, cost.bytes, cost.connections) == ({"Metadata": 2}, 80, 1)
    assert (cost.works_ms, cost.working) == (2000, 2)
    never = client_cost(one, Window(SECOND, 4 * SECOND), [3 * SECOND, None], VERDICT)
    assert (never.works_ms, never.working) == (None, 1)


def test_the_highest_rate_leaves_out_the_applications_own_records() -> None:
    tally = Tally()
    one, two = started(tally, "a"), started(tally, "b")
    for number in range(5):
        tally.add(asks(1, "a", METADATA, number * SECOND // 10, number))
        tally.add(asks(2, "b", METADATA, 4 * SECOND + number, number))
        tally.add(asks(2, "b", PRODUCE, number, 10 + number))
    window = Window(0, 10 * SECOND)
    assert peak_per_s([one, two], window) == 5
    assert rate_per_s([one, two], window) == 1.0
    assert rate_per_s([one], Window(5, 5)) == 0.0


def test_a_partition_works_again_with_a_success_after_its_leader_moved() -> None:
    tally = Tally()
    one = started(tally, "a")
    one.add(acked("a", 0, 100))
    assert tally.works_at(one, 0) is None
    tally.add(moved(0, 150))
    tally.add(moved(1, 150))
    assert tally.works_at(one, 0) is None
    one.add(acked("a", 0, 200))
    assert tally.works_at(one, 0) == 200
    assert not tally.all_work([0, 1])
    one.add(acked("a", 1, 220))
    assert tally.all_work([0, 1])


def test_counts_that_differ_are_named() -> None:
    tally = Tally()
    started(tally, "a")
    tally.add(asks(1, "a", METADATA))
    tally.add(answers(1, METADATA))
    assert list(tally.differences({("a", 1, METADATA): 1, ("other", 1, METADATA): 9})) == []
    (lost,) = tally.differences({})
    assert lost == f"a, API {METADATA}: 1 at the relay, 0 at the brokers"
    (more,) = tally.differences({("a", 1, METADATA): 1, ("a", 2, PRODUCE): 1})
    assert more == f"a, API {PRODUCE}: 0 at the relay, 1 at the brokers"


def test_a_broker_that_ends_a_connection_may_not_have_read_what_was_under_way() -> None:
    tally = Tally()
    started(tally, "a")
    for number in range(3):
        tally.add(asks(1, "a", METADATA, corr=number))
    tally.add(answers(1, METADATA, corr=0))
    tally.add(Closed(at=1, conn=1, broker=1, by="broker"))
    assert list(tally.differences({("a", 1, METADATA): 1})) == []
    assert list(tally.differences({("a", 1, METADATA): 3})) == []
    assert len(list(tally.differences({("a", 1, METADATA): 0}))) == 1
    assert len(list(tally.differences({("a", 1, METADATA): 4}))) == 1
    tally.add(asks(1, "a", METADATA, corr=9))
    assert list(tally.differences({("a", 1, METADATA): 1})) == []


def test_what_the_relay_refused_may_not_have_been_read() -> None:
    tally = Tally()
    started(tally, "a")
    tally.add(asks(1, "a", METADATA))
    tally.add(Closed(at=1, conn=1, broker=1, by="relay"))
    assert list(tally.differences({})) == []
    assert list(tally.differences({("a", 1, METADATA): 1})) == []


def test_rows_and_operations_of_partitions_that_are_not_kept_are_left_out() -> None:
    tally = Tally()
    one = started(tally, "a")
    one.kept = frozenset({0})
    tally.add(asks(1, "a", PRODUCE))
    tally.add(answers(1, PRODUCE, rows=tuple(Row(topic="t", partition=number, code=56) for number in range(3))))
    one.add(acked("a", 1, 5))
    (answer,) = (event for event in one.events if isinstance(event, Response))
    assert [row.partition for row in answer.rows] == [0]
    assert not any(isinstance(event, App) for event in one.events)
    assert one.served == {1}


def test_the_partition_that_is_judged_is_the_one_that_the_fault_hit_first() -> None:
    tally = Tally()
    one = started(tally, "a", 30)
    one.kept = frozenset({0, 1})
    tally.add(asks(1, "a", PRODUCE))
    tally.add(answers(1, PRODUCE, 1, rows=(Row(topic="t", partition=1, code=7),)))
    assert one.affected == 0
    one.arm()
    for at, partition in ((20, 17), (30, 0)):
        tally.add(answers(1, PRODUCE, at, rows=(Row(topic="t", partition=partition, code=56),)))
    assert (one.affected, one.late) == (17, True)
    one.add(App(at=35, kind=AppKind.SENT, instance="a", partition=17, sequence=3))
    one.add(acked("a", 17, 40))
    assert one.sent_late == {3}
    kept = [event for event in one.events if isinstance(event, Response)]
    assert [row.partition for event in kept for row in event.rows] == [1, 17, 0]
    assert isinstance(one.events[-1], App)
