"""Requests of clients in the request logs of real brokers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from probe.engines.kafka.cluster.java_command import write_logging
from probe.engines.kafka.cluster.request_counts import FILE, RequestCounts, counted
from probe.errors import EngineError
from probe.protocol.apis import METADATA, PRODUCE
from probe.protocol.log_requests import MARK


def line(client: str, api: int, listener: str = "EXT", corr: int = 1) -> str:
    """Return a line in the form of Kafka 2.8 and later."""
    header = {"clientId": client, "correlationId": corr, "requestApiKey": api, "requestApiVersion": 9}
    software = {"softwareName": "unknown", "softwareVersion": "unknown"}
    values = {
        "isForwarded": False, "requestHeader": header, "request": {"topics": []}, "response": {"topics": []},
        "connection": "127.0.0.1:15000-127.0.0.1:40000-0", "totalTimeMs": 0.8, "listener": listener,
        "clientInformation": software,
    }  # fmt: skip
    return f"{MARK}{json.dumps(values, separators=(',', ':'))}"


def followed(root: Path, nodes: Sequence[int] = (1, 2)) -> RequestCounts:
    counts = RequestCounts()
    for node in nodes:
        folder = root / f"broker-{node}"
        folder.mkdir()
        write_logging(folder)
        broker: Any = SimpleNamespace(node=node, folder=folder)
        counts.follow(broker)
    return counts


def add(root: Path, node: int, text: str) -> None:
    with (root / f"broker-{node}" / FILE).open("a") as file:
        file.write(text)


def so_far(counts: RequestCounts) -> dict[tuple[str, int, int], int]:
    return dict(asyncio.run(counts.so_far()))


def test_requests_are_those_of_clients_only(tmp_path: Path) -> None:
    counts = followed(tmp_path)
    add(tmp_path, 1, f"{line('a-0001', METADATA)}\n{line('a-0001', METADATA)}\n{line('a-0002', PRODUCE)}\n")
    add(tmp_path, 2, f"{line('a-0001', METADATA)}\n{line('broker-1', METADATA, 'INT')}\n{line('', METADATA, 'INT')}\n")
    assert so_far(counts) == {("a-0001", 1, METADATA): 2, ("a-0002", 1, PRODUCE): 1, ("a-0001", 2, METADATA): 1}


def test_a_log_is_read_on_and_a_line_counts_once_it_is_whole(tmp_path: Path) -> None:
    counts, text = followed(tmp_path), line("a", METADATA)
    assert so_far(counts) == {}
    add(tmp_path, 1, f"{text}\n{text[:40]}")
    assert so_far(counts) == {("a", 1, METADATA): 1}
    add(tmp_path, 1, f"{text[40:]}\n")
    assert so_far(counts) == so_far(counts) == {("a", 1, METADATA): 2}


@pytest.mark.parametrize("written", [10, 40, 200])
def test_the_next_process_of_a_killed_broker_continues_its_last_line(written: int) -> None:
    assert counted(1, [line("a", PRODUCE)[:written] + line("b", METADATA)]) == {("b", 1, METADATA): 1}


@pytest.mark.parametrize("broken", ['{"requestHeader":{}', '{"requestHeader":{"requestApiKey":"x"}}', "{"])
def test_a_broken_line_is_an_error_of_the_engine(broken: str) -> None:
    with pytest.raises(EngineError, match="broker 3's request log"):
        counted(3, [f'{MARK}{broken} "listener":"EXT"'])


def test_lines_of_something_else_count_nothing() -> None:
    assert counted(1, ["", "INFO started", 'INFO "listener":"EXT"', line("a", METADATA, "CTL")]) == {}


def test_without_a_log_nothing_can_be_counted() -> None:
    with pytest.raises(EngineError, match="do not count"):
        asyncio.run(RequestCounts().so_far())


def test_both_kinds_of_logging_write_to_the_file(tmp_path: Path) -> None:
    followed(tmp_path, [1])
    folder = tmp_path / "broker-1"
    for name in ("log4j.properties", "log4j2.properties"):
        text = (folder / name).read_text()
        assert str(folder / FILE) in text
        assert "%m%n" in text
        assert "%%" not in text
