"""Why a client does not get on with brokers of a line, from what passed between them."""

from __future__ import annotations

from probe.model import App, AppKind, ClientError, Closed, Event, Request, Response, Row
from probe.protocol.apis import FETCH, METADATA
from probe.protocol.apis import OFFSET_COMMIT as COMMIT
from probe.runner.trial.compatibility import incompatibility_reason

MAIN = [FETCH]
LINE = "4.3"


def asked(conn: int, api: int, version: int) -> Request:
    return Request(at=conn, conn=conn, broker=1, corr=1, api=api, version=version, client_id="c")


def answered(conn: int, api: int, version: int) -> Response:
    return Response(at=conn, conn=conn, broker=1, corr=1, api=api, version=version, sent_at=conn)


def closed(conn: int, by: str = "broker") -> Closed:
    return Closed(at=conn, conn=conn, broker=1, by=by)


def refused(times: int, by: str = "broker") -> list[Event]:
    """Tell a group that reads, and whose commits meet a closed connection: sarama 1.27.0 on Kafka 4.3."""
    events: list[Event] = []
    for conn in range(times):
        events += [asked(conn, METADATA, 5), answered(conn, METADATA, 5), asked(conn, COMMIT, 1), closed(conn, by)]
    return events


def test_a_request_that_never_gets_by_is_named_also_where_the_client_serves_else() -> None:
    said = (
        "it does not get on with Kafka 4.3: "
        "brokers closed the connection at each OffsetCommit v1 (3 times), and answered none"
    )
    assert (
        incompatibility_reason(LINE, refused(3), MAIN, served=True)
        == incompatibility_reason(LINE, refused(3), MAIN, served=False)
        == said
    )


def test_whoever_serves_gets_on_unless_each_request_of_a_kind_is_refused_often() -> None:
    assert not incompatibility_reason(LINE, refused(2), MAIN, served=True)
    assert not incompatibility_reason(LINE, refused(5, by="client"), MAIN, served=True)
    assert not incompatibility_reason(LINE, [*refused(5), answered(9, COMMIT, 1)], MAIN, served=True)


def test_who_never_served_is_told_by_its_error_then_by_connections_then_by_silence() -> None:
    error = App(at=1, kind=AppKind.SEND_ERROR, instance="c", error=ClientError(35, "UNSUPPORTED_VERSION", ""))
    assert "UNSUPPORTED_VERSION" in incompatibility_reason(
        LINE, [error, closed(1), closed(2), closed(3)], MAIN, served=False
    )
    assert "closed 3 of its connections" in incompatibility_reason(
        LINE, [closed(1), closed(2), closed(3)], MAIN, served=False
    )
    assert "none of its 1 requests" in incompatibility_reason(LINE, [asked(1, METADATA, 5)], MAIN, served=False)
    assert not incompatibility_reason(LINE, [asked(1, METADATA, 5), answered(1, METADATA, 5)], MAIN, served=False)
    assert not incompatibility_reason(LINE, [error, closed(1), closed(2), closed(3)], MAIN, served=True)


def test_who_knows_the_leader_and_never_asks_it_for_anything_cannot() -> None:
    """Read of Java 4.4.0 on 0.10.2: Metadata v2 is answered, and no Fetch ever leaves."""
    rows = (Row(topic="t", partition=0, leader=3),)
    told = Response(at=2, conn=1, broker=1, corr=1, api=METADATA, version=2, sent_at=1, rows=rows)
    learnt: list[Event] = [asked(1, METADATA, 2), told]
    assert "never sent Fetch" in incompatibility_reason(LINE, learnt, MAIN, served=False)
    assert not incompatibility_reason(LINE, [*learnt, asked(3, FETCH, 3)], MAIN, served=False)
    assert not incompatibility_reason(LINE, learnt, MAIN, served=True)
