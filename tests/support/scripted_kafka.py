"""A Kafka cluster for tests of fault actions: it records the requests that it gets, and does nothing else."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.scenarios import default_scenarios
from probe.engines.kafka.cluster.nodes import NODES
from probe.engines.kafka.faults import (
    coordinators,
    filler_commits,
    filler_partitions,
    handshakes,
    port_mirror,
    replicas,
    topic_contents,
    transactions,
    unknown_api_keys,
)
from probe.engines.kafka.faults.actions import ACTIONS
from probe.engines.kafka.ports import FaultTarget, Placement
from probe.engines.kafka.zookeeper.ensemble import MemberStatus
from probe.model import Engine, EngineKind, Role, Subject
from probe.model.endpoint import Endpoint
from probe.scenarios.scenario import RoleVariant
from probe.scenarios.steps.step import Step

OLD = 2
KRAFT_MS = 9000


class Broker:
    """A broker that carries out every request immediately."""

    def __init__(self, node: int, told: list[str], root: Path) -> None:
        self.node, self.name, self.told = node, f"broker {node}", told
        self.pid: int | None = 100 + node
        self.paused = False
        self.exit_code: int | None = None
        self.internal = self.external = Endpoint(host="127.0.0.1", port=1)
        self.folder = root
        self.log_dirs = (root / f"b{node}" / "d0", root / f"b{node}" / "d1")
        self.settings = {"advertised.listeners": f"EXT://old:{node}"}

    def terminate(self) -> None:
        self.told.append(f"terminate {self.node}")
        self.pid = None

    def kill(self) -> None:
        self.told.append(f"kill {self.node}")
        self.pid = None

    def pause(self) -> None:
        self.told.append(f"pause {self.node}")
        self.paused = True

    def resume(self) -> None:
        self.paused = False

    async def start(self) -> None:
        self.told.append(f"begin {self.node}")
        self.pid = 200 + self.node

    async def ready(self, deadline_s: float) -> None:
        assert self.pid is not None

    async def ended(self, deadline_s: float) -> int:
        assert self.pid is None
        return 0


class Anything:
    """An object that records its calls."""

    def __init__(self, told: list[str]) -> None:
        self._told = told

    def __getattr__(self, name: str) -> Any:
        def ask(*given: Any, **named: Any) -> Any:
            self._told.append(" ".join([name, *(str(item) for item in (*given, *named.values()))]))

        return ask


class Relay(Anything):
    """A relay that records its calls; only `cut` is a coroutine."""

    async def cut(self, broker: int, client_id: str = "") -> int:
        self._told.append(f"cut {broker}")
        return 1

    def address(self, broker: int) -> str:
        return f"old:{broker}"

    def move(self, broker: int, *, silent: bool = False) -> str:
        return f"new:{broker}"


class Admin:
    """An admin client that carries out every request immediately."""

    def __init__(self, told: list[str]) -> None:
        self.told = told
        self.where: dict[tuple[str, int], Placement] = {}
        self.elected = [1, 1, 3]
        """The controller, and those that the next elections make one."""

    def place(self, topic: str, leaders: Iterable[int]) -> None:
        for number, leader in enumerate(leaders):
            nodes = (leader, *(node for node in (1, 2, 3) if node != leader))
            self.where[topic, number] = Placement(leader, nodes, nodes)

    async def placements(self, topics: Sequence[str], *, at: int | None = None) -> dict[tuple[str, int], Placement]:
        return {key: one for key, one in self.where.items() if key[0] in topics}

    async def controller(self, *, at: int | None = None) -> int:
        return self.elected[0]

    async def resign_controller(self) -> int:
        self.told.append(f"resign {self.elected.pop(0)}")
        return self.elected[0]

    async def reassign(self, moves: Mapping[tuple[str, int], Sequence[int]]) -> None:
        for (topic, number), nodes in moves.items():
            self.told.append(f"reassign {topic}-{number} {tuple(nodes)}")
            leader = self.where[topic, number].leader
            stays = leader if leader in nodes else nodes[0]
            self.where[topic, number] = Placement(stays, tuple(nodes), tuple(nodes))

    async def elect_preferred(self, partitions: Sequence[tuple[str, int]]) -> None:
        self.told.append("elect " + ",".join(f"{topic}-{number}" for topic, number in partitions))

    def __getattr__(self, name: str) -> Any:
        async def ask(*given: Any) -> None:
            self.told.append(" ".join([name, *map(str, given)]))

        return ask


class Disk:
    """Disk faults; a broker halts when its second log dir breaks, and leaves all ISRs when its writes wait."""

    def __init__(self, told: list[str], admin: Admin) -> None:
        self.told, self.admin = told, admin
        self.broken: set[Path] = set()

    async def hold_writes(self, broker: Broker, path: Path) -> None:
        self.told.append(f"hold_writes {broker.node} {path.name}")
        for key, one in self.admin.where.items():
            others = tuple(node for node in one.in_sync if node != broker.node)
            self.admin.where[key] = Placement(one.leader, one.replicas, others)

    async def break_dir(self, broker: Broker, log_dir: Path) -> None:
        self.told.append(f"break_dir {broker.node} {log_dir.name}")
        self.broken.add(log_dir)
        if self.broken >= set(broker.log_dirs):
            broker.pid = None

    def __getattr__(self, name: str) -> Any:
        async def ask(broker: Broker, path: Path, *more: int) -> None:
            self.told.append(" ".join([name, str(broker.node), path.name, *map(str, more)]))

        return ask


class QuorumProxies:
    """Proxies between three ZooKeeper servers: the second leads, and a dropped follower rejoins immediately."""

    def __init__(self, told: list[str]) -> None:
        self.told = told
        self.passed = Counter({1: 1, 3: 1})

    def close_connections(self, source: int, target: int) -> int:
        self.told.append(f"slam {source} {target}")
        self.passed[source] += 1
        return 1

    async def statuses(self) -> dict[int, MemberStatus]:
        return {1: MemberStatus("follower", 1), 2: MemberStatus("leader", 5), 3: MemberStatus("follower", 2)}


class Cluster:
    line, version, kraft, nodes = "3.9", "3.9.2", True, NODES

    def __init__(self, root: Path) -> None:
        self.told: list[str] = []
        self.brokers = {node: Broker(node, self.told, root) for node in (1, 2, 3)}
        self.admin, self.relay = Admin(self.told), Relay(self.told)
        self.disk = Disk(self.told, self.admin)
        self.ensemble, self.quorum_proxies = [Broker(4, self.told, root)], QuorumProxies(self.told)
        self.tasks: list[asyncio.Task[None]] = []
        self.admin.place("t", [OLD, OLD])
        self.admin.place("__consumer_offsets", [1, 2, 3])

    def emit(self, kind: EngineKind, *, broker: int = -1, text: str = "", topic: str = "", partition: int = -1) -> None:
        self.told.append(f"{kind} {broker}")

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.ensure_future(work))

    async def start_broker(self, node: int, deadline_s: float = 60.0) -> None:
        self.told.append(f"start {node}")
        self.brokers[node].pid = 300 + node

    async def give_back(self, wanted: Mapping[tuple[str, int], Sequence[int]]) -> None:
        self.told += [f"give back {topic}-{number} {tuple(nodes)}" for (topic, number), nodes in wanted.items()]

    async def replace(self, topics: Mapping[str, Any], partitions: tuple[int, int]) -> None:
        self.told.append(f"replace {sorted(topics)} {partitions}")

    async def restore(self) -> None:
        self.told.append("restore")

    async def in_sync(self, topics: Sequence[str], deadline_s: float = 60.0) -> None:
        self.told.append("in_sync")


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let brokers listen while they run, and divide every sleep by 1,000."""
    real_sleep = asyncio.sleep

    async def listens(broker: Broker) -> bool:
        return broker.pid is not None

    async def log_ends(_: FaultTarget, placed: Mapping[tuple[str, int], Placement]) -> dict[tuple[str, int], int]:
        return dict.fromkeys(placed, 30)

    async def fill(target: Any, counts: Mapping[tuple[str, int], int], leaders: Mapping[tuple[str, int], int]) -> None:
        told: list[str] = target.cluster.told
        told += [f"fill {key[0]}-{key[1]} {count} at {leaders[key]}" for key, count in counts.items()]

    monkeypatch.setattr(port_mirror, "listens", listens)
    monkeypatch.setattr(replicas, "SETTLES_S", 0.0)
    monkeypatch.setattr(coordinators, "add_filler", lambda *_: real_sleep(0))
    monkeypatch.setattr(filler_partitions, "write", lambda *_: None)
    monkeypatch.setattr(filler_commits, "_write", lambda *_: None)
    monkeypatch.setattr(transactions, "start_again", lambda *_: None)
    monkeypatch.setattr(transactions, "leave", lambda *_: None)
    monkeypatch.setattr(unknown_api_keys, "_burst", lambda *_: real_sleep(0))
    monkeypatch.setattr(handshakes, "_take", lambda *_: real_sleep(0))
    monkeypatch.setattr(topic_contents, "log_ends", log_ends)
    monkeypatch.setattr(topic_contents, "fill", fill)
    monkeypatch.setattr(asyncio, "sleep", lambda seconds: real_sleep(seconds / 1000))


def part(name: str, role: Role = Role.PRODUCER) -> RoleVariant:
    found = default_scenarios()[name].variant(role, Engine.KAFKA)
    assert found is not None
    return found


def subject(role: Role = Role.PRODUCER) -> Subject:
    group = "g1" if role is Role.GROUP else ""
    return Subject(topic="t", affected=0, bystander=1, instance="me", client_id="me", group=group, old=OLD)


def played(name: str, tmp_path: Path, role: Role = Role.PRODUCER, *, undone: bool = False) -> list[str]:
    """Run a scenario on brokers that act immediately; return the calls in order."""

    async def story() -> list[str]:
        cluster: Any = Cluster(tmp_path)
        cluster.kraft = not default_scenarios()[name].real_until  # scenarios of old release lines need ZooKeeper
        found = part(name, role)
        election_ms = KRAFT_MS if found.by_session else found.expectation.election_ms or 0
        scene = FaultTarget(cluster=cluster, subjects=[subject(role)], election_ms=election_ms, steps=found.steps)
        for step in found.steps:
            await ACTIONS[type(step)].inject(step, scene)
        scene.mark_fault_on()
        await asyncio.gather(*cluster.tasks)
        if undone:
            cluster.told.clear()
            for step in reversed(found.steps):
                await ACTIONS[type(step)].revert(step, scene)
        return list(cluster.told)

    return asyncio.run(story())


def inject(step: Step, tmp_path: Path, *, kraft: bool) -> None:
    """Inject one step on brokers that act immediately."""
    cluster: Any = Cluster(tmp_path)
    cluster.kraft = kraft
    scene = FaultTarget(cluster=cluster, subjects=[subject(Role.ADMIN)], election_ms=0, steps=(step,))
    asyncio.run(ACTIONS[type(step)].inject(step, scene))
