"""Incidents of coordinators: unknown API keys, a long offsets topic, and brokers that restart in waves."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.scenarios import default_scenarios, select_scenarios
from probe.engines.kafka.faults import coordinator_restarts, filler_commits, unknown_api_keys
from probe.engines.kafka.ports import FaultTarget
from probe.model import Engine, Role
from probe.model.endpoint import Endpoint
from probe.scenarios.steps.coordinators import FillOffsets, RestartBrokers, SendUnknownKeys
from tests.support.scripted_kafka import OLD, Cluster, played, subject

RESTARTS = ("incident/coordinators-restart", "incident/coordinators-restart/two-at-most", "incident/offsets-deleted")
ORDER = {"terminate", "start"}
KEY = 99
BURST, SLEEP = unknown_api_keys._burst, asyncio.sleep
"""The originals, before a fixture replaces them."""


@pytest.fixture(autouse=True)
def filled(no_waiting: None, monkeypatch: pytest.MonkeyPatch) -> list[dict[int, int]]:
    """Replace the writer; return the list of requested entry counts by partition."""
    written: list[dict[int, int]] = []
    monkeypatch.setattr(filler_commits, "_write", lambda _, counts: written.append(dict(counts)))
    return written


@pytest.fixture
def offsets(tmp_path: Path) -> Path:
    """Create an offsets topic on every broker: two closed segments and the active one."""
    for node in (1, 2, 3):
        folder = tmp_path / f"b{node}" / "d1" / "__consumer_offsets-0"
        folder.mkdir(parents=True)
        for first in (0, 500, 1000):
            for kind in ("log", "index"):
                (folder / f"{first:020d}.{kind}").write_bytes(b"x" * 260)
    return tmp_path


def read(data: bytes) -> Iterator[bytes]:
    """Yield the frames of a byte stream."""
    while data:
        (size,) = struct.unpack_from(">i", data)
        yield data[4 : 4 + size]
        data = data[4 + size :]


def test_unknown_keys_are_frames_with_a_header_and_no_body() -> None:
    found = list(read(unknown_api_keys.frames(18, 3)))
    assert [struct.unpack_from(">hhi", frame) for frame in found] == [(18, 0, 1), (18, 0, 2), (18, 0, 3)]
    assert {frame[10:].decode() for frame in found} == {unknown_api_keys.SENDER}
    assert all(struct.unpack_from(">h", frame, 8) == (len(unknown_api_keys.SENDER),) for frame in found)


class Older:
    """A broker that takes a while for an unknown key, and does not answer the monitor after a burst, like Kafka 0.9."""

    def __init__(self, taking_s: float = 0.0) -> None:
        self.received: list[int] = []
        self._taking_s, self._loses = taking_s, False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        keys: list[int] = []
        with contextlib.closing(writer), contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while size := struct.unpack(">i", await reader.readexactly(4))[0]:
                frame = await reader.readexactly(size)
                keys.append(*struct.unpack_from(">h", frame))
                if keys[-1] == KEY:
                    self.received.append(KEY)
                    self._loses = True
                    await SLEEP(self._taking_s)
                elif keys == keys[-1:] and self._loses:  # the monitor connects anew for each question
                    self._loses = False
                else:
                    writer.write(struct.pack(">iiii", 12, *struct.unpack_from(">i", frame, 4), 0, 0))


def bursts(broker: Older, step: SendUnknownKeys, tmp_path: Path) -> list[str]:
    """Send the bursts to this broker and return the events."""

    async def run() -> list[str]:
        async with await asyncio.start_server(broker.serve, "127.0.0.1", 0) as server:
            cluster: Any = Cluster(tmp_path)
            host, port = server.sockets[0].getsockname()
            cluster.brokers[OLD].internal = Endpoint(host=host, port=port)
            cluster.emit = lambda kind, *, broker, text="": cluster.told.append(f"{kind} {broker} {text}".strip())
            target = FaultTarget(cluster=cluster, subjects=[subject()], election_ms=0, steps=(step,))
            await unknown_api_keys.send(step, target)
            await asyncio.gather(*cluster.tasks)
            return list(cluster.told)

    return asyncio.run(run())


@pytest.fixture
def real_bursts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unknown_api_keys, "_burst", BURST)
    monkeypatch.setattr(unknown_api_keys, "MONITOR_S", 0.1)
    monkeypatch.setattr(asyncio, "sleep", SLEEP)
    monkeypatch.setattr(unknown_api_keys, "LOOK_S", 0.02)
    monkeypatch.setattr(unknown_api_keys, "AFTERWARDS_S", 0.3)


@pytest.mark.usefixtures("real_bursts")
class TestUnknownKeys:
    def test_the_monitor_reports_changes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(unknown_api_keys, "AFTERWARDS_S", 2.0)
        monkeypatch.setattr(unknown_api_keys, "MONITOR_S", 0.4)
        events = bursts(Older(), SendUnknownKeys(key=KEY, lasts_ms=1, every_ms=400, until_ms=0), tmp_path)
        found = [line.removeprefix(f"note {OLD} ") for line in events if " it sent " not in line]
        burst, gone = f"a newer client sends requests with API key {KEY}", "the newer client is gone"
        assert found[:2] == [f"fault_on {OLD}", burst]
        assert [text for text in found[2:] if text != gone] == [
            "a monitor has no answer for 0 s",
            "a monitor is answered again",
        ]
        assert gone in found

    def test_bursts_are_periodic(self, tmp_path: Path) -> None:
        events = bursts(Older(), SendUnknownKeys(key=KEY, lasts_ms=1, every_ms=100, until_ms=250), tmp_path)
        assert sum("a newer client sends" in line for line in events) == 3

    @pytest.mark.parametrize("taking_s", [0.0, 0.002])
    def test_a_burst_is_as_long_on_a_fast_broker_as_on_a_slow_one(self, taking_s: float, tmp_path: Path) -> None:
        broker = Older(taking_s)
        events = bursts(broker, SendUnknownKeys(key=KEY, lasts_ms=150, every_ms=400, until_ms=0), tmp_path)
        (text,) = (line for line in events if " it sent " in line)
        words = text.split()
        assert int(words[words.index("sent") + 1]) == len(broker.received)
        assert int(words[words.index("in") + 1]) >= 150
        assert len(broker.received) > unknown_api_keys.PART or taking_s

    def test_a_burst_ends_if_its_own_answer_is_lost(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(unknown_api_keys, "BURST_S", 0.2)
        broker = Older(taking_s=1.0)
        events = bursts(broker, SendUnknownKeys(key=KEY, lasts_ms=50, every_ms=400, until_ms=0), tmp_path)
        assert sum(" it sent " in line for line in events) == 1


class TestRestarts:
    def test_all_brokers_restart_at_the_same_time(self, tmp_path: Path) -> None:
        calls = [line for line in played(RESTARTS[0], tmp_path, Role.GROUP) if line.split()[0] in ORDER]
        assert sorted(calls[:3]) == ["terminate 1", "terminate 2", "terminate 3"]
        assert sorted(calls[3:]) == ["start 1", "start 2", "start 3"]

    def test_at_most_two_brokers_restart_at_the_same_time(self, tmp_path: Path) -> None:
        calls = [line for line in played(RESTARTS[1], tmp_path, Role.GROUP) if line.split()[0] in {*ORDER, "in_sync"}]
        calls = calls[calls.index("terminate 2") :]
        assert sorted(calls[:2]) == ["terminate 1", "terminate 2"]
        assert sorted(calls[2:4]) == ["start 1", "start 2"]
        assert calls[4:] == ["in_sync", "terminate 3", "start 3"]

    def test_closed_offset_segments_are_slow_until_the_revert(self, offsets: Path) -> None:
        calls = played(RESTARTS[0], offsets, Role.GROUP)
        (step,) = (
            one for one in select_scenarios([RESTARTS[0]])[0].variants[0].steps if isinstance(one, RestartBrokers)
        )
        slow = [f"slow_reads 2 {first:020d}.log {step.offsets_read_ms}" for first in (0, 500)]
        assert [line for line in calls if line.startswith("slow_reads 2")] == slow
        assert max(map(calls.index, slow)) < calls.index("start 2")
        reverted = played(RESTARTS[0], offsets, Role.GROUP, undone=True)
        assert {f"mend_dir {node} __consumer_offsets-0" for node in (1, 2, 3)} <= set(reverted)

    def test_segments_are_deleted_while_the_broker_is_down(self, offsets: Path) -> None:
        calls = played(RESTARTS[2], offsets, Role.GROUP)
        assert not list(offsets.rglob("*.log")) + list(offsets.rglob("*.index"))
        assert not any(line.startswith("slow_reads") for line in calls)
        assert calls.index("stopped 2") < len(calls) - 1 - calls[::-1].index("note 2") < calls.index("start 2")

    def test_other_scenarios_delete_no_segments(self, offsets: Path) -> None:
        played(RESTARTS[0], offsets, Role.GROUP)
        assert len(list(offsets.rglob("*.log"))) == 9


class TestFilling:
    def test_only_missing_entries_are_written(self, offsets: Path, filled: list[dict[int, int]]) -> None:
        async def fill() -> None:
            cluster: Any = Cluster(offsets)
            cluster.version = "0.9.0.1"
            target = FaultTarget(cluster=cluster, subjects=[subject(Role.GROUP)], election_ms=0)
            await filler_commits.fill(FillOffsets(entries=50), target)

        asyncio.run(fill())
        (counts,) = filled
        assert set(counts) == {0, 1, 2}
        assert counts[1] == counts[2] == 50
        assert 35 < counts[0] < 50  # 780 bytes exist already

    def test_entries_have_the_format_of_kafkas_commits(self) -> None:
        assert filler_commits._key("g", 7) == b"\0\1" + b"\0\1g" + b"\0\7ballast" + b"\0\0\0\7"
        assert struct.unpack(">hqhqq", filler_commits._value(3, 1000)) == (1, 3, 0, 1000, 1000 + filler_commits.DAY_MS)


def test_the_newest_segment_is_never_slow(tmp_path: Path) -> None:
    for first in (1000, 0, 500):
        (tmp_path / f"{first:020d}.log").touch()
    assert [path.stem.lstrip("0") for path in coordinator_restarts.closed(tmp_path)] == ["", "500"]


@pytest.mark.parametrize("name", ["incident/unknown-api-key", *RESTARTS])
def test_incidents_run_on_real_brokers_and_only_on_request(name: str) -> None:
    item = default_scenarios()[name]
    assert item.engines == (Engine.KAFKA,)
    assert item.asked
    assert item not in select_scenarios(["*"])
    assert item in select_scenarios(["incident/*"])
