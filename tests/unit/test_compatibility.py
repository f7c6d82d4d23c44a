"""Reasons for which a client and brokers of a release line are incompatible, from the observed traffic."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import CONTROL, App, AppKind, ClientError, Closed, Engine, Event, Request, Response, Row
from probe.model.refusals import refused_by
from probe.protocol.apis import FETCH, METADATA, SASL_AUTHENTICATE, SASL_HANDSHAKE
from probe.protocol.apis import OFFSET_COMMIT as COMMIT
from probe.runner.trial.compatibility import incompatibility_reason
from tests.support.synthetic_rows import CELL

MAIN = [FETCH]
LINE = "4.3"


def asked(conn: int, api: int, version: int) -> Request:
    return Request(at=conn, conn=conn, broker=1, corr=1, api=api, version=version, client_id="c")


def answered(conn: int, api: int, version: int) -> Response:
    return Response(at=conn, conn=conn, broker=1, corr=1, api=api, version=version, sent_at=conn)


def closed(conn: int, by: str = "broker") -> Closed:
    return Closed(at=conn, conn=conn, broker=1, by=by)


def refused(times: int, by: str = "broker") -> list[Event]:
    """Return events of a group whose commits are answered by a close, as sarama 1.27.0 on Kafka 4.3."""
    events: list[Event] = []
    for conn in range(times):
        events += [asked(conn, METADATA, 5), answered(conn, METADATA, 5), asked(conn, COMMIT, 1), closed(conn, by)]
    return events


def test_a_request_that_is_always_refused_is_named() -> None:
    expected = (
        "it cannot work with Kafka 4.3: "
        "brokers closed the connection at each OffsetCommit v1 (3 times), and answered none"
    )
    assert (
        incompatibility_reason(LINE, refused(3), MAIN, served=True)
        == incompatibility_reason(LINE, refused(3), MAIN, served=False)
        == expected
    )


@pytest.mark.parametrize(
    ("line", "engine", "version", "says"),
    [
        (
            "3.9",
            Engine.EMBEDDED,
            0,
            "the fake brokers refuse Fetch v0, as Kafka does from 4.0 on; real brokers of line 3.9",
        ),
        ("4.0", Engine.EMBEDDED, 0, "it cannot work with Kafka 4.0: brokers closed the connection at each Fetch v0"),
        ("3.9", Engine.KAFKA, 0, "it cannot work with Kafka 3.9: brokers closed the connection at each Fetch v0"),
        ("3.9", Engine.EMBEDDED, 4, "it cannot work with Kafka 3.9: brokers closed the connection at each Fetch v4"),
    ],
)
def test_what_only_fake_brokers_refuse_says_nothing_about_the_line(
    line: str, engine: Engine, version: int, says: str
) -> None:
    events = [one for conn in range(3) for one in (asked(conn, FETCH, version), closed(conn))]
    found = incompatibility_reason(line, events, MAIN, served=False, engine=engine)
    assert found.startswith(says)
    assert bool(refused_by(replace(CELL, scenario=CONTROL), found)) is not found.startswith("the fake")


def test_two_refusals_are_enough_where_the_library_gives_itself_up() -> None:
    """Its partition reader asks brokers of 4.4 for an offset twice by a version that they lack (sarama 1.27.0)."""
    fatal = App(at=9, kind=AppKind.FATAL, instance="c", error=ClientError(None, "io.EOF", "EOF"))
    asked_twice = refused(2)
    assert not incompatibility_reason(LINE, asked_twice, [COMMIT], served=False)
    found = incompatibility_reason(LINE, [*asked_twice, fatal], MAIN, served=False)
    assert found.endswith("brokers closed the connection at each OffsetCommit v1 (2 times), and answered none")
    assert not incompatibility_reason(LINE, [*asked_twice, fatal], MAIN, served=True)


def test_a_client_that_works_is_compatible_unless_often_refused() -> None:
    assert not incompatibility_reason(LINE, refused(2), MAIN, served=True)
    assert not incompatibility_reason(LINE, refused(5, by="client"), MAIN, served=True)
    assert not incompatibility_reason(LINE, [*refused(5), answered(9, COMMIT, 1)], MAIN, served=True)


def test_without_success_errors_come_before_connections() -> None:
    error = App(at=1, kind=AppKind.SEND_ERROR, instance="c", error=ClientError(35, "UNSUPPORTED_VERSION", ""))
    assert "UNSUPPORTED_VERSION" in incompatibility_reason(
        LINE, [error, closed(1), closed(2), closed(3)], MAIN, served=False
    )
    assert "closed 3 of its connections" in incompatibility_reason(
        LINE, [closed(1), closed(2), closed(3)], MAIN, served=False
    )
    other = App(at=1, kind=AppKind.SEND_ERROR, instance="c", error=ClientError(7, "REQUEST_TIMED_OUT", ""))
    assert not incompatibility_reason(LINE, [other], MAIN, served=False)
    assert not incompatibility_reason(LINE, [asked(1, METADATA, 5), answered(1, METADATA, 5)], MAIN, served=False)
    assert not incompatibility_reason(LINE, [error, closed(1), closed(2), closed(3)], MAIN, served=True)


def test_a_refused_log_in_is_named_before_the_connections_that_it_ends() -> None:
    """As franz-go 1.0.0, whose last message of SCRAM brokers refuse from 3.7 on."""
    events: list[Event] = []
    for conn in range(3):
        first, last = answered(conn, SASL_AUTHENTICATE, 1), replace(answered(conn, SASL_AUTHENTICATE, 1), code=58)
        events += [answered(conn, SASL_HANDSHAKE, 1), first, last, closed(conn)]
    said = "brokers refused its log-in: SASL_AUTHENTICATION_FAILED 58 to SaslAuthenticate (3 times)"
    assert incompatibility_reason(LINE, events, MAIN, served=False).endswith(said)
    accepted = answered(9, METADATA, 5)
    assert "log-in" not in incompatibility_reason(LINE, [*events, accepted], MAIN, served=False)


def test_a_client_that_never_asks_the_leader_is_incompatible() -> None:
    """As Java 4.4.0 on 0.10.2: Metadata v2 is answered, but the client sends no Fetch."""
    rows = (Row(topic="t", partition=0, leader=3),)
    answer = Response(at=2, conn=1, broker=1, corr=1, api=METADATA, version=2, sent_at=1, rows=rows)
    events: list[Event] = [asked(1, METADATA, 2), answer]
    assert "never sent Fetch" in incompatibility_reason(LINE, events, MAIN, served=False)
    assert not incompatibility_reason(LINE, [*events, asked(3, FETCH, 3)], MAIN, served=False)
    assert not incompatibility_reason(LINE, events, MAIN, served=True)
    gave_up = App(at=4, kind=AppKind.FATAL, instance="c", error=ClientError(None, "ConfigurationError", "no groups"))
    assert not incompatibility_reason(LINE, [*events, gave_up], MAIN, served=False)  # as sarama 1.27.0's groups
