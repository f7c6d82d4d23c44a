"""A client left behind by another trial may connect to the brokers; its traffic is no evidence."""

from __future__ import annotations

import pytest

from probe.model import Closed, Folded, Opened, Outcome, Request, Response, Row
from probe.protocol.apis import METADATA
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import NEW, TOPIC, ZERO, Script
from tests.support.transcript_steps import Step, announced, at, fault_on, moved, produce_answer, wait, watch

CONN = 900


def foreign_client(name: str) -> Step:
    """Add a foreign client that connects repeatedly, asks for all topics, and storms."""

    def step(script: Script) -> None:
        for number in range(100):
            conn, now = CONN + number, ZERO + number * 20_000
            common = {"conn": conn, "broker": NEW, "corr": 1, "version": 1}
            rows = (Row(topic=TOPIC, partition=0, leader=NEW),)
            script.add(Opened(at=now, conn=conn, broker=NEW))
            script.add(Request(at=now + 1, api=METADATA, everything=True, client_id=name, **common))
            script.add(Response(at=now + 2, api=METADATA, sent_at=now + 1, rows=rows, **common))
            script.add(
                Folded(at=now, until=now + 9, conn=conn, broker=NEW, api=METADATA, version=1, requests=9, responses=9)
            )
            script.add(Closed(at=now + 10, conn=conn, broker=NEW, by="client"))

    return step


STUCK = (fault_on(), produce_answer(56), moved(), announced(), at(9000), produce_answer(56), watch(10_000))


def test_a_foreign_client_does_not_change_the_verdict() -> None:
    alone = judge(history(wait(0), *STUCK))
    assert judge(history(foreign_client("another-client"), *STUCK)) == alone
    assert alone.outcome is Outcome.STUCK
    assert alone.facts.connects == 0


@pytest.mark.parametrize("name", ["c", "c-admin", ""])
def test_the_same_traffic_of_the_client_itself_counts(name: str) -> None:
    """Libraries may extend the client id or leave it out."""
    ours = judge(history(foreign_client(name), *STUCK)).facts
    assert ours.connects > 90
    assert ours.refreshes > 90
    assert set("abc") & set(ours.storm)
