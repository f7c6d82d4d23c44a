"""Captured streams: segments in any order, lost and repeated bytes, connections that began before the capture."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from probe.model import Closed, Folded
from probe.protocol import apis
from probe.protocol.names import api_key
from tests.support.packets import START, Packet, Talk, ordinary, pcap, produce, produced
from tests.support.protocol_wire import framed, plain, request, response
from tests.unit.test_diagnose_capture import PAIRS, WHOLE, Reader, check_whole, seen

__all__ = ["seen"]
SASL_HANDSHAKE = api_key("SaslHandshake")


@pytest.mark.parametrize("size", [1, 3, 7, 50, 1448])
def test_messages_may_lie_in_any_number_of_segments(size: int, seen: Reader) -> None:
    talk = Talk().open()
    for corr in range(PAIRS):
        talk.ask(produce(corr), size).answer(produced(corr), size)
    found = seen(pcap(talk.close().packets))
    assert found.kinds() == WHOLE


def test_unordered_and_repeated_segments_are_put_in_order(seen: Reader) -> None:
    talk = Talk().open()
    for corr in range(20):
        talk.ask(produce(corr), 60).answer(produced(corr), 20)
    packets = talk.close().packets
    rng = random.Random(5)
    shuffled = [replace(one, at=one.at + rng.choice((0, 0, 0, 2500))) for one in packets[3:-3]]
    again = [replace(one, at=one.at + 700) for one in rng.sample(packets[3:-3], 30)]
    data = [*packets[:3], *sorted([*shuffled, *again], key=lambda one: one.at), *packets[-3:]]
    found = seen(pcap(data))
    assert [(event.corr, event.error) for event in found.requests] == [(corr, "") for corr in range(20)]


def test_segments_that_overlap_give_each_byte_once(seen: Reader) -> None:
    talk = Talk().open()
    frame = produce(1)
    talk.ask(frame[:100])
    talk.seqs[0] -= 40
    talk.ask(frame[60:]).answer(produced(1))
    found = seen(pcap(talk.close().packets))
    assert found.errors == ["", ""]


def test_sequence_numbers_may_wrap_around(seen: Reader) -> None:
    check_whole(seen(pcap(ordinary().packets)))  # the client begins 256 bytes before the end of the numbers
    talk = Talk(seqs=[2**32 - 1, 2**32 - 1]).open().ask(produce(1)).answer(produced(1))
    assert seen(pcap(talk.packets)).kinds() == ["Opened", "Request", "Response"]


def lost(talk: Talk, *numbers: int) -> list[Packet]:
    return [one for number, one in enumerate(talk.packets) if number not in numbers]


def test_after_a_lost_segment_the_next_messages_are_read(seen: Reader) -> None:
    talk = ordinary(8)
    found = seen(pcap(lost(talk, 5)))  # the second request
    assert [event.corr for event in found.requests] == [0, 2, 3, 4, 5, 6, 7]
    assert [event.corr for event in found.responses] == [0, 2, 3, 4, 5, 6, 7]
    assert found.left == {"lost in the capture": len(produce(1))}


def test_a_request_whose_answer_was_lost_does_not_look_unanswered(seen: Reader) -> None:
    found = seen(pcap(lost(ordinary(8), 6)))  # the second answer
    assert [event.corr for event in found.responses] == list(range(8))
    assert [event.error for event in found.responses if event.corr == 1] == ["the answer is not in the capture"]
    assert [event.rows for event in found.responses if event.corr == 1] == [()]


def test_lost_records_do_not_matter(seen: Reader) -> None:
    talk = Talk().open().ask(produce(1, b"secret" * 900)).answer(produced(1)).close()
    found = seen(pcap(lost(talk, 5)))  # in the middle of the records
    assert [event.error for event in found.requests] == [""]
    assert found.requests[0].rows[0].size == 5400


def test_lost_fields_are_not_invented(seen: Reader) -> None:
    body = plain(apis.METADATA, 12, "Response")
    body["Topics"] = [
        {"Name": f"topic-{number}", "Partitions": [{"PartitionIndex": 0, "LeaderId": 3, "ErrorCode": 5}]}
        for number in range(200)
    ]
    answer = response(apis.METADATA, 12, plain(apis.METADATA, 12, "Response", Topics=body["Topics"]), corr=7)
    asked = request(apis.METADATA, 12, plain(apis.METADATA, 12, "Request"), corr=7)
    talk = Talk().open().ask(asked).answer(answer).close()
    found = seen(pcap(lost(talk, 6)))
    (event,) = found.responses
    assert (event.corr, event.rows) == (7, ())
    assert event.error == f"Metadata response of {len(answer)} bytes, of which some were lost"


@pytest.mark.parametrize("kept", [120, 200])
def test_captures_that_keep_the_beginning_of_packets_are_read(kept: int, seen: Reader) -> None:
    talk = Talk().open()
    for corr in range(PAIRS):
        talk.ask(produce(corr, b"secret" * 800)).answer(produced(corr))
    packets = [replace(one, cut=max(0, len(one.data) + 14 - kept)) for one in talk.close().packets]
    found = seen(pcap(packets))
    assert [event.corr for event in found.requests] == [event.corr for event in found.responses] == list(range(PAIRS))
    assert {row.code for event in found.responses for row in event.rows} == {6}
    assert [event.rows[0].size for event in found.requests] == [4800] * PAIRS
    assert list(found.left) == ["cut off by the capture (snaplen)"]


def test_a_capture_of_headers_only_says_so(seen: Reader) -> None:
    packets = [replace(one, cut=max(0, len(one.data) + 14 - 40)) for one in ordinary().packets]
    found = seen(pcap(packets))
    assert found.events == []
    assert list(found.left) == ["cut off within their headers; capture with a larger -s"]


@pytest.mark.parametrize("skipped", range(3, 9))
def test_a_connection_that_began_before_is_read_from_the_next_message_on(skipped: int, seen: Reader) -> None:
    talk = Talk().open()
    for corr in range(1000, 1008):
        talk.ask(produce(corr), 200).answer(produced(corr), 30)
    found = seen(pcap(talk.close().packets[skipped:]))
    assert found.connections[1].began is False
    assert found.connections[1].broker_address == "10.0.0.1:9092"
    assert [event.corr for event in found.requests][-6:] == list(range(1002, 1008))
    assert [event.corr for event in found.responses] == [event.corr for event in found.requests]
    assert "Opened" not in found.kinds()
    assert set(found.errors) == {""}


def test_a_capture_with_one_direction_has_its_requests(seen: Reader) -> None:
    talk = ordinary(20)
    half = [one for one in talk.packets if one.data[12:16] == bytes([10, 0, 0, 7])]
    found = seen(pcap(half))
    assert (len(found.requests), found.responses) == (20, [])


def test_tokens_without_headers_do_not_end_the_decoding(seen: Reader) -> None:
    mechanism = plain(SASL_HANDSHAKE, 0, "Request", Mechanism="PLAIN")
    talk = Talk().open()
    talk.ask(request(SASL_HANDSHAKE, 0, mechanism, corr=1))
    talk.answer(response(SASL_HANDSHAKE, 0, plain(SASL_HANDSHAKE, 0, "Response", Mechanisms=["PLAIN"]), corr=1))
    talk.ask(framed(b"\0Alice\0S3cretWord")).answer(framed(b""))
    talk.ask(framed(b"n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL")).answer(framed(b"r=fyko,s=QSXCR+Q6sek8bf92,i=4096"))
    for corr in (2, 3):
        talk.ask(produce(corr)).answer(produced(corr))
    found = seen(pcap(talk.close().packets))
    assert [event.api for event in found.requests] == [SASL_HANDSHAKE, apis.PRODUCE, apis.PRODUCE]
    assert [event.corr for event in found.responses] == [1, 2, 3]
    assert found.left == {}


def test_ports_that_are_used_again_are_a_new_connection(seen: Reader) -> None:
    first = ordinary(1)
    later = Talk(at=START + 5_000_000, seqs=[77, 88]).open().ask(produce(9)).answer(produced(9)).close()
    without_end = first.packets[:-3]
    found = seen(pcap([*without_end, *later.packets]))
    assert [connection.began for connection in found.connections.values()] == [True, True]
    assert [event.conn for event in found.requests] == [1, 2]


def test_the_side_that_ends_first_is_named(seen: Reader) -> None:
    (closed,) = (event for event in seen(pcap(ordinary().packets)).events if isinstance(event, Closed))
    assert closed.by == "client"
    talk = Talk().open().ask(produce(1)).answer(produced(1)).reset()
    (closed,) = (event for event in seen(pcap(talk.packets)).events if isinstance(event, Closed))
    assert closed.by == "broker"


def test_events_come_by_time_though_storms_are_folded(seen: Reader) -> None:
    talk = Talk().open()
    for corr in range(4000):
        talk.ask(produce(corr, b"")).answer(produced(corr))
    other = Talk(client=("10.0.0.8", 50_000), at=START + 100).open()
    for corr in range(20):
        other.at += 300_000
        other.ask(produce(corr)).answer(produced(corr))
    packets = sorted([*talk.packets, *other.packets], key=lambda one: one.at)
    found = seen(pcap(packets))
    times = [event.at for event in found.events]
    assert times == sorted(times)
    folded = [event for event in found.events if isinstance(event, Folded)]
    alone = sum(event.conn == 1 for event in found.requests)
    assert folded
    assert alone + sum(event.requests for event in folded) == 4000


@pytest.mark.parametrize("corr", [1, 7, 8])
def test_an_answer_with_a_low_number_is_not_taken_for_a_request(corr: int, seen: Reader) -> None:
    talk = Talk().open().ask(produce(corr, version=7))
    for number in range(corr, corr + 4):
        talk.answer(produced(number, version=7)).ask(produce(number + 1, version=7))
    found = seen(pcap(talk.close().packets[4:]))
    assert found.connections[1].broker_address == "10.0.0.1:9092"
    assert [(event.client_id, event.corr) for event in found.requests] == [
        ("shop", corr + number) for number in range(1, 5)
    ]
    assert set(found.errors) == {""}
