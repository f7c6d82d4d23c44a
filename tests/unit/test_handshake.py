"""What a client sends first on a connection is kept, and nothing that names its objects."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.record.memory_records import MemoryRecordsBuilder
from typer.testing import CliRunner

from probe.cli.app import app
from probe.model import Closed, Event, History, Outcome, Request, Subject
from probe.model.handshake import FirstFetch, FirstMetadata, FirstProduce, Handshake, Purpose, TopicList
from probe.model.rows import header_json, history_of
from probe.protocol import apis
from probe.protocol.compiler import Reader
from probe.protocol.conversation import Conversation
from probe.protocol.handshake import FIRST, LONGEST_TEXT, codec_of
from probe.protocol.layout import Item
from probe.protocol.names import api_key
from probe.protocol.schemas import HEAD, Schemas, Spec
from probe.relay.first_connections import MAX_CLIENTS, FirstConnections
from probe.verdict import judge
from tests.support.histories import history
from tests.support.protocol_talk import TOPIC, ask, named
from tests.support.protocol_wire import ID, Body, conversation, framed, plain, request, schemas
from tests.support.relay_peers import Play, client, of, play, relayed, until
from tests.support.synthetic_rows import CELL, fill, header
from tests.support.transcript_steps import acked, announced, fault_on, moved

__all__ = ["play"]

DISCOVERY, PRODUCE, FETCH, COORDINATOR, ADMIN = Purpose
RECORDED: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "recorded_wire.json").read_text(encoding="utf-8")
)["connections"]


def sent(*requests: tuple[int, int, Body]) -> Handshake:
    """Return the handshake of a connection on which these requests were sent: API key, version, fields."""
    talk = conversation({ID: TOPIC})
    for corr, (api, version, body) in enumerate(requests):
        ask(talk, api, version, corr=corr, **body)
    found = talk.handshake()
    assert found is not None
    return found


@pytest.mark.parametrize("version", range(6))
def test_the_software_that_a_client_reports_is_kept(version: int) -> None:
    told: Body = {"ClientSoftwareName": "a-library", "ClientSoftwareVersion": "1.2" * 99} if version >= 3 else {}
    found = sent((apis.API_VERSIONS, version, told))
    expected = ("a-library", ("1.2" * 99)[:LONGEST_TEXT]) if told else (None, None)
    assert (found.software_name, found.software_version) == expected
    assert found.versions == ((apis.API_VERSIONS, version),)


@pytest.mark.parametrize("version", range(14))
def test_flags_and_form_of_the_first_metadata_are_kept(version: int) -> None:
    flag: Body = {"AllowAutoTopicCreation": True} if version >= 4 else {}
    found = sent((apis.METADATA, version, {"Topics": [{"Name": TOPIC}], **flag}), (apis.METADATA, version, {}))
    assert found.metadata == FirstMetadata(topics=TopicList.NAMES, allow_auto_topic_creation=True if flag else None)


@pytest.mark.parametrize(
    ("version", "topics", "form"),
    [
        (0, [], TopicList.ALL),
        (1, [], TopicList.NONE),
        (1, None, TopicList.ALL),
        (13, None, TopicList.ALL),
        (13, [], TopicList.NONE),
        (13, [{"TopicId": bytes(16), "Name": TOPIC}], TopicList.NAMES),
        (13, [{"TopicId": ID, "Name": None}], TopicList.IDS),
    ],
)
def test_forms_of_the_topic_list_are_told_apart(version: int, topics: Any, form: TopicList) -> None:
    talk = conversation()
    body = {**plain(apis.METADATA, version, "Request"), "Topics": topics}
    talk.client_bytes(request(apis.METADATA, version, body), 1)
    found = talk.handshake()
    assert found is not None
    assert found.metadata is not None
    assert found.metadata.topics is form


@pytest.mark.parametrize("version", range(19))
def test_limits_and_session_of_the_first_fetch_are_kept(version: int) -> None:
    topics = [{**named(version, 13, "Topic"), "Partitions": [{"Partition": 1, "PartitionMaxBytes": 1000}]}]
    body: Body = {"MaxWaitMs": 500, "MinBytes": 1, "Topics": topics}
    body |= {"MaxBytes": 50_000} if version >= 3 else {}
    body |= {"IsolationLevel": 1} if version >= 4 else {}
    body |= {"SessionId": 7, "SessionEpoch": -1} if version >= 7 else {}
    found = sent((apis.FETCH, version, body), (apis.FETCH, version, {"MaxWaitMs": 9}))
    assert found.fetch == FirstFetch(
        max_wait_ms=500,
        min_bytes=1,
        partition_max_bytes=1000,
        max_bytes=body.get("MaxBytes"),
        isolation_level=body.get("IsolationLevel"),
        session_id=body.get("SessionId"),
        session_epoch=body.get("SessionEpoch"),
    )


@pytest.mark.parametrize("version", range(14))
def test_acks_timeout_and_codec_of_the_first_produce_are_kept(version: int) -> None:
    parts = [{"Index": 0, "Records": None}, {"Index": 1, "Records": batch(codec=4)}]
    body: Body = {"Acks": -1, "TimeoutMs": 1500, "TopicData": [{**named(version, 13), "PartitionData": parts}]}
    found = sent((apis.PRODUCE, version, body), (apis.PRODUCE, version, {"Acks": 1}))
    assert found.produce == FirstProduce(acks=-1, timeout_ms=1500, compression="zstd")


def batch(codec: int, *, timestamps: int = 0) -> bytes:
    """Return a record batch of magic 2 as Kafka's protocol guide defines it, with content that cannot be read."""
    return struct.pack(">qiibIh", 0, 60, -1, 2, 0, codec | timestamps) + b"secret-record" * 5


@pytest.mark.parametrize(("codec", "name"), list(enumerate(("none", "gzip", "snappy", "lz4", "zstd", "codec 5"))))
def test_codecs_are_read_from_the_attributes(codec: int, name: str) -> None:
    assert codec_of(batch(codec)) == codec_of(batch(codec, timestamps=8 | 16)[:HEAD]) == name
    assert codec_of(batch(codec)[: HEAD - 1]) is None


@pytest.mark.parametrize("magic", [0, 1, 2])
@pytest.mark.parametrize(("codec", "name"), [(0, "none"), (1, "gzip")])
def test_the_codec_of_batches_from_another_encoder_is_read(magic: int, codec: int, name: str) -> None:
    """Compares with kafka-python's encoder, for all formats of record batches."""
    made = MemoryRecordsBuilder(magic, codec, 10_000)
    made.append(timestamp=1000, key=b"k", value=b"secret-record" * 50)
    made.close()
    assert codec_of(bytes(made.buffer())[:HEAD]) == name


@given(st.binary(max_size=40))
def test_any_bytes_have_a_codec_or_none(head: bytes) -> None:
    assert codec_of(head) is None or isinstance(codec_of(head), str)


@pytest.mark.parametrize(
    ("names", "purposes"),
    [
        (("ApiVersions",), (DISCOVERY,)),
        (("ApiVersions", "SaslHandshake", "Metadata", "FindCoordinator", "ListOffsets"), (DISCOVERY,)),
        (("Metadata", "OffsetForLeaderEpoch", "Fetch"), (FETCH,)),
        (("Metadata", "InitProducerId", "Produce", "GetTelemetrySubscriptions"), (PRODUCE,)),
        (("JoinGroup", "Fetch"), (FETCH, COORDINATOR)),
        (("OffsetFetch",), (COORDINATOR,)),
        (("EndTxn",), (COORDINATOR,)),
        (("ShareFetch",), (FETCH,)),
        (("ShareGroupHeartbeat",), (COORDINATOR,)),
        (("Metadata", "CreateTopics"), (ADMIN,)),
        (("DescribeGroups", "Produce"), (PRODUCE, ADMIN)),
    ],
)
def test_requests_tell_what_a_connection_is_for(names: tuple[str, ...], purposes: tuple[Purpose, ...]) -> None:
    talk = conversation()
    for name in names:
        version = next(number for number in range(9) if schemas().layout(api_key(name), number, "Request"))
        body = plain(api_key(name), version, "Request")
        body |= {"TransactionalId": None} if name == "InitProducerId" else {}
        talk.client_bytes(request(api_key(name), version, body), 1)
    found = talk.handshake()
    assert found is not None
    assert found.purposes == purposes


def test_a_producer_id_is_asked_of_a_coordinator_only_for_transactions() -> None:
    assert sent((apis.INIT_PRODUCER_ID, 4, {"TransactionalId": "t"})).purposes == (COORDINATOR,)


def test_the_first_ten_requests_are_kept_in_order_and_every_version() -> None:
    heartbeats: list[tuple[int, int, Body]] = [(apis.HEARTBEAT, 3, {})] * 20
    found = sent((apis.API_VERSIONS, 4, {}), (apis.API_VERSIONS, 0, {}), *heartbeats, (apis.METADATA, 9, {}))
    assert found.requests == ((apis.API_VERSIONS, 4), (apis.API_VERSIONS, 0), *[(apis.HEARTBEAT, 3)] * 8)
    assert len(found.requests) == FIRST
    assert found.versions == ((apis.METADATA, 9), (apis.HEARTBEAT, 3), (apis.API_VERSIONS, 4))
    assert found.metadata is not None, "the first Metadata request is read wherever it comes"


def test_a_connection_without_requests_has_no_handshake() -> None:
    assert conversation().handshake() is None


class CountingSchemas(Schemas):
    """Counts the requests that are read with its readers."""

    def __init__(self) -> None:
        self.jars = schemas().jars
        self.reads = {"request": 0, "with_heads": 0}

    def counted(self, name: str, spec: Spec | None) -> Spec | None:
        assert spec is not None
        inner: Reader = spec.read

        def read(b: bytes, p: int, end: int) -> tuple[Body, int]:
            self.reads[name] += 1
            return inner(b, p, end)

        return spec._replace(read=read)

    def request(self, api: int, version: int) -> Spec | None:
        return self.counted("request", schemas().request(api, version))

    def with_heads(self, api: int, version: int) -> Spec | None:
        return self.counted("with_heads", schemas().with_heads(api, version))


def test_only_the_first_request_of_an_api_is_read_in_a_storm() -> None:
    counting = CountingSchemas()
    talk = Conversation(1, 1, counting, {})
    parts = [{"Index": 0, "Records": batch(0)}]
    body = plain(0, 7, "Request", Acks=0, TopicData=[{"Name": TOPIC, "PartitionData": parts}])
    frame = request(apis.PRODUCE, 7, body)
    for number in range(500):
        talk.client_bytes(frame, number)
        talk.client_bytes(request(apis.API_VERSIONS, 3, plain(apis.API_VERSIONS, 3, "Request")), number)
    assert counting.reads == {"request": 500 + 1, "with_heads": 1}, "each Produce for its event, the rest once"


def test_a_first_request_that_cannot_be_read_leaves_its_fields_out() -> None:
    talk = conversation()
    head = struct.pack(">hhih", apis.METADATA, 9, 1, 1) + b"c" + b"\0" + b"\xff\xff\xff\xff\x07"
    talk.client_bytes(framed(head), 1)
    talk.client_bytes(framed(struct.pack(">hhih", apis.PRODUCE, 99, 2, 1) + b"c"), 2)
    found = talk.handshake()
    assert found is not None
    assert (found.metadata, found.produce) == (None, None)
    assert found.requests == ((apis.METADATA, 9), (apis.PRODUCE, 99))


@given(st.sampled_from(sorted(range(30))), st.integers(0, 19), st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_hostile_bytes_never_disturb_the_decoding(api: int, version: int, body: bytes) -> None:
    talk = conversation()
    events = talk.client_bytes(framed(struct.pack(">hhih", api, version, 1, 1) + b"c" + body), 1)
    assert len(events) == 1
    found = talk.handshake()
    assert found is not None
    assert found.requests == ((api, version),)


def secret(item: Item) -> Any:
    """Return a value of a field in which every string, key, id and record is a secret, except the reported software."""
    if item.type == "struct":
        value: Any = {inner.name: secret(inner) for inner in item.items}
    elif item.type == "string":
        value = "software" if item.name.startswith("ClientSoftware") else "secret-text"
    else:
        values = {"records": batch(0), "bytes": b"secret-bytes", "uuid": b"secret-topic-id!", "bool": True}
        value = values.get(item.type, 1)
    return [value] if item.array else value


@pytest.mark.parametrize("api", range(93))
def test_nothing_that_names_objects_or_holds_records_is_kept(api: int) -> None:
    """Fills every field of every request in all its versions, tagged fields too."""
    for version in range(20):
        layout = schemas().layout(api, version, "Request")
        if layout is not None:
            talk = conversation()
            body = {item.name: secret(item) for item in layout.items}
            talk.client_bytes(request(api, version, body, client_id="secret-client"), 1)
            found = talk.handshake()
            assert found is not None
            text = header_json(header(handshakes=(found,)))
            assert "secret" not in text
            assert base64.urlsafe_b64encode(b"secret-topic-id!").decode().rstrip("=") not in text


def replayed(who: str) -> Iterator[tuple[Conversation, list[Event]]]:
    """Yield the connections of a recorded client, with their events."""
    for connection in RECORDED:
        if connection["who"] == who:
            talk, events = conversation(), list[Event]()
            for number, (side, data) in enumerate(connection["bytes"]):
                take = talk.client_bytes if side == "c" else talk.broker_bytes
                events += take(bytes.fromhex(data), number * 100_000)
            yield talk, events


def recorded(who: str) -> tuple[Handshake, ...]:
    """Return the handshakes of a recorded client; all its connections have the same number."""
    return tuple(found for talk, _ in replayed(who) if (found := talk.handshake()) is not None)


def recorded_requests(who: str) -> list[Request]:
    return [event for _, events in replayed(who) for event in events if isinstance(event, Request)]


WHO = sorted({connection["who"] for connection in RECORDED})


def test_recorded_clients_have_different_handshakes() -> None:
    """Java 0.11 and 4.4, kafka-python 1.4.7 and 3.0.12, librdkafka: none shares a purpose's handshake with another."""
    seen: dict[Handshake, str] = {}
    for who in WHO:
        for one in recorded(who):
            if one.purposes != (DISCOVERY,):
                assert seen.setdefault(one, who) == who
    assert len(set(seen.values())) == len(WHO)


@pytest.mark.parametrize("who", WHO)
def test_recorded_handshakes_hold_no_topic_group_or_client_id(who: str) -> None:
    text = header_json(header(handshakes=recorded(who), subject=Subject(**BARE)))
    ids = {event.client_id for event in recorded_requests(who)} - {""}
    keys = {row.key for event in recorded_requests(who) for row in event.rows} - {""}
    assert ids
    assert [name for name in ("orders", *ids, *keys) if json.dumps(name)[1:-1] in text] == []


BARE: dict[str, Any] = {"topic": "", "affected": 0, "bystander": 1, "instance": "", "client_id": ""}


def test_recorded_requests_have_the_fields_of_their_clients() -> None:
    """The values are the defaults that the clients document: fetch.max.wait.ms, fetch.min.bytes, acks and others."""
    java = [one for one in recorded("Java kafka-clients 4.4.0, group consumer") if one.fetch is not None]
    assert {(one.software_name, one.software_version) for one in java} == {("apache-kafka-java", "4.4.0")}
    assert java[0].fetch is not None
    assert (java[0].fetch.max_wait_ms, java[0].fetch.min_bytes, java[0].fetch.max_bytes) == (500, 1, 52_428_800)
    assert (java[0].fetch.isolation_level, java[0].fetch.session_epoch) == (0, 0)
    (made,) = [one.produce for one in recorded("Java kafka-clients 4.4.0, producer") if one.produce is not None]
    assert made == FirstProduce(acks=-1, timeout_ms=30_000, compression="none")
    old = [one for one in recorded("kafka-python 1.4.7, producer") if one.produce is not None]
    assert [(one.software_name, one.produce) for one in old] == [
        (None, FirstProduce(acks=1, timeout_ms=30_000, compression="none"))
    ]


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
