"""Request logs of real brokers: who sent requests, by client id, name and version."""

from __future__ import annotations

import gzip
import io
import json

import pytest

from probe.inventory.document import MIB
from probe.inventory.entries import FileContent
from probe.inventory.inventory_reader import read_stream
from probe.inventory.readers import request_log
from tests.support.inventories import SAMPLES, read
from tests.unit.test_inventory_metrics import Repeated

LOGS = ("request-4.3.1.log", "request-2.6.2.log")
CLIENTS = {
    "admin": "kafka-python@3.0.12",
    "orders": "unknown",
    "invoices": "librdkafka@2.16.0",
    "billing": "franz-go@1.22.3",
    "shop-web": "unknown",
    "stock": "unknown",
    "mails": "kafka-python@3.0.12",
    "ledger": "java@3.6.2",
}
"""sarama 1.43.2 (orders), KafkaJS (shop-web) and kafka-go (stock) report nothing that a broker takes."""


def lines(name: str) -> list[str]:
    return (SAMPLES / name).read_text().splitlines(keepends=True)


def clients(reading: FileContent) -> dict[str, str]:
    assert reading.taken_for == "request log of a broker"
    return {item.service: item.shown for item in reading.found}


@pytest.mark.parametrize("name", LOGS)
def test_clients_are_named_with_their_ids(name: str) -> None:
    assert clients(read("".join(lines(name)), name)) == CLIENTS


@pytest.mark.parametrize("name", LOGS)
def test_a_client_is_counted_by_its_connections(name: str) -> None:
    one = next(line for line in lines(name) if "billing" in line and "softwareName" in line and "kgo" in line)
    at = one.index("127.0.0.1:", one.index("onnection") + 25)
    other = f"{one[:at]}10.9.8.7:{one[at + 10 :]}"
    (found,) = read(one * 3 + other * 2, name).found
    assert found.count == 2


def test_requests_among_brokers_are_no_clients() -> None:
    shown = clients(read("".join(lines(LOGS[0])), "request.log"))
    assert "2" not in shown
    assert any('"clientId":"2"' in line for line in lines(LOGS[0]))
    fetch = lines(LOGS[0])[-1].replace('"isForwarded":false', '"isForwarded":true')
    assert read(fetch, "request.log").found == ()


@pytest.mark.parametrize("body", ['{"replicaId":3}', '{"replicaState":{"replicaId":3,"replicaEpoch":1}}'])
def test_a_fetch_of_a_replica_is_no_client(body: str) -> None:
    made = json.loads(
        '{"requestHeader":{"requestApiKeyName":"FETCH","clientId":"broker-3-fetcher-0"},"connection":"a",'
        f'"request":{body},"clientInformation":{{"softwareName":"apache-kafka-java","softwareVersion":"3.9.1"}}}}'
    )
    assert read(f"Completed request:{json.dumps(made)}").found == ()
    made["request"] = {"replicaId": -1}
    assert clients(read(f"Completed request:{json.dumps(made)}")) == {"broker-3-fetcher-0": "java@3.9.1"}


@pytest.mark.parametrize("key", ["log", "message", "msg"])
def test_a_line_inside_json_is_read(key: str) -> None:
    text = "".join(json.dumps({key: line, "stream": "stdout"}) + "\n" for line in lines(LOGS[0]))
    assert clients(read(text)) == CLIENTS


def test_a_rotated_and_packed_log_is_read() -> None:
    data = "".join(lines(LOGS[0])).encode()
    assert clients(read(gzip.compress(data), "kafka-request.log.2026-11-27-14.gz")) == CLIENTS
    halves = gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :])
    assert clients(read(halves, "kafka-request.log.1.gz")) == CLIENTS


def test_a_line_that_was_cut_is_counted() -> None:
    text = "".join(lines(LOGS[0])) + lines(LOGS[0])[5][:500]
    reading = read(text)
    assert clients(reading) == CLIENTS
    assert "1 line: no request that can be read" in map(str, reading.skipped)


def test_ids_that_are_new_with_every_start_are_one_client() -> None:
    line = next(line for line in lines(LOGS[0]) if '"ledger"' in line and "PRODUCE" in line)
    text = "".join(
        line.replace('"ledger"', f'"consumer-a-1-{number:08x}-0000-4000-8000-000000000000"') for number in range(5)
    )
    assert list(clients(read(text))) == ["consumer-a-1-*"]


def test_a_log_without_names_says_so() -> None:
    text = "Completed request:RequestHeader(apiKey=PRODUCE, apiVersion=7, clientId=a, correlationId=2) -- {} from x;\n"
    assert read(text).problem == "none of its requests names a client's software; brokers log it since 2.4"


@pytest.mark.parametrize(
    "text", ['{"a":' * 50_000, "[" * 90_000, '{"log": 3}', '{"clientInformation": [], "x": "\\ud800"}']
)
def test_odd_json_in_a_line_does_no_harm(text: str) -> None:
    good = lines(LOGS[0])[-1]
    reading = read(f"{good}Completed request:{text}\n{{{text} Completed request:\n")
    assert len(reading.found) == 1


def test_a_long_line_made_to_be_slow_is_read_at_once() -> None:
    line = "Completed request:" + "apiKey=a, clientId=b, correlationId=c from connection d;" * 15_000
    text = f"{line}{request_log.SOFTWARE}x\n"
    (found,) = read(text).found
    assert found.service == "b"


def test_clients_and_connections_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_log, "MOST_CLIENTS", 3)
    monkeypatch.setattr(request_log, "MOST_CONNECTIONS", 2)
    reading = read("".join(lines(LOGS[0])))
    assert len(reading.found) == 3
    said = [item.why for item in reading.skipped]
    assert "more than 3 different clients" in said
    assert "not counted after the first 2" in said


def test_a_large_log_is_read_as_a_stream() -> None:
    line = next(line for line in lines(LOGS[0]) if "kgo" in line)
    reading = read_stream("a.log", "a.log", Repeated(line, 8 * MIB), named=True)  # type: ignore[arg-type]
    assert [item.count for item in reading.found] == [1]


def test_a_packed_file_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probe.inventory.gzip_files.FREE", MIB)
    line = next(line for line in lines(LOGS[0]) if "kgo" in line)
    bomb = gzip.compress(line.encode() + (b" " * 1000 + b"\n") * 40_000)
    problem = read(bomb, "request.log.gz").problem
    assert problem == "it unpacks to more than 200 times its size; unpack it and name the plain file"


def test_a_packed_file_that_is_broken_is_one_line() -> None:
    data = gzip.compress("".join(lines(LOGS[0])).encode())
    for broken in (data[:-9], data[:3000] + b"\x00\xff" * 50 + data[3100:], data[:-4] + b"\x00\x00\x00\x01"):
        problem = read(broken, "request.log.gz").problem
        assert problem.endswith("correct the file")
        assert len(problem.splitlines()) == 1


def test_an_empty_packed_file_is_no_inventory() -> None:
    assert "it is empty" in read_stream("a.gz", "a.gz", io.BytesIO(gzip.compress(b"")), named=True).problem
