"""Decoding of a connection: frames of both directions in, events out."""

from __future__ import annotations

import pytest

from probe.model import Event, Request, Response, Row
from probe.protocol.frames import MAX_FRAME
from tests.support.protocol_talk import TOPIC, answer, ask
from tests.support.protocol_wire import ID, conversation, framed, plain, request, response


def test_a_request_and_its_response_have_times_and_sizes() -> None:
    talk = conversation()
    sent = ask(talk, 12, 3, corr=77, at=1000, GroupId="g")
    received = answer(talk, 12, 3, corr=77, at=4000, ErrorCode=16)
    assert (sent.at, sent.conn, sent.broker, sent.corr, sent.api, sent.version) == (1000, 1, 1, 77, 12, 3)
    assert sent.client_id == talk.client_id == "probe-1"
    assert sent.size == len(request(12, 3, plain(12, 3, "Request", GroupId="g")))
    assert (received.at, received.sent_at, received.corr, received.code) == (4000, 1000, 77, 16)
    assert received.rows == (Row(key="g", code=16),)
    assert (talk.requests, talk.responses) == ({12: 1}, {12: 1})


def test_topic_ids_are_learned_from_metadata_and_shared() -> None:
    names: dict[bytes, str] = {}
    first, second = conversation(names), conversation(names)
    fetch = [{"TopicId": ID, "Partitions": [{"Partition": 0}]}]
    assert ask(first, 1, 13, corr=1, Topics=fetch).rows[0].topic == "?AAECAwQFBgcICQoLDA0ODw"
    ask(first, 3, 12, corr=2)
    answer(first, 3, 12, corr=2, Topics=[{"Name": TOPIC, "TopicId": ID, "Partitions": [{}]}])
    assert ask(second, 1, 13, Topics=fetch).rows[0].topic == TOPIC
    assert ask(second, 3, 12, Topics=[{"TopicId": ID, "Name": None}]).rows == (Row(topic=TOPIC),)


def test_topic_ids_are_learned_from_create_topics() -> None:
    names: dict[bytes, str] = {}
    talk = conversation(names)
    ask(talk, 19, 7)
    answer(talk, 19, 7, Topics=[{"Name": TOPIC, "TopicId": ID}])
    assert names == {ID: TOPIC}


@pytest.mark.parametrize("version", [3, 4, 99])
def test_an_unsupported_version_is_answered_in_version_0(version: int) -> None:
    talk = conversation()
    talk.client_bytes(request(18, min(version, 4), plain(18, min(version, 4), "Request")), 1)
    (received,) = talk.broker_bytes(response(18, 0, plain(18, 0, "Response", ErrorCode=35)), 2)
    assert isinstance(received, Response)
    assert (received.code, received.error) == (35, "")


def test_the_error_of_a_malformed_refusal_of_api_versions_is_kept() -> None:
    talk = conversation()
    talk.client_bytes(request(18, 4, plain(18, 4, "Request")), 1)
    (received,) = talk.broker_bytes(framed(bytes.fromhex("0000000100230100120000000200000000")), 2)
    assert isinstance(received, Response)
    assert (received.code, received.error) == (35, "ApiVersions v4 response does not fit its definition")


def test_other_apis_are_reported_without_their_body() -> None:
    talk = conversation()
    sent = ask(talk, 32, 4)
    assert (sent.api, sent.rows) == (32, ())
    assert answer(talk, 32, 4).rows == ()


def test_extra_bytes_after_a_body_are_counted() -> None:
    """Old librdkafka sends four extra bytes with ApiVersions 0."""
    talk = conversation()
    data = request(2, 1, plain(2, 1, "Request"))
    longer = (len(data)).to_bytes(4, "big") + data[4:] + bytes(4)
    (sent,) = talk.client_bytes(longer, 1)
    assert isinstance(sent, Request)
    assert (sent.error, talk.trailing) == ("", 4)


def test_a_produce_without_acks_expects_no_response() -> None:
    talk = conversation()
    for corr in range(20_000):
        talk.client_bytes(request(0, 7, plain(0, 7, "Request", Acks=0), corr=corr), corr * 10_000)
    assert talk.fault == ""
    assert talk.expected(19_999) == -1
    ask(talk, 12, 3, corr=5, at=10**9, GroupId="g")
    assert answer(talk, 12, 3, corr=5, at=10**9).rows == (Row(key="g"),)


def test_responses_match_requests_in_any_order() -> None:
    talk = conversation()
    ask(talk, 12, 3, corr=1, GroupId="first")
    ask(talk, 12, 3, corr=2, GroupId="second")
    assert answer(talk, 12, 3, corr=2).rows == (Row(key="second"),)
    assert answer(talk, 12, 3, corr=1).rows == (Row(key="first"),)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "a frame of 1195725856 bytes"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "a frame of 369295618 bytes"),
        ((MAX_FRAME + 1).to_bytes(4, "big"), f"a frame of {MAX_FRAME + 1} bytes"),
        (b"\xff\xff\xff\xff", "a frame of -1 bytes"),
        (b"\x00\x00\x00\x08\x7f\xff\x00\x00\x00\x00\x00\x01", "API key 32767"),
    ],
)
def test_other_protocols_are_reported_once_and_then_ignored(data: bytes, why: str) -> None:
    talk = conversation()
    (event,) = talk.client_bytes(data, 5)
    assert isinstance(event, Request)
    assert (event.api, event.at) == (-1, 5)
    assert why in event.error
    assert why in talk.fault
    assert talk.client_bytes(request(12, 3, plain(12, 3, "Request")), 6) == []
    assert talk.broker_bytes(b"\0" * 100, 6) == []


def test_a_response_without_a_request_is_reported_once() -> None:
    talk = conversation()
    events: list[Event] = talk.broker_bytes(response(12, 3, plain(12, 3, "Response"), corr=9) * 2, 5)
    assert len(events) == 1
    assert "no request with correlation id 9" in talk.fault


@pytest.mark.parametrize(("api", "version", "why"), [(0, 99, "Produce version 99 is in none"), (3, 12, "does not fit")])
def test_an_unreadable_body_does_not_stop_the_decoding(api: int, version: int, why: str) -> None:
    talk = conversation()
    head = api.to_bytes(2, "big") + version.to_bytes(2, "big") + (1).to_bytes(4, "big") + b"\x00\x01c\x00\xff"
    (event,) = talk.client_bytes(len(head).to_bytes(4, "big") + head, 1)
    assert isinstance(event, Request)
    assert why in event.error
    assert event.client_id == "c"
    assert ask(talk, 12, 3, corr=2, GroupId="g").rows == (Row(key="g"),)


def test_too_many_open_requests_end_the_decoding() -> None:
    talk = conversation()
    data = request(12, 3, plain(12, 3, "Request"))
    for second in range(120):
        talk.client_bytes(data * 100, second * 1_000_000)
    assert "without an answer" in talk.fault
    assert talk.requests[12] == 10_001


def test_tokens_without_headers_are_passed_over() -> None:
    """After SaslHandshake version 0 (KIP-152); Java up to 1.0 and the brokers of that time log in so."""
    talk = conversation()
    ask(talk, 17, 0, corr=1, Mechanism="PLAIN")
    answer(talk, 17, 0, corr=1, Mechanisms=["PLAIN"])
    for token in (b"\0Alice\0S3cretWord", b"\0a\0b", b"", b"n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL"):
        assert talk.client_bytes(framed(token), 20) == []
        assert talk.broker_bytes(framed(token[:3]), 21) == []
    ask(talk, 12, 3, corr=2, GroupId="g")
    assert answer(talk, 12, 3, corr=2).corr == 2
    assert talk.fault == ""


@pytest.mark.parametrize(("asked", "answered"), [(framed(b"\0\3"), b""), (b"", framed(b"\0\3"))])
def test_what_is_too_short_for_a_header_is_not_kafkas(asked: bytes, answered: bytes) -> None:
    talk = conversation()
    events = [*talk.client_bytes(asked, 1), *talk.broker_bytes(answered, 2)]
    assert [event.error.split(":")[0] for event in events if isinstance(event, Request | Response)] == ["not Kafka"]
    assert talk.fault


def test_codes_of_log_ins_are_read() -> None:
    talk = conversation()
    ask(talk, 17, 1, corr=1, Mechanism="SCRAM-SHA-256")
    assert answer(talk, 17, 1, corr=1, ErrorCode=33).code == 33
    ask(talk, 36, 2, corr=2, AuthBytes=b"secret")
    assert answer(talk, 36, 2, corr=2, ErrorCode=58).code == 58
