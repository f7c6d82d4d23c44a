"""The part of its client's connections that a trial keeps, and its readers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from typer.testing import CliRunner

from probe.cli.app import app
from probe.model import Closed, History, Outcome
from probe.model.handshake import Purpose
from probe.model.rows import header_json, history_of
from probe.protocol import apis
from probe.protocol.conversation import Conversation
from probe.protocol.names import api_key
from probe.relay.first_connections import MAX_CLIENTS, FirstConnections
from probe.verdict import judge
from tests.support.histories import history
from tests.support.protocol_wire import plain, request, schemas
from tests.support.relay_peers import Play, client, of, play, relayed, until
from tests.support.synthetic_rows import CELL, fill, header
from tests.support.transcript_steps import acked, announced, fault_on, moved

__all__ = ["play"]

DISCOVERY, PRODUCE, FETCH, COORDINATOR, _ = Purpose


def ended(conn: int, *names: str, client_id: str = "me") -> Conversation:
    talk = Conversation(conn, 1, schemas(), {})
    for name in names:
        talk.client_bytes(request(api_key(name), 1, plain(api_key(name), 1, "Request"), client_id=client_id), 1)
    return talk


def test_the_first_connection_of_every_set_of_purposes_is_kept() -> None:
    firsts = FirstConnections()
    for talk in (ended(5, "Fetch"), ended(2, "Metadata"), ended(3, "Fetch"), ended(4, "Metadata"), ended(6)):
        firsts.take(talk)
    firsts.take(ended(1, "Fetch", client_id="another"))
    still_open = [ended(7, "Produce"), ended(8, "Fetch"), ended(9, "Produce"), ended(0, "Produce", client_id="another")]
    found = firsts.handshakes("me", still_open)
    assert [(one.conn, one.purposes) for one in found] == [(2, (DISCOVERY,)), (3, (FETCH,)), (7, (PRODUCE,))]
    assert firsts.handshakes("me", ()) == found[:2], "an open connection is asked again when it has ended"
    assert firsts.handshakes("nobody", ()) == ()


def test_a_cluster_that_serves_many_clients_keeps_the_latest() -> None:
    firsts = FirstConnections()
    for number in range(MAX_CLIENTS + 1):
        firsts.take(ended(number, "Heartbeat", client_id=f"client-{number}"))
    assert firsts.handshakes("client-0", ()) == ()
    assert [one.conn for one in firsts.handshakes("client-1", ())] == [1]
    assert [one.conn for one in firsts.handshakes(f"client-{MAX_CLIENTS}", ())] == [MAX_CLIENTS]


def test_a_relay_tells_what_a_client_sent_first(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events):
            async with client(relay) as one:
                await one.ask()
            await until(lambda: of(Closed, events))
            async with client(relay) as two:
                await two.ask(apis.HEARTBEAT)
                found = relay.handshakes("probe-1")
        assert [(one.conn, one.broker, one.purposes) for one in found] == [(1, 1, (DISCOVERY,)), (2, 1, (COORDINATOR,))]
        assert found[0].requests == ((apis.METADATA, 1),)

    play(story)


def test_trials_stored_before_are_read_without_handshakes() -> None:
    stored = json.loads(header_json(header()))
    assert stored.pop("handshakes")
    assert history_of(json.dumps(stored), (), (), ()).header == header(handshakes=())


def test_the_verdict_does_not_depend_on_handshakes() -> None:
    seen = history(fault_on(), moved(), announced(), acked(3))
    more = replace(seen.header, handshakes=header().handshakes)
    assert more != seen.header
    assert judge(History(more, seen.events)) == judge(seen)


def test_show_prints_what_the_client_sent_first(tmp_path: Path) -> None:
    fill(tmp_path, (CELL, 0, Outcome.REFRESHES))
    done = CliRunner().invoke(app, ["show", "--results", str(tmp_path), "--scenario", CELL.scenario])
    assert done.exit_code == 0, done.output
    flat = " ".join(done.output.split())
    assert "connection 1 to broker 1 (produce) of sarama 1.43.3: ApiVersions v3, Produce v7; later Metadata v9" in flat
    assert "first Metadata: topics=names allow_auto_topic_creation=False" in flat
    assert "first Produce: acks=-1 timeout_ms=10000 compression=none" in flat
    assert "first Fetch" not in flat
