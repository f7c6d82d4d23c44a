"""A supervisor that stops and starts a broker which hangs or recovers slowly: the signals and their order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from probe.engines.kafka.admin.read_back import Brokers
from probe.engines.kafka.faults import filler_partitions, port_mirror, supervisor, zookeeper_loss
from probe.engines.kafka.ports import FaultTarget
from probe.errors import EngineError
from probe.model import EngineKind, Subject
from probe.model.endpoint import Endpoint
from probe.scenarios.incident_zookeeper_gone import MITIGATIONS, SCENARIO, VARIANTS
from probe.scenarios.steps.real_brokers import LoseZooKeeper, ManyLogs, Supervise
from tests.support import virtual_time

OLD = 1
STEP = Supervise(after_ms=0, grace_ms=500, check_ms=500, read_ms=3)
STARTS, LIMIT_S = 3, 20.0


class Server:
    """A ZooKeeper server."""

    paused = False

    def pause(self) -> None:
        self.paused = True

    def resume(self) -> None:
        self.paused = False


class Broker:
    """A broker that ends `ends_s` after SIGTERM and listens `listens_s` after every start; the last value repeats."""

    name, internal = "broker 1", Endpoint(host="127.0.0.1", port=1)
    exit_code: int | None = None

    def __init__(self, calls: list[str], root: Path, *, ends_s: float | None, listens_s: list[float | None]) -> None:
        self.calls, self.ends_s, self.listens_s = calls, ends_s, listens_s
        self.log_dirs = (root / "d0", root / "d1")
        self.pid: int | None = 100
        self.paused = False
        self.began = time.monotonic()
        self.first = True
        self.gone = asyncio.Event()

    def listens(self) -> bool:
        after = 0.0 if self.first else self.listens_s[0]
        return self.pid is not None and after is not None and time.monotonic() - self.began >= after

    def terminate(self) -> None:
        self.calls.append("SIGTERM")
        ends_s = self.ends_s if self.first else 0.0
        if ends_s is not None:
            asyncio.get_running_loop().call_later(ends_s, self._gone, 143)

    def kill(self) -> None:
        self.calls.append("SIGKILL")
        self._gone(-9)

    def _gone(self, code: int) -> None:
        self.pid, self.exit_code = None, code
        self.gone.set()

    async def start(self) -> None:
        self.calls.append("start")
        if not self.first and len(self.listens_s) > 1:
            del self.listens_s[0]
        self.pid, self.exit_code, self.began, self.first = 100, None, time.monotonic(), False
        self.gone.clear()

    async def ready(self, deadline_s: float) -> None:
        assert self.listens()

    async def ended(self, deadline_s: float) -> int:
        await asyncio.wait_for(self.gone.wait(), deadline_s)
        assert self.exit_code is not None
        return self.exit_code


class Relay:
    def __init__(self, calls: list[str]) -> None:
        self.calls = calls

    def refuse(self, node: int) -> None:
        self.calls.append("refuse")

    def accept(self, node: int) -> None:
        self.calls.append("accept")

    async def cut(self, node: int) -> int:
        self.calls.append("cut")
        return 0


class Disk:
    def __init__(self, calls: list[str]) -> None:
        self.calls = calls

    async def slow_reads(self, broker: Broker, path: Path, delay_ms: int) -> None:
        self.calls.append(f"slow {path.name} {delay_ms}")

    async def mend_dir(self, broker: Broker, path: Path) -> None:
        self.calls.append(f"mend {path.name}")


class Cluster:
    line, version, kraft = "2.6", "2.6.2", False

    def __init__(self, root: Path, **broker: Any) -> None:
        self.calls: list[str] = []
        self.notes: list[str] = []
        self.brokers = {OLD: Broker(self.calls, root, **broker)}
        self.ensemble = [Server()]
        self.relay, self.disk = Relay(self.calls), Disk(self.calls)
        self.tasks: list[asyncio.Task[None]] = []

    def emit(self, kind: EngineKind, *, broker: int = -1, text: str = "") -> None:
        if kind is EngineKind.NOTE:
            self.notes.append(text)
        else:
            self.calls.append(f"{kind}")

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.ensure_future(work))


@pytest.fixture(autouse=True)
def no_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    async def listens(broker: Broker) -> bool:
        return broker.listens()

    monkeypatch.setattr(port_mirror, "listens", listens)
    monkeypatch.setattr(supervisor, "RETRY_S", 0.0)


def scene_of(cluster: Any) -> FaultTarget:
    subject = Subject(topic="t", affected=0, bystander=1, instance="me", client_id="me", group="", old=OLD)
    return FaultTarget(cluster=cluster, subjects=[subject], election_ms=0)


def supervised(cluster: Cluster, *, zookeeper_ms: int = 0) -> list[str]:
    """Run the supervisor until the broker serves or was stopped after its last start; return the calls."""

    async def story() -> None:
        target = scene_of(cluster)
        end = time.monotonic() + LIMIT_S
        await supervisor.supervise(STEP, target)
        if zookeeper_ms:
            await zookeeper_loss.lose(LoseZooKeeper(for_ms=zookeeper_ms), target)
        while not all(task.done() for task in cluster.tasks) and cluster.calls.count("stopped") <= STARTS:
            assert time.monotonic() < end, cluster.calls
            await asyncio.sleep(0.02)
        for task in cluster.tasks:
            if not task.done():
                task.cancel()
            else:
                task.result()

    virtual_time.run(story())
    return cluster.calls


class TestTheSupervisor:
    def test_a_broker_that_ends_in_time_is_not_killed(self, tmp_path: Path) -> None:
        calls = supervised(Cluster(tmp_path, ends_s=0.02, listens_s=[0.02]))
        assert calls == [
            "SIGTERM",
            "refuse",
            "stopped",
            "cut",
            "slow d0 3",
            "start",
            "accept",
            "mend d0",
            "returned",
        ]

    def test_a_hung_broker_is_killed_after_the_grace_period(self, tmp_path: Path) -> None:
        calls = supervised(Cluster(tmp_path, ends_s=None, listens_s=[0.02]))
        assert calls[:5] == ["SIGTERM", "refuse", "SIGKILL", "stopped", "cut"]
        assert calls[-1] == "returned"

    def test_a_broker_with_a_long_recovery_is_stopped_repeatedly(self, tmp_path: Path) -> None:
        cluster = Cluster(tmp_path, ends_s=None, listens_s=[None])
        calls = supervised(cluster)
        assert calls.count("start") >= STARTS
        assert calls.count("SIGTERM") > STARTS
        assert "returned" not in calls
        assert "it does not listen 0.5 s after start 1: the check failed" in cluster.notes

    def test_the_loop_ends_with_the_first_start_in_time(self, tmp_path: Path) -> None:
        calls = supervised(Cluster(tmp_path, ends_s=None, listens_s=[None, 0.02]))
        assert [calls.count(word) for word in ("start", "SIGKILL", "returned")] == [2, 1, 1]

    def test_no_broker_is_started_while_zookeeper_is_silent(self, tmp_path: Path) -> None:
        cluster = Cluster(tmp_path, ends_s=0.0, listens_s=[0.0])
        supervised(cluster, zookeeper_ms=300)
        started = next(place for place, note in enumerate(cluster.notes) if note.startswith("start 1"))
        assert cluster.notes.index("ZooKeeper answers again") < started

    def test_a_stopped_broker_is_unhealthy_until_it_serves(self, tmp_path: Path) -> None:
        async def story(cluster: Any) -> tuple[set[int], set[int]]:
            target = scene_of(cluster)
            await supervisor.stop(STEP, target)
            return target.unhealthy, target.leaving

        assert virtual_time.run(story(Cluster(tmp_path, ends_s=None, listens_s=[None]))) == ({OLD}, set())


def test_zookeeper_is_silent_for_a_time_or_until_the_revert(tmp_path: Path) -> None:
    async def story(cluster: Any) -> list[bool]:
        target, seen = scene_of(cluster), []
        for for_ms in (50, 60_000):
            step = LoseZooKeeper(for_ms=for_ms)
            await zookeeper_loss.lose(step, target)
            seen.append(cluster.ensemble[0].paused)
            await asyncio.sleep(0.2)
            seen.append(cluster.ensemble[0].paused)
            await zookeeper_loss.found(step, target)
            seen.append(cluster.ensemble[0].paused)
        cluster.tasks[-1].cancel()
        return seen

    found = virtual_time.run(story(Cluster(tmp_path, ends_s=0, listens_s=[0])))
    assert found == [True, False, False, True, True, False]


def test_losing_zookeeper_needs_zookeeper(tmp_path: Path) -> None:
    cluster: Any = Cluster(tmp_path, ends_s=0, listens_s=[0])
    cluster.kraft = True
    with pytest.raises(EngineError, match="without ZooKeeper"):
        virtual_time.run(zookeeper_loss.lose(LoseZooKeeper(for_ms=1), scene_of(cluster)))


class TestManyLogs:
    def test_every_batch_is_flushed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        written: list[int | None] = []

        class Producer:
            def __init__(self, _: object) -> None:
                pass

            def produce(self, topic: str, *, value: bytes, partition: int) -> None:
                assert topic == filler_partitions.TOPIC
                written.append(partition)

            def flush(self, _: float) -> int:
                written.append(None)
                return 0

        library = type("Library", (), {"Producer": Producer})
        monkeypatch.setattr(filler_partitions, "load_library", lambda: library)
        filler_partitions.write(
            Brokers([Endpoint(host="127.0.0.1", port=1)], "2.6.2"), ManyLogs(partitions=2, batches=3)
        )
        assert written == [0, 1, None] * 3

    def test_unwritten_records_are_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Producer:
            def __init__(self, _: object) -> None:
                pass

            def produce(self, *_: object, **__: object) -> None:
                pass

            def flush(self, _: float) -> int:
                return 7

        monkeypatch.setattr(filler_partitions, "load_library", lambda: type("Library", (), {"Producer": Producer}))
        with pytest.raises(TimeoutError, match="7 records"):
            filler_partitions.write(
                Brokers([Endpoint(host="127.0.0.1", port=1)], "2.6.2"), ManyLogs(partitions=2, batches=3)
            )


def test_every_mitigation_changes_one_setting_only() -> None:
    plain = SCENARIO.variants[0]
    (usual,) = (step for step in plain.steps if isinstance(step, Supervise))
    for variant, mitigation in zip(VARIANTS, MITIGATIONS.values(), strict=True):
        part = variant.variants[0]
        (step,) = (step for step in part.steps if isinstance(step, Supervise))
        changed = [step.grace_ms != usual.grace_ms, step.check_ms != usual.check_ms, part.cluster != plain.cluster]
        assert changed.count(True) == 1, variant.name
        assert part.cluster.properties == mitigation.properties
        assert variant.asked
