"""A cluster: three brokers with two log dirs each, their controller or ZooKeeper, and the relay in front of them."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from typing import Any

from probe.access import Access, secure_relay
from probe.engines.kafka.admin.admin import KafkaAdmin
from probe.engines.kafka.admin.history import HistoryMaker, other_topics
from probe.engines.kafka.admin.scram_users import scram_users
from probe.engines.kafka.cluster import broker_log, data_folders, listener_security, nodes, properties
from probe.engines.kafka.cluster.event_router import EventRouter
from probe.engines.kafka.cluster.nodes import Broker
from probe.engines.kafka.cluster.release import Release
from probe.engines.kafka.cluster.request_counts import RequestCounts
from probe.engines.kafka.cluster.server import Server
from probe.engines.kafka.cluster.workspace import quick_folder
from probe.engines.kafka.deadlines import STARTED_S, started
from probe.engines.kafka.internal_topics import internal_topics
from probe.engines.kafka.ports import DiskWay, Replicas
from probe.engines.kafka.zookeeper.admin import ZooKeeper
from probe.engines.kafka.zookeeper.ensemble import QuorumProxies
from probe.errors import EngineError, ExhaustedError, HarnessError
from probe.model import EngineEvent, EngineKind
from probe.model.clock import now_us
from probe.model.cluster import Nodes
from probe.ports import OpenRelay, RelayPort
from probe.processes.resources import exhaustion
from probe.processes.temporary_folders import temporary_folder
from probe.scenarios.cluster_spec import DEFAULT_CLUSTER, ClusterSpec

POLL_S = 0.1
IDLE_S = 5.0
RETRY_S = 1.0
STOP_S = 30.0
Listener = Callable[[EngineEvent], None]


class KafkaCluster:
    """A running cluster; implements `probe.engines.kafka.ports.RealCluster`."""

    def __init__(
        self,
        release: Release,
        relay: RelayPort,
        disk: DiskWay,
        router: EventRouter,
        spec: ClusterSpec = DEFAULT_CLUSTER,
        access: Access | None = None,
    ) -> None:
        self.release, self.line, self.version, self.kraft = release, release.line, release.version, release.kraft
        self.relay, self.disk, self.router, self.spec, self.access = relay, disk, router, spec, access
        self.nodes: Nodes = nodes.NODES
        self.brokers: dict[int, Broker] = {}
        self.ensemble: list[Server] = []
        self.quorum_proxies = QuorumProxies()
        self.admin: KafkaAdmin
        self.history: HistoryMaker
        self.request_counts = RequestCounts()
        self.listeners: list[Listener] = []
        """Receivers of the cluster's events: the cohort that leases it."""
        self._gained: set[int] = set()
        """Brokers that got replicas and have not reported their log dirs to the controller."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._ended_at = 0  # the last spawned work
        self.failures: list[str] = []
        """Errors of spawned work."""
        self.exhausted: ExhaustedError | None = None
        """The first error of spawned work by which this machine lacked a resource."""
        self._deduplicator = broker_log.LineDeduplicator()

    def emit(
        self,
        kind: EngineKind,
        *,
        broker: int = -1,
        text: str = "",
        topic: str = "",
        partition: int = -1,
        at: int | None = None,
    ) -> None:
        """Emit an event to all members of the cohort; `at` in microseconds, None = now."""
        moment = now_us() if at is None else at
        event = EngineEvent(at=moment, kind=kind, broker=broker, topic=topic, partition=partition, text=text)
        for listener in list(self.listeners):
            listener(event)

    def on_line(self, node: int, at: int, line: str, who: str = "") -> None:
        """Take a line of a server's log; `who` names the server where `node` does not."""
        if listener_security.is_of_clients(line):
            self.relay.passage.logged(line, at)
        text = broker_log.is_event(line)
        if text and not self._deduplicator.is_one(node, at, text):
            self.emit(EngineKind.LOG, broker=node, text=f"{who}: {text}" if who else text, at=at)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run later work of a fault in a task."""
        task = asyncio.get_running_loop().create_task(self._spawned(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _spawned(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (OSError, HarnessError) as error:
            self.exhausted = self.exhausted or exhaustion(error)
            self.failures.append(str(error) or type(error).__name__)
        finally:
            self._ended_at = now_us()

    @property
    def idle_since(self) -> int | None:
        """When the last spawned work ended, in microseconds, 0 without any; None while some is to be done."""
        return None if self._tasks else self._ended_at

    async def wait_until_idle(self) -> None:
        """Cancel spawned work, and wait for its end."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=IDLE_S)

    async def start_broker(self, node: int, deadline_s: float = 60.0) -> None:
        """Start a broker that is down; return when it serves and the others list it."""
        broker = self.brokers[node]
        async with asyncio.timeout(deadline_s):
            while True:
                await broker.start()
                try:
                    await broker.ready(deadline_s)
                    break
                except TimeoutError:
                    raise
                except EngineError:  # it ended because ZooKeeper still has the session of its previous process
                    await asyncio.sleep(RETRY_S)
            await self._listed({node})

    async def in_sync(self, topics: Sequence[str], deadline_s: float = 60.0) -> None:
        """Wait until all replicas of these topics on running brokers are in sync."""
        end = time.monotonic() + deadline_s
        while True:
            running = {node for node, broker in self.brokers.items() if broker.pid is not None}
            seen = await self.admin.placements(topics)
            late = [key for key, one in seen.items() if (set(one.replicas) & running) - set(one.in_sync)]
            if not late:
                return
            if time.monotonic() > end:
                raise TimeoutError(f"not in sync within {deadline_s:.0f} s: {late[0][0]}-{late[0][1]}")
            await asyncio.sleep(POLL_S)

    async def start(self) -> None:
        """Start all servers. EngineError or OSError with the last lines of a server that does not start."""
        await self._serve()
        async with started("internal topics and a history were not made"):
            await self._make_internal_topics()
            await self._make_history()

    async def _serve(self) -> None:
        """Start all servers, and wait until every broker lists all of them."""
        servers: list[Server] = [*self.ensemble, *self.brokers.values()]
        for server in servers:
            if isinstance(server, Broker):
                server.environment.update(await asyncio.to_thread(self.disk.environment, server.folder))
            await server.start()
        end = time.monotonic() + STARTED_S
        for server in servers:
            await server.ready(end - time.monotonic())
        async with started("brokers did not list each other"):
            await self._listed(set(self.nodes))
            await self.admin.set_scram_users(scram_users(self.access))

    async def replace(self, topics: Mapping[str, Replicas], partitions: tuple[int, int]) -> None:
        """Kill all servers, and start another cluster at their addresses, with other topics of these names.

        Its topics have old records, and as many elections of these two partitions as any. The two clusters never run at
        once, so they need the memory of one. EngineError or OSError.
        """
        await self._kill()
        identity = properties.new_id()
        for server in (*self.ensemble, *self.brokers.values()):
            data_folders.put_aside(server.folder)
        data_folders.make_controller(self.release, self.ensemble[0].folder, identity)
        for node, broker in self.brokers.items():
            data_folders.make_broker(broker.folder, identity, node, kraft=self.kraft)
        await self._serve()
        async with started("internal topics and a history were not made"):
            await self._make_internal_topics()
            await self.admin.create_topics(topics)
            elections = dict(zip(partitions, self.history.plan.elections, strict=True))
            await HistoryMaker(self.version, self.nodes, self.brokers, self.admin).of_topics(topics, elections)

    async def restore(self) -> None:
        """End the cluster that replaced this one, and start this one again. EngineError or OSError."""
        await self._kill()
        for server in (*self.ensemble, *self.brokers.values()):
            data_folders.take_back(server.folder)
        await self._serve()

    async def _kill(self) -> None:
        for server in (*self.brokers.values(), *self.ensemble):
            server.kill()
            await server.ended(STOP_S)

    async def _listed(self, wanted: set[int]) -> None:
        """Wait until every running broker lists these brokers."""
        for node, broker in self.brokers.items():
            while broker.pid is not None and not broker.paused:
                with contextlib.suppress(OSError, EngineError):
                    if wanted <= (await self.admin.brokers(at=node)).keys():
                        break
                await asyncio.sleep(POLL_S)

    async def _make_internal_topics(self) -> None:
        """Create internal topics with set leaders, in the log dirs of bystanders."""
        for topic, config in internal_topics(self.version).items():
            partitions = [(topic, partition) for partition in range(properties.INTERNAL_PARTITIONS)]
            await self._prefer_bystander_dir(partitions)
            replicas = {partition: self._led_in_turn(partition) for _, partition in partitions}
            await self.admin.create_topic(topic, replicas, config)

    async def _make_history(self) -> None:
        """Change the controller once, and create the other topics in the log dirs of bystanders."""
        await self._change_controller()
        topics = other_topics(self.history.plan.topics, self.nodes)
        await self._prefer_bystander_dir([(topic, number) for topic, found in topics.items() for number in found])
        await self.history.of_cluster(controller_changes=1)

    async def _change_controller(self) -> None:
        """Let the active controller lose its office. The only KRaft controller is elected again after a restart."""
        if not self.kraft:
            await self.admin.resign_controller()
            return
        (controller,) = self.ensemble
        controller.terminate()
        await controller.ended(STOP_S)
        await controller.start()
        await controller.ready(STARTED_S)

    async def give_back(self, wanted: Mapping[tuple[str, int], Sequence[int]]) -> None:
        """Give internal partitions these replicas, in the log dirs of bystanders. TimeoutError."""
        seen = await self.admin.placements(sorted({topic for topic, _ in wanted}))
        gained = {node for key, to in wanted.items() for node in to if node not in seen[key].replicas}
        await self._prefer_bystander_dir(list(wanted))
        await self.admin.reassign(wanted)
        await self.admin.placed(wanted)
        self._gained |= gained

    async def _prefer_bystander_dir(self, partitions: Sequence[tuple[str, int]]) -> None:
        """Let brokers create replicas in the log dir of bystanders, not in the emptier one (`alterReplicaLogDirs`)."""
        for node, broker in self.brokers.items():
            await self.admin.prefer_log_dir(node, str(broker.log_dirs[1]), partitions)

    async def settle(self) -> None:
        """Bring internal and other topics back to their first state: all replicas in sync, with the first leaders."""
        topics = list(internal_topics(self.version))
        wanted = {
            (topic, partition): self._led_in_turn(partition)
            for topic in topics
            for partition in range(properties.INTERNAL_PARTITIONS)
        }
        if moves := await self.admin.misplaced(wanted):
            await self.give_back(moves)
        others = other_topics(self.history.plan.topics, self.nodes)
        await self.in_sync([*topics, *others])
        if self.kraft:
            await self._emit_log_dirs(topics)
        back = [(topic, number) for topic, found in others.items() for number in found]
        await self.admin.elect_preferred([*wanted, *back])
        await self.admin.settled(wanted)

    async def _emit_log_dirs(self, topics: Sequence[str]) -> None:
        """Restart brokers that got replicas, one after the other, so that they report the log dirs of these.

        A KRaft broker reports the log dir of a replica to the controller (KIP-858) at its start and when the topic is
        created, but not after a reassignment (3.9.2, 4.3.1). Without the report, the failure of that log dir causes no
        election.
        """
        for node in sorted(self._gained):
            broker = self.brokers[node]
            broker.terminate()
            await broker.ended(STOP_S)
            await self.start_broker(node)
            await self.in_sync(topics)
        self._gained.clear()

    def _led_in_turn(self, partition: int) -> tuple[int, ...]:
        """Return the replicas of a partition of an internal topic: all brokers, and leaders in turn."""
        return self.nodes.beginning(self.nodes.at(partition))


@contextlib.asynccontextmanager
async def running(
    release: Release,
    open_relay: OpenRelay,
    disk: DiskWay,
    spec: ClusterSpec = DEFAULT_CLUSTER,
    access: Access | None = None,
) -> AsyncIterator[KafkaCluster]:
    """Start a cluster behind a relay, and end it at exit. EngineError or OSError if it does not start."""
    router = EventRouter()
    async with contextlib.AsyncExitStack() as stack:
        root = await stack.enter_async_context(temporary_folder(quick_folder() if disk.anywhere else None))
        relay = await stack.enter_async_context(open_relay(nodes.NODES.addresses, router.route, {}))
        cluster = KafkaCluster(release, relay, disk, router, spec, access)
        advertised = {node: relay.address(node) for node in cluster.nodes}
        where = nodes.addresses(release.version, advertised, 1 if release.kraft else spec.zookeepers)
        identity = properties.new_id()
        proxies = cluster.quorum_proxies = await stack.enter_async_context(QuorumProxies(where.members).open())
        if where.members:
            cluster.ensemble += nodes.zookeepers(
                release, where, root, proxies, functools.partial(_log_listener, cluster, 0)
            )
        else:
            cluster.ensemble.append(nodes.quorum(release, where, root, identity, _log_listener(cluster, 0)))
        for node in cluster.nodes:
            broker = nodes.broker(release, where, root, identity, node, _log_listener(cluster, node))
            racks = properties.racks(node) if spec.racks else {}
            broker.settings |= {**disk.properties, **racks, **dict(spec.properties)}
            listener_security.secure(broker, access, release.version, own_tls=spec.own_tls)
            if spec.counts_requests:
                cluster.request_counts.follow(broker)
            cluster.brokers[node] = broker
            relay.forward(node, where.external[node])
        secure_relay(relay, access, own_tls=spec.own_tls)
        relay.forward(cluster.nodes.bootstrap, where.external[cluster.nodes.at(0)])
        zookeeper = None if release.kraft else ZooKeeper(where.quorum)
        cluster.admin = KafkaAdmin(release.version, cluster.brokers, zookeeper)
        cluster.history = HistoryMaker(release.version, cluster.nodes, cluster.brokers, cluster.admin)
        try:
            await cluster.start()
            yield cluster
        finally:
            await asyncio.shield(_end(cluster))


def _log_listener(cluster: KafkaCluster, node: int, who: str = "") -> Callable[[int, str], None]:
    return lambda at, line: cluster.on_line(node, at, line, who)


async def _end(cluster: KafkaCluster) -> None:
    await cluster.wait_until_idle()
    servers: list[Server] = [*cluster.brokers.values(), *cluster.ensemble]
    await asyncio.gather(*(server.close() for server in servers), return_exceptions=True)
