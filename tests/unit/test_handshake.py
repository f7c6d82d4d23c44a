"""First requests of a client on a connection are kept, and nothing that names its objects."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.record.memory_records import MemoryRecordsBuilder

from probe.model.handshake import FirstFetch, FirstMetadata, FirstProduce, Handshake, Purpose, TopicList
from probe.model.rows import header_json
from probe.protocol import apis
from probe.protocol.compiler import Reader
from probe.protocol.conversation import Conversation
from probe.protocol.handshake import FIRST, LONGEST_TEXT, codec_of
from probe.protocol.layout import Item
from probe.protocol.names import api_key
from probe.protocol.schemas import HEAD, Schemas, Spec
from tests.support.protocol_talk import TOPIC, answer, ask, named
from tests.support.protocol_wire import ID, Body, conversation, framed, plain, request, schemas
from tests.support.synthetic_rows import header

DISCOVERY, PRODUCE, FETCH, COORDINATOR, ADMIN = Purpose


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


@pytest.mark.parametrize("version", range(6))
def test_what_the_broker_offers_is_kept_of_the_apis_that_were_sent(version: int) -> None:
    talk = conversation({ID: TOPIC})
    ask(talk, apis.API_VERSIONS, version, corr=1)
    ask(talk, apis.METADATA, 1, corr=2)
    rows = [{"ApiKey": api, "MinVersion": 0, "MaxVersion": api + 7} for api in (apis.METADATA, apis.FETCH)]
    answer(talk, apis.API_VERSIONS, version, corr=1, ApiKeys=rows)
    found = talk.handshake()
    assert found is not None
    assert found.offered == ((apis.METADATA, apis.METADATA + 7),)


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
def test_forms_of_the_topic_list_differ(version: int, topics: Any, form: TopicList) -> None:
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
