"""The kafka engine: starts clusters, leases them to cohorts, reverts their faults and leases them again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from probe.access import Access
from probe.engines.kafka.cluster import class_data_archive
from probe.engines.kafka.cluster.cluster import KafkaCluster, running
from probe.engines.kafka.cluster.release import Release
from probe.engines.kafka.cohort.cohort import Cohort
from probe.engines.kafka.cohort.member import CohortMember
from probe.engines.kafka.deadlines import STARTED_S
from probe.engines.kafka.ports import ActionTable, DiskWay
from probe.errors import EngineError, ExhaustedError, HarnessError
from probe.model.cluster import Nodes
from probe.ports import OpenRelay, RelayPort, Sink
from probe.processes.resources import exhaustion, said_exhaustion, translated
from probe.scenarios.cluster_spec import DEFAULT_CLUSTER, ClusterSpec

MAX_START_ATTEMPTS = 2
"""Maximum number of attempts to start a cluster: a chosen port may be taken before the broker binds it."""
NEXT_START_S = 0.2
"""Time after a cohort by which the runner has requested the next cluster."""
MIN_COHORTS_LEFT = 3
"""Number of remaining cohorts from which another cluster is worth its start."""

Kind = tuple[str, ClusterSpec, Access | None]
"""A release line, a cluster spec, and how clients reach the brokers."""


@dataclass
class Leased:
    """A cluster with the exit stack that ends it."""

    cluster: KafkaCluster
    stack: contextlib.AsyncExitStack
    cohorts: int = 0
    silent: bool = False
    """Its cohort observes a long silence."""


@dataclass
class _Clusters:
    """The clusters of one release line and cluster spec."""

    idle: list[Leased] = field(default_factory=list)
    count: int = 0
    """Number of all clusters, including those that start, are leased, or are being reverted."""
    coming: int = 0
    """Number of clusters that start or are being reverted, and are idle soon."""
    failure: EngineError | ExhaustedError | None = None


class Kafka:
    """A `ports.CohortEngine`. Use it with `async with`, which ends all clusters."""

    def __init__(
        self,
        releases: Mapping[str, Release],
        open_relay: OpenRelay,
        disk: DiskWay,
        actions: ActionTable,
        *,
        clusters: int = 1,
        in_silence: int = 0,
    ) -> None:
        """Create the engine; `releases` by release line.

        At most `clusters` run at once, in addition to `in_silence` ones whose cohorts observe a long silence.
        """
        self.releases, self._open_relay, self._disk, self._actions = releases, open_relay, disk, actions
        self.at_once, self.in_silence = clusters, in_silence
        self._reset()

    def _reset(self) -> None:
        self._ready: dict[str, Release] = {}
        self._kinds: dict[Kind, _Clusters] = {}
        self._playing: Kind | None = None
        self._all: list[Leased] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Condition()

    async def __aenter__(self) -> Kafka:
        self._reset()  # the condition belongs to the present event loop
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(self._close(leased) for leased in list(self._all)), return_exceptions=True)

    @contextlib.asynccontextmanager
    async def cluster(
        self, broker: str, sink: Sink, access: Access | None = None
    ) -> AsyncIterator[tuple[CohortMember, CohortMember]]:
        """Return a member of a cohort of its own, for one trial."""
        async with self.cohort(broker, 1, access=access) as (member,), member.cluster(broker, sink, access) as found:
            yield found

    @contextlib.asynccontextmanager
    async def counted_cluster(self, broker: str, sink: Sink) -> AsyncIterator[tuple[CohortMember, CohortMember]]:
        """Return a member of a cohort of its own, whose brokers log each request (docs/cost.md#on-real-brokers)."""
        spec = ClusterSpec(counts_requests=True)
        async with self.cohort(broker, 1, spec=spec) as (member,), member.cluster(broker, sink) as found:
            yield found

    @contextlib.asynccontextmanager
    async def cohort(
        self,
        broker: str,
        size: int,
        to_come: int = 0,
        spec: ClusterSpec = DEFAULT_CLUSTER,
        *,
        access: Access | None = None,
        silent: bool = False,
        before_fault: Callable[[], None] = lambda: None,
    ) -> AsyncIterator[Sequence[CohortMember]]:
        """Lease a cluster of a release line and spec to a cohort of `size` members. EngineError if it does not start.

        Every member must leave in the end (`CohortMember.leave`), also if its trial never began. `to_come` is the
        number of cohorts of this kind that follow: with many, another cluster is started while this one is reverted.
        `before_fault` may raise an error instead of the fault.
        """
        with translated(EngineError):
            leased = await self._lease(
                (broker, spec, access), self.at_once if to_come >= MIN_COHORTS_LEFT else 1, silent=silent
            )
        cohort = Cohort(leased.cluster, size, leased.cluster.nodes.at(leased.cohorts), self._actions, before_fault)
        leased.cohorts += 1
        try:
            async with cohort.barrier() as members:
                yield members
        except BaseException:
            cohort.spoilt = cohort.spoilt or "it was left in the middle"
            raise
        finally:
            self._spawn(self._give_back(leased, cohort))

    async def _lease(self, kind: Kind, limit: int, *, silent: bool) -> Leased:
        """Return a usable cluster: an idle one, otherwise the first that is started or reverted.

        A cluster whose cohort observes a long silence does not count, as it is away for minutes. The last permitted
        cluster is started only for a cohort that would otherwise wait, because an idle cluster costs CPU time.
        """
        mine = self._kinds.setdefault(kind, _Clusters())
        self._playing = kind
        self._end_others(kind)
        async with self._changed:
            while not mine.idle:
                if mine.failure is not None and not mine.count:
                    failure, mine.failure = mine.failure, None
                    raise failure
                if not mine.coming:
                    self._start_another(kind, limit)
                await self._changed.wait()
            leased = mine.idle.pop()
            leased.silent = silent
            self._start_another(kind, limit - 1)  # so that the next cohort need not wait
            return leased

    def _start_another(self, kind: Kind, limit: int) -> None:
        """Start a cluster if none is idle and one more is permitted. Clusters of other kinds may still be leased."""
        mine = self._kinds[kind]
        if not mine.idle and (not mine.count or self._running_count() < limit):
            mine.count += 1
            mine.coming += 1
            self._spawn(self._start(kind))

    def _running_count(self) -> int:
        """Return the number of clusters without those of silence."""
        silent = sum(leased.silent for leased in self._all)
        return sum(clusters.count for clusters in self._kinds.values()) - min(silent, self.in_silence)

    def _end_others(self, kind: Kind) -> None:
        """End idle clusters of other kinds."""
        for other, clusters in self._kinds.items():
            while other != kind and clusters.idle:
                self._spawn(self._drop(clusters.idle.pop()))

    async def _start(self, kind: Kind) -> None:
        mine, (line, spec, access) = self._kinds[kind], kind
        try:
            release = await self._release(line)
            mine.idle.append(await self._begin(release, spec, access))
            mine.failure = None
        except Exception as error:  # noqa: BLE001  # it is raised where the cluster is awaited
            mine.count -= 1
            mine.failure = _why_not_started(line, error)
        mine.coming -= 1
        async with self._changed:
            self._changed.notify_all()

    async def _release(self, line: str) -> Release:
        if line not in self._ready:
            self._ready[line] = await class_data_archive.ensure(self.releases[line])
        return self._ready[line]

    async def _begin(self, release: Release, spec: ClusterSpec, access: Access | None) -> Leased:
        for left in reversed(range(MAX_START_ATTEMPTS)):
            stack = contextlib.AsyncExitStack()
            try:
                started = running(release, self._open_relay, self._disk, spec, access)
                cluster = await stack.enter_async_context(started)
            except (OSError, HarnessError):
                await stack.aclose()
                if not left:
                    raise
                continue
            leased = Leased(cluster, stack)
            self._all.append(leased)
            return leased
        raise AssertionError

    async def _give_back(self, leased: Leased, cohort: Cohort) -> None:
        """Revert a cluster and offer it again. End it if another kind is played by then or there are enough others."""
        mine = self._kinds[_kind(leased.cluster)]
        mine.coming += 1
        await asyncio.sleep(NEXT_START_S)
        leased.silent = False
        try:
            async with asyncio.timeout(STARTED_S):
                self._still_wanted(leased.cluster)
                await revert_cluster(leased.cluster, cohort)
                self._still_wanted(leased.cluster)
            mine.idle.append(leased)
        except Exception:  # noqa: BLE001  # a cluster that cannot be reverted, for any reason, is not used again
            await self._drop(leased)
        mine.coming -= 1
        async with self._changed:
            self._changed.notify_all()

    def _still_wanted(self, cluster: KafkaCluster) -> None:
        if self._running_count() > self.at_once:
            raise EngineError("others took its place while it was away")
        if _kind(cluster) != self._playing:
            raise EngineError(f"Kafka {cluster.line} is no longer played")

    async def _drop(self, leased: Leased) -> None:
        self._kinds[_kind(leased.cluster)].count -= 1
        await self._close(leased)

    async def _close(self, leased: Leased) -> None:
        if leased in self._all:
            self._all.remove(leased)
            await leased.stack.aclose()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _why_not_started(line: str, error: Exception) -> EngineError | ExhaustedError:
    """Return the error of a cluster that did not start.

    No fault is injected yet, so a full disk is the machine's own.
    """
    text = str(error) or type(error).__name__
    return exhaustion(error) or said_exhaustion(text) or EngineError(f"Kafka {line} did not start: {text}")


def _kind(cluster: KafkaCluster) -> Kind:
    return cluster.line, cluster.spec, cluster.access


async def revert_cluster(cluster: KafkaCluster, cohort: Cohort) -> None:
    """Bring a cluster back to its first state. EngineError or OSError if that fails."""
    if cohort.spoilt:
        raise EngineError(cohort.spoilt)
    cluster.failures.clear()
    restore_network(cluster.relay, cluster.nodes)
    for node, broker in cluster.brokers.items():
        broker.resume()
        if broker.pid is None:
            await cluster.start_broker(node)
    await cluster.settle()
    topics = [member.topic for member in cohort.members if member.topic]
    if topics:
        await cluster.admin.delete_topics(topics)


def restore_network(relay: RelayPort, nodes: Nodes) -> None:
    """End all network faults of the relay."""
    relay.hold((), 0)
    for broker in nodes.addresses:
        relay.slow(broker, 0)
        relay.blackhole(broker, on=False)
        relay.accept(broker)
