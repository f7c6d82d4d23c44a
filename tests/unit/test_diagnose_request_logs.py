"""Request logs of real brokers to events, as JSON and as text."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from probe.diagnose.input.log_lines import time_of
from probe.diagnose.observation import Source
from probe.model import Opened, Row
from probe.model.handshake import FirstProduce, TopicList
from probe.protocol import apis
from probe.protocol.log_requests import parse_line
from probe.protocol.struct_text import parse_struct
from tests.support.inputs import WholeInput, read
from tests.support.inventories import SAMPLES

LOGS = {"request-4.3.1.log": 20, "request-2.6.2.log": 20}
CLIENTS = {"admin", "orders", "invoices", "billing", "shop-web", "stock", "mails", "ledger"}
"""kafka-python, sarama, librdkafka, franz-go, KafkaJS, kafka-go, kafka-python, Java."""


def lines(name: str) -> list[str]:
    return (SAMPLES / name).read_text().splitlines(keepends=True)


def of(tmp_path: Path, *texts: str) -> WholeInput:
    paths = [tmp_path / f"{number}.log" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return read(*paths)


@pytest.mark.parametrize("name", LOGS)
def test_every_request_of_clients_is_an_event_that_could_be_read(name: str) -> None:
    found = read(SAMPLES / name)
    assert {event.client_id for event in found.requests} == CLIENTS
    assert set(found.errors) == {""}
    assert len(found.responses) == len(found.requests) - 1  # one was sent with acks=0
    assert "requests that cannot be read" not in found.left
    times = [event.at for event in found.events]
    assert times == sorted(times)
    assert {connection.source for connection in found.connections.values()} == {Source.LOG}


@pytest.mark.parametrize("name", LOGS)
def test_partitions_and_codes_of_produce_are_read(name: str) -> None:
    found = read(SAMPLES / name)
    asked = [event for event in found.requests if event.api == apis.PRODUCE and event.acks]
    assert asked
    assert all(row.topic in {"orders"} or row.topic.startswith("?") for event in asked for row in event.rows)
    assert all(len(event.rows) == 1 for event in asked)
    codes = Counter(row.code for event in found.responses if event.api == apis.PRODUCE for row in event.rows)
    assert codes[0] >= 5
    if name == "request-4.3.1.log":
        assert codes[6] == 1


def test_topic_ids_are_resolved_by_metadata_of_the_same_log() -> None:
    found = read(SAMPLES / "request-4.3.1.log")
    (event,) = (event for event in found.requests if (event.api, event.version) == (apis.PRODUCE, 13))
    assert [(row.topic, row.partition, row.size) for row in event.rows] == [("orders", 2, 69)]


@pytest.mark.parametrize("name", LOGS)
def test_times_are_those_of_the_request_and_of_its_answer(name: str) -> None:
    found = read(SAMPLES / name)
    for event in found.responses:
        line = next(line for line in lines(name) if f"{event.corr}" in line and time_of(line) == event.at)
        parsed = parse_line(line)
        assert parsed is not None
        assert event.at - event.sent_at == parsed.total_us


def test_a_heartbeat_of_the_new_group_protocol_has_its_epoch(tmp_path: Path) -> None:
    member = {"groupId": "g", "memberId": "m", "memberEpoch": 7, "instanceId": None, "rackId": None}
    asked = {"rebalanceTimeoutMs": -1, "subscribedTopicNames": None, "subscribedTopicRegex": None}
    rest = {"serverAssignor": None, "topicPartitions": None}
    said = {"throttleTimeMs": 0, "errorCode": 110, "errorMessage": "fenced", "memberId": "m", "memberEpoch": 0}
    last = {"heartbeatIntervalMs": 0, "assignment": None}
    header = {"requestApiKey": 68, "requestApiVersion": 1, "correlationId": 4, "clientId": "shop"}
    body = {"requestHeader": header, "request": member | asked | rest, "response": said | last, "totalTimeMs": 1.0}
    more = {"connection": "127.0.0.1:9092-127.0.0.1:58040-3-9", "listener": "EXTERNAL"}
    found = of(tmp_path, f"[2026-11-27 14:12:41,253] DEBUG Completed request:{json.dumps(body | more)} (logger)\n")
    assert [row for event in found.requests for row in event.rows] == [Row(key="g", epoch=7)]
    assert [row for event in found.responses for row in event.rows] == [Row(key="g", code=110)]


@pytest.mark.parametrize("name", LOGS)
def test_leaders_are_read_of_metadata(name: str) -> None:
    found = read(SAMPLES / name)
    leaders = {
        (row.topic, row.partition, row.leader)
        for event in found.responses
        if event.api == apis.METADATA
        for row in event.rows
        if row.partition >= 0
    }
    assert leaders == {("orders", partition, 2) for partition in range(3)}


@pytest.mark.parametrize("name", LOGS)
def test_the_reported_software_belongs_to_the_connection(name: str) -> None:
    found = read(SAMPLES / name)
    ids = {event.conn: event.client_id for event in found.requests}
    named = {ids[conn]: one.software for conn, one in found.connections.items() if one.software}
    assert named["ledger"] == ("apache-kafka-java", "3.6.2")
    assert named["invoices"] == ("confluent-kafka-python", "2.16.1-rdkafka-2.16.0")
    assert "orders" not in named


def test_the_first_requests_of_connections_are_kept() -> None:
    found = read(SAMPLES / "request-4.3.1.log")
    ids = {event.conn: event.client_id for event in found.requests}
    first = [found.handshakes[conn] for conn, name in ids.items() if name == "stock"]
    assert FirstProduce(acks=0, timeout_ms=4999) in [one.produce for one in first]
    forms = [one.metadata.topics for one in found.handshakes.values() if one.metadata]
    assert TopicList.ALL in forms


@pytest.mark.parametrize("name", LOGS)
def test_rotated_packed_and_wrapped_logs_are_read(name: str, tmp_path: Path) -> None:
    whole = read(SAMPLES / name)
    text = lines(name)
    older, newer = tmp_path / "request.log.2026-11-27-13.gz", tmp_path / "request.log"
    older.write_bytes(gzip.compress("".join(text[:9]).encode()))
    newer.write_text("".join(text[9:]))
    assert read(newer, older).kinds() == whole.kinds()
    wrapped = "".join(json.dumps({"log": line, "stream": "stdout"}) + "\n" for line in text)
    assert of(tmp_path, wrapped).events == whole.events


def test_lines_among_brokers_are_counted() -> None:
    found = read(SAMPLES / "request-2.6.2.log")
    assert found.left["among brokers"] >= 2


def test_a_connection_that_begins_in_the_log_is_opened() -> None:
    found = read(SAMPLES / "request-4.3.1.log")
    began = {conn for conn, one in found.connections.items() if one.began}
    assert {event.conn for event in found.events if isinstance(event, Opened)} == began
    assert began


def test_produce_names_its_partitions_at_trace(tmp_path: Path) -> None:
    line = next(line for line in lines("request-2.6.2.log") if "apiKey=PRODUCE" in line and "acks=0" in line)
    assert of(tmp_path, line).requests[0].rows == ()
    more = line.replace("numPartitions=1", "partitionSizes=[my-topic-7=170]")
    (row,) = of(tmp_path, more).requests[0].rows
    assert (row.topic, row.partition, row.size) == ("my-topic", 7, 170)


FETCH = (
    "[2026-11-27 14:15:40,000] DEBUG Completed request:RequestHeader(apiKey=FETCH, apiVersion=11, clientId=reader, "
    "correlationId=9) -- {replica_id=-1,max_wait_time=500,"
    "min_bytes=1,max_bytes=52428800,isolation_level=0,session_id=0,"
    "session_epoch=0,topics=[{topic=orders,partitions=[{partition=1,current_leader_epoch=3,fetch_offset=17,"
    "log_start_offset=-1,partition_max_bytes=1048576}]}],forgotten_topics_data=[],rack_id=},"
    "response:{throttle_time_ms=0,"
    "error_code=0,session_id=0,responses=[{topic=orders,partition_responses=[{partition_header={partition=1,"
    "error_code=56,high_watermark=-1,last_stable_offset=-1,log_start_offset=-1,aborted_transactions=null,"
    "preferred_read_replica=-1},record_set=FileRecords(size=77, file=/data/orders-1/0.log, start=0, end=77)}]}]} "
    "from connection 10.0.0.1:9092-10.0.0.7:41000-3;totalTime:501.5,requestQueueTime:0.1,localTime:0.2,"
    "remoteTime:501.0,throttleTime:0,responseQueueTime:0.1,sendTime:0.1,securityProtocol:SASL_SSL,"
    "principal:User:shop,listener:CLIENTS (kafka.request.logger)\n"
)
"""As the schemas of 2.2 to 2.6 print it, before clients reported their software."""


def test_a_fetch_of_a_text_log_is_read(tmp_path: Path) -> None:
    found = of(tmp_path, FETCH)
    (asked,), (answered,) = found.requests, found.responses
    assert [(row.topic, row.partition, row.offset, row.epoch) for row in asked.rows] == [("orders", 1, 17, 3)]
    assert [(row.topic, row.partition, row.code, row.size) for row in answered.rows] == [("orders", 1, 56, 77)]
    assert answered.at - asked.at == 501_500
    (connection,) = found.connections.values()
    assert (connection.client, connection.client_port, connection.broker_address) == (
        "10.0.0.7",
        41000,
        "10.0.0.1:9092",
    )
    assert (connection.listener, connection.software, connection.began) == ("CLIENTS", None, False)
    first = found.handshakes[1].fetch
    assert first is not None
    assert (first.max_wait_ms, first.partition_max_bytes) == (500, 1048576)


def test_a_replica_is_among_brokers(tmp_path: Path) -> None:
    found = of(tmp_path, FETCH.replace("clientId=reader", "clientId=broker-2-fetcher-0"))
    assert (found.events, found.left) == ([], {"among brokers": 1})


@pytest.mark.parametrize(
    ("line", "moment"),
    [
        ("[2026-11-27 14:15:22,536] DEBUG", 1_795_788_922_536_000),
        ("2026-11-27T14:15:22,536 DEBUG", 1_795_788_922_536_000),
        ("2026-11-27 15:15:22.536+0100 DEBUG", 1_795_788_922_536_000),
        ("2026-11-27T14:15:22Z DEBUG", 1_795_788_922_000_000),
        ("DEBUG Completed", 0),
        ("2026-99-27 14:15:22,536", 0),
    ],
)
def test_time_stamps_of_both_loggers_are_read(line: str, moment: int) -> None:
    assert time_of(line) == moment


@pytest.mark.parametrize("name", LOGS)
def test_lines_that_were_cut_are_counted(name: str, tmp_path: Path) -> None:
    text = lines(name)
    for line in (text[12][:400], text[14][: len(text[14]) // 2]):
        found = of(tmp_path, "".join(text) + line)
        assert found.left["requests that cannot be read"] == 1


@pytest.mark.parametrize(
    "body",
    [
        "{" * 100_000,
        "{a=" * 50_000,
        "{a=[" + "[" * 50_000,
        "{a=" + "(" * 200_000 + "}",
        "{a=" + ",b" * 100_000,
        "{acks=null,timeout=null,numPartitions=null}",
        "{acks=[],timeout={},x=1}",
        "{}",
        "",
    ],
    ids=range(9),
)
def test_odd_bodies_do_no_harm(body: str, tmp_path: Path) -> None:
    good = FETCH
    head, _, tail = good.partition("{replica_id")
    line = head.replace("FETCH", "PRODUCE") + body + tail[tail.index(",response:") :]
    found = of(tmp_path, good + line + good)
    assert len([event for event in found.requests if event.api == apis.FETCH]) == 2


@pytest.mark.parametrize("text", ['{"a":' * 50_000, "[" * 90_000, "{}", '{"requestHeader":{}}', '{"requestHeader":3}'])
def test_odd_json_in_a_line_does_no_harm(text: str, tmp_path: Path) -> None:
    good = lines("request-4.3.1.log")[-1]
    found = of(tmp_path, f"{good}Completed request:{text}\n{{{text} Completed request:\n")
    assert len(found.requests) == 1
    assert found.left["requests that cannot be read"] == 2


def test_scalars_in_brackets_stay_whole() -> None:
    text = "{a=java.nio.HeapByteBuffer[pos=0 lim=78 cap=78],b=[1,2],c=null,d=x, y,e={f=}} tail"
    values, stop = parse_struct(text, 0)
    assert values == {
        "a": "java.nio.HeapByteBuffer[pos=0 lim=78 cap=78]",
        "b": ["1", "2"],
        "c": None,
        "d": "x, y",
        "e": {"f": ""},
    }
    assert text[stop:] == " tail"


@pytest.mark.parametrize("name", ["requestApiKey", "requestApiVersion", "correlationId", "totalTimeMs"])
def test_a_number_beyond_any_bound_is_no_request(name: str) -> None:
    header = {"requestApiKey": 0, "requestApiVersion": 7, "correlationId": 1}
    values = {"requestHeader": header, "connection": "a-b-0", "totalTimeMs": 1.5}
    assert parse_line(f"Completed request:{json.dumps(values)}") is not None
    (header if name in header else values)[name] = float("inf")
    with pytest.raises(ValueError, match="a number beyond any bound"):
        parse_line(f"Completed request:{json.dumps(values)}")
