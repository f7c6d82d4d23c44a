"""The embedded engine: one fake-cluster process per trial (go_shim/cmd/fake-cluster) behind a relay."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from probe.access import Access, secure_relay
from probe.engines.embedded import broker_rules, topic_rules
from probe.engines.embedded.cluster_events import KINDS, RETURNED, engine_event
from probe.engines.embedded.control import ControlError
from probe.engines.embedded.counts import unseen
from probe.engines.embedded.handshakes import spoil
from probe.engines.embedded.history import asked_history, stated_history
from probe.engines.embedded.logins import asked_logins, refused_logins
from probe.engines.embedded.many_partitions import assignments, widened
from probe.engines.embedded.network import Network
from probe.engines.embedded.nodes import NODES
from probe.engines.embedded.process import FakeProcess, fake_process
from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.errors import EngineError
from probe.model import EngineEvent, EngineKind, Stored, Subject
from probe.model.clock import now_us
from probe.model.cluster import PLANNED, Nodes
from probe.model.cluster_history import HistoryPlan, history_plan
from probe.model.endpoint import Endpoint, as_text
from probe.model.placement import Places, TopicPlan
from probe.model.rack import rack_of
from probe.ports import Elected, OpenRelay, ReadBack, RelayPort, Sink, discard
from probe.processes.resources import said_exhaustion, translated, translating
from probe.processes.tasks import beside
from probe.protocol.api_table import CoordinatorKind
from probe.scenarios.steps.brokers import ReplaceCluster
from probe.scenarios.steps.step import Step
from probe.scenarios.steps.topics import DeleteTopic, RecreateTopic, ReplaceTopic

if TYPE_CHECKING:
    from probe.engines.embedded.rpc.cluster_pb2_grpc import FakeClusterAsyncStub

Reply = TypeVar("Reply")
CALL_S = 15.0
ANOTHER_ID = "another-cluster"
STALL_MS = 400
"""A fake cluster that gets no core for this time answers late, for which no client is to blame.

Busy cores alone cause shorter stalls.
"""


@dataclass(frozen=True, slots=True)
class Embedded:
    """Starts fake clusters."""

    binary: Path
    open_relay: OpenRelay
    versions: Mapping[str, Path]
    """By release line: file with the API version ranges of Kafka's own message definitions."""

    @contextlib.asynccontextmanager
    async def cluster(
        self, broker: str, sink: Sink, access: Access | None = None
    ) -> AsyncIterator[tuple[FakeCluster, RelayPort]]:
        """Start three fake brokers of a release line behind a relay. EngineError or RelayError if they do not start."""
        names: dict[bytes, str] = {}
        with translated(EngineError):
            async with self._running(broker, sink, names, access) as (cluster, relay):
                yield cluster, relay

    def counted_cluster(self, broker: str, sink: Sink) -> AbstractAsyncContextManager[tuple[FakeCluster, RelayPort]]:
        """Start a cluster for a trial of cost: each fake cluster counts requests."""
        return self.cluster(broker, sink)

    @contextlib.asynccontextmanager
    async def _running(
        self, broker: str, sink: Sink, names: dict[bytes, str], access: Access | None
    ) -> AsyncIterator[tuple[FakeCluster, RelayPort]]:
        async with self.open_relay(NODES.addresses, sink, names) as relay:
            secure_relay(relay, access)
            addresses = as_text(relay.address(node) for node in NODES)
            argv = [str(self.binary), "--broker", broker, "--advertise", addresses]
            if broker in self.versions:
                argv += ["--versions", str(self.versions[broker])]
            async with fake_process(argv) as first:
                for node, address in zip(NODES, first.brokers, strict=True):
                    relay.forward(node, address)
                relay.forward(NODES.bootstrap, first.bootstrap)
                another = partial(fake_process, [*argv, "--cluster-id", ANOTHER_ID])
                cluster = FakeCluster(first.stub, relay, sink, names, history_plan(broker), another, access)
                async with cluster.watching():
                    await cluster.change(*asked_logins(access))
                    yield cluster, relay


class FakeCluster:
    """A running fake cluster."""

    nodes: Nodes = NODES

    def __init__(
        self,
        stub: FakeClusterAsyncStub,
        relay: RelayPort,
        sink: Sink,
        names: dict[bytes, str],
        history: HistoryPlan,
        another: Callable[[], AbstractAsyncContextManager[FakeProcess]],
        access: Access | None = None,
    ) -> None:
        self._stub = stub
        self._relay = relay
        self._sink = sink
        self._names = names
        self._history = history
        self._another = another
        self._access = access
        self._stubs = [stub]
        """This cluster, and the one that replaces it."""
        self._later = contextlib.AsyncExitStack()
        self._topic = pb.CreateTopicRequest()
        self._moving: Sequence[int] = ()
        """Partitions that the fault hits."""
        self._moves: list[pb.Change] = []
        self._first: tuple[pb.Change, ...] = ()
        """Changes before the first client, also of the cluster that replaces this one."""
        self._network = Network(relay, self._readdress, self._back_in_office)
        self._subject: Subject | None = None
        self._places: Places | None = None
        self._bystander_ms = self._feed_interval_ms = 0
        self._batch = 1
        self._counted: set[str] = set()
        """Rules of the fault that still apply, if every rule applies a limited number of times; otherwise empty."""
        self._topic_gone = False
        """The fault deletes the topic, so its records are lost on purpose."""
        self._topic_due = False
        """The fault deletes the topic, and it has not come back yet."""

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Pass the cluster's own events to the sink."""
        try:
            async with beside(self._watch()):
                yield
        finally:
            await self._network.close()
            await self._later.aclose()
            self._sink = discard  # the network and the cluster refer to each other: release what the sink refers to

    async def change(self, *changes: pb.Change) -> None:
        """Make changes before the first client. EngineError."""
        self._first = changes
        for change in changes:
            await self._call(self._stub.Apply, change)

    async def _readdress(self, addresses: Sequence[Endpoint]) -> None:
        change = pb.Change(readdress=pb.Readdress(advertise=map(str, addresses)))
        await self._call(self._stub.Apply, change)

    async def _back_in_office(self, broker: int) -> None:
        assert self._places is not None  # the fault comes after `prepare`
        for change in broker_rules.back_in_office(self._prepared(), self._places, broker):
            await self._call(self._stub.Apply, change)

    async def _watch(self) -> None:
        with contextlib.suppress(ControlError):
            broken = False
            async for event in self._stub.Watch(pb.Done()):
                broken = broken or event.kind == pb.Event.FAULT_ON
                self._topic_due = self._topic_due and event.text != RETURNED
                await self._network.on_event(event)
                # moves before the fault belong to the preparation
                kind = KINDS.get(event.kind, EngineKind.NOTE) if broken else EngineKind.NOTE
                if event.kind == pb.Event.SPENT and self._all_spent(event.text):
                    kind = EngineKind.HEALED
                self._sink(engine_event(event, kind))

    def _all_spent(self, rule: str) -> bool:
        """Return whether the fault ended with this rule, because no other rule of it applies any more."""
        last = self._counted == {rule}
        self._counted.discard(rule)
        return last

    @translating(EngineError)
    async def prepare(self, subject: Subject, plan: TopicPlan) -> Subject:
        """Create the topic and place the coordinators as planned for the failing broker, `subject.old`.

        The cluster gets its history.
        """
        old = NODES.at(PLANNED.place(subject.old))
        subject = replace(subject, old=old, bootstrap=NODES.turned(subject.bootstrap, subject.old, old))
        places = self._places = plan.places(subject.old, NODES)
        self._moving = plan.hit(subject.bystander)
        partitions = assignments(plan, self._history, places, subject)
        past = asked_history(self._history, subject, unused_id=plan.unused_id)
        self._topic = pb.CreateTopicRequest(topic=subject.topic, partitions=partitions, history=past)
        if plan.racks:
            await self._call(self._stub.Apply, pb.Change(racks=pb.Racks(names=map(rack_of, NODES))))
        reply = await self._call(self._stub.CreateTopic, self._topic)
        self._names[bytes(reply.topic_id)] = subject.topic
        affected, bystander = places.coordinator, places.bystander_coordinator
        kind = topic_rules.key_of(subject)[0]
        keys = (
            (CoordinatorKind.GROUP, subject.group, affected),
            (CoordinatorKind.TRANSACTION, subject.transactional_id, affected),
            (kind, subject.bystander_key, bystander),
        )
        moves = (pb.MoveCoordinator(key_type=key_type, key=key, to=node) for key_type, key, node in keys if key)
        self._moves = [pb.Change(move_coordinator=move) for move in moves]
        for change in self._moves:
            await self._call(self._stub.Apply, change)
        subject = replace(subject, history=stated_history(self._history, past, reply.partitions))
        self._subject, self._bystander_ms, self._batch = subject, plan.bystander_ms, plan.batch
        if plan.feed_ms:
            await self.set_interval(plan.feed_ms)
        return subject

    @translating(EngineError)
    async def set_interval(self, feed_ms: int) -> None:
        """Write records to the topic at this interval, also if another one was set before."""
        subject = self._prepared()
        self._feed_interval_ms = feed_ms
        partitions = sorted((*self._moving, subject.bystander))
        feed = pb.FeedRequest(
            topic=subject.topic,
            partitions=partitions,
            interval_ms=feed_ms,
            bystander=subject.bystander,
            bystander_ms=self._bystander_ms,
            batch=self._batch,
        )
        for stub in self._stubs:
            await self._call(stub.StartFeed, feed)

    @translating(EngineError)
    async def elect(self) -> Elected:
        """Elect the leader that the fault finds, and return it. All brokers name it at once."""
        began = now_us()
        subject = self._prepared()
        assert self._places is not None  # it is set with the subject
        leader = self._places.affected[0]
        move = pb.MoveLeader(topic=subject.topic, partition=subject.affected, to=leader)
        await self._call(self._stub.Apply, pb.Change(move_leader=move))
        return Elected(leader, began)

    @translating(EngineError)
    async def await_cohort(self) -> None:
        """Return at once: no other trial observes the fault."""

    @translating(EngineError)
    async def inject(self, steps: Sequence[Step], election_ms: int | None) -> None:
        """Inject the fault: rules and moves in the cluster, cuts and holds in the relay."""
        subject = self._prepared()
        self._topic_gone = any(isinstance(step, DeleteTopic | RecreateTopic) for step in steps)
        if any(isinstance(step, ReplaceCluster) for step in steps):
            await self._start_another()
        self._topic_due = any(isinstance(step, ReplaceTopic) for step in steps)
        self._network.before(steps, subject)
        spoil(self._relay, steps, self._access)
        fault = widened(topic_rules.fault_rules(steps, subject, election_ms or 0), subject, self._moving)
        fault.changes.extend(refused_logins(steps, self._access))
        self._counted = {rule.id for rule in fault.rules} if all(rule.count for rule in fault.rules) else set()
        await self._call(self._stub.Inject, fault)
        await self._network.after(steps, subject)

    async def _start_another(self) -> None:
        """Start a cluster with another id and a topic of this name, which takes the brokers' addresses over later."""
        other = await self._later.enter_async_context(self._another())
        topic = pb.CreateTopicRequest(topic=self._topic.topic, partitions=self._topic.partitions)
        for change in self._first:
            await self._call(other.stub.Apply, change)
        reply = await self._call(other.stub.CreateTopic, topic)
        self._names[bytes(reply.topic_id)] = topic.topic
        for change in self._moves:
            await self._call(other.stub.Apply, change)
        self._stubs.append(other.stub)
        if self._feed_interval_ms:
            await self.set_interval(self._feed_interval_ms)
        self._network.will_be(other.brokers, lambda: self._sink(EngineEvent(at=now_us(), kind=EngineKind.REPLACED)))

    @translating(EngineError)
    async def revert(self) -> None:
        """Remove all rules and holds."""
        await self._call(self._stub.Heal, pb.Done())
        self._network.revert()
        secure_relay(self._relay, self._access)

    @translating(EngineError)
    async def read_back(self) -> ReadBack:
        """Read the topic and the group's offsets from the cluster's memory. EngineError if records are missing."""
        subject = self._prepared()
        await self._call(self._stub.StopFeed, pb.Topic(topic=subject.topic))
        if self._topic_gone or self._topic_due:
            return ReadBack((), {})
        reply = await self._call(self._stub.ReadBack, pb.Topic(topic=subject.topic))
        committed: Mapping[int, int] = {}
        if subject.groups:
            question = pb.Group(group=subject.group, topic=subject.topic)
            committed = (await self._call(self._stub.Committed, question)).offsets
        if not reply.whole:
            raise EngineError("read-back is not whole")
        stored = [Stored.of(record.partition, record.offset, record.value) for record in reply.records]
        return ReadBack(tuple(stored), dict(committed))

    @translating(EngineError)
    async def problems(self) -> Sequence[str]:
        """Return doubts about the observation.

        These are events that the relay lost, requests that brokers counted but the relay did not, and stalls of the
        fake cluster.
        """
        self._relay.check()
        found = []
        if dropped := self._relay.dropped():
            found.append(f"the relay lost {dropped} events")
        reply = await self._call(self._stub.Counts, pb.Done())
        if reply.stalled_ms >= STALL_MS:
            found.append(f"the fake cluster got no core for {reply.stalled_ms} ms")
        return [*found, *unseen(reply.counts, self._prepared().instance, self._relay.counts())]

    async def counted(self) -> Mapping[tuple[str, int, int], int]:
        """Return the requests that the brokers read so far, by (client id, broker, API key). EngineError."""
        reply = await self._call(self._stub.Counts, pb.Done())
        return {(one.client, one.broker, one.api): one.requests for one in reply.counts}

    def over_at(self, planned_at: int) -> int:
        """Return when the last planned change of the fault is made: as planned."""
        return planned_at

    async def _call(self, method: Callable[..., Awaitable[Reply]], message: object) -> Reply:
        """Call the cluster. EngineError with the reason if the call fails."""
        try:
            return await method(message, timeout=CALL_S)
        except ControlError as error:
            words = f"the fake cluster failed: {error}"
            raise said_exhaustion(words) or EngineError(words) from None

    def _prepared(self) -> Subject:
        if self._subject is None:
            raise EngineError("the cluster has no topic yet")
        return self._subject
