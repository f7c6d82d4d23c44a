"""A cohort member: one trial's view of the shared cluster, with the interface of a cluster of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace

from probe.access import Access
from probe.engines.kafka.admin.partitioner import partition_of
from probe.engines.kafka.admin.read_back import Brokers, log_starts, read_back
from probe.engines.kafka.checks import log_dump_tool
from probe.engines.kafka.checks.log_comparison import Found
from probe.engines.kafka.checks.log_dump_tool import Place
from probe.engines.kafka.cluster.properties import INTERNAL_PARTITIONS
from probe.engines.kafka.cohort.cohort_port import CohortPort
from probe.engines.kafka.cohort.topic_creator import WantedTopic
from probe.errors import EngineError, HarnessError
from probe.model import ClusterHistory, EngineEvent, EngineKind, Subject
from probe.model.clock import now_us
from probe.model.cluster import Nodes
from probe.model.endpoint import Endpoint
from probe.model.handshake import Handshake
from probe.model.placement import TopicPlan
from probe.ports import Elected, Pcapng, ReadBack, Sink, discard
from probe.processes.resources import translating
from probe.scenarios.steps.real_brokers import DumpLogs
from probe.scenarios.steps.step import Step
from probe.scenarios.steps.topics import DeleteTopic, RecreateTopic

NAMES = 100
AFFECTED_DIR, BYSTANDERS_DIR = 0, 1
"""Log dirs of a broker, by index: that of affected partitions, and that of everything else."""
NOBODY = "-"
"""A client id that no instance has."""


class CohortMember:
    """The engine, cluster and tap of one trial: `ports.EnginePort`, `ports.Cluster`, `ports.Tap`."""

    def __init__(self, cohort: CohortPort[CohortMember], number: int) -> None:
        self._cohort, self._cluster = cohort, cohort.cluster
        self._number = number
        self._sink: Sink = discard
        self._subject: Subject | None = None
        self.topic = ""
        """Topic that was created for it, or was about to be; empty if there is none."""
        self._injected = False
        self._hit: Sequence[int] = ()
        """Partitions that the fault hits."""
        self._before: Counter[tuple[str, int, int]] = Counter()
        """Requests that were counted before the trial."""
        self._order: Sequence[int] = ()
        """Replicas of the affected partition before the harmless election, the coming leader first."""
        self._names: list[str] = []
        self._topic_gone = self._dumped = False
        self._dropped = 0

    @contextlib.asynccontextmanager
    async def cluster(
        self, broker: str, sink: Sink, access: Access | None = None
    ) -> AsyncIterator[tuple[CohortMember, CohortMember]]:
        """Yield the member as cluster and as tap. EngineError for another release line or access than the cohort's."""
        if broker != self._cluster.line:
            raise EngineError(f"this cohort plays on Kafka {self._cluster.line}, not on {broker}")
        if access != self._cluster.access:
            raise EngineError("this cohort's clients reach its brokers in another way")
        self._sink, self._dropped = sink, self._cluster.relay.dropped()
        try:
            yield self, self
        finally:
            self.leave()
            self.read_on()
            for name in self._names:
                self._cluster.router.leave(name)
            self._sink = discard

    def ignore_events(self) -> None:
        """Stop writing to the topic."""
        self._cohort.producer.leave(self.topic)

    def leave(self) -> None:
        """Leave the cohort, which no longer waits for this member."""
        self._cohort.leave(self)

    @property
    def subject(self) -> Subject:
        """Return the trial's subject. EngineError before it is prepared."""
        if self._subject is None:
            raise EngineError("the cluster has no topic yet")
        return self._subject

    def on_event(self, event: EngineEvent) -> None:
        """Pass an event of the brokers to the trial."""
        self._sink(event)

    def is_among(self, topics: Sequence[str]) -> bool:
        """Return whether one of these topics of a log line belongs to this member."""
        return any(name.startswith(self.topic) for name in topics)

    # ports.Tap

    def address(self, broker: int) -> Endpoint:
        """Return the address that clients use for a broker."""
        return self._cluster.relay.address(broker)

    @translating(EngineError)
    async def cut(self, broker: int, client_id: str = "") -> int:
        """Reset this trial's connections to a broker; return their number."""
        names = [client_id] if client_id else self._names
        return sum([await self._cluster.relay.cut(broker, name) for name in names])

    def read_on(self) -> None:
        """Report all that has passed until now, for all members."""
        self._cluster.relay.read_on()

    def at_once(self) -> contextlib.AbstractContextManager[None]:
        """Report what passes at once, for all members, inside the block."""
        return self._cluster.relay.at_once()

    def refuse(self, broker: int) -> None:
        """Refuse new connections to a broker, for all members."""
        self._cluster.relay.refuse(broker)

    def accept(self, broker: int) -> None:
        """Accept connections to a broker again."""
        self._cluster.relay.accept(broker)

    def ease(self, delay_ms: int) -> None:
        """Delay nothing: the brokers serve the whole cohort."""

    def hold(self, apis: Sequence[int], hold_ms: int) -> None:
        """Hold answers of these APIs back for `hold_ms`, for all members."""
        self._cluster.relay.hold(apis, hold_ms)

    def refuse_above(self, apis: Sequence[int], per_s: int) -> None:
        """Reset connections on requests above a rate, for all members."""
        self._cluster.relay.refuse_above(apis, per_s)

    def handshakes(self, client_id: str) -> tuple[Handshake, ...]:
        """Return what this client has sent first."""
        return self._cluster.relay.handshakes(client_id)

    def captured(self, names: Sequence[str] = ()) -> Pcapng | None:
        """Return the capture of this trial's connections, once; None if none is kept."""
        return self._cluster.relay.captured(names or self._names or [NOBODY])

    # ports.Cluster

    @property
    def nodes(self) -> Nodes:
        """Return the ids of the cluster's brokers."""
        return self._cluster.nodes

    @translating(EngineError)
    async def prepare(self, subject: Subject, plan: TopicPlan) -> Subject:
        """Create the topic and choose keys so that the cohort's failing broker leads and coordinates them.

        Topic and keys get their history.
        The affected partition lies in this broker's first log dir (docs/engines.md#placement).
        """
        old, nodes = self._cohort.old, self.nodes
        subject = replace(subject, old=old, bootstrap=nodes.turned(subject.bootstrap, subject.old, old))
        places = plan.places(old, nodes)
        affected, bystander = places.coordinator, places.bystander_coordinator
        subject = replace(
            subject,
            group=subject.group and _key_at(subject.group, nodes.place(affected)),
            transactional_id=subject.transactional_id and _key_at(subject.transactional_id, nodes.place(affected)),
            bystander_key=subject.bystander_key and _key_at(subject.bystander_key, len(nodes) + nodes.place(bystander)),
        )
        first = plan.first_leader(places.affected, nodes.next(old))
        self._order = places.affected if plan.elects else ()
        self._hit = plan.hit(subject.bystander)
        replicas = dict.fromkeys(self._hit, _led_by(first, places.affected)) | {subject.bystander: places.bystander}
        history = await self._create(subject, replicas, elected=plan.elected)
        if not plan.elects:
            self._cohort.leave_election(self)
        subject = replace(subject, history=await self._cluster.history.of_keys(subject, history))
        theirs = [group + ending for group in subject.groups for ending in plan.group_topics]
        await self._cohort.topic_creator.choose_dir(theirs, sorted(replicas), BYSTANDERS_DIR)
        for name in filter(None, (subject.client_id, subject.bystander_instance, subject.successor)):
            self._names.append(name)
            self._cluster.router.join(name, self._sink)
        if plan.feed_ms:
            least_ms = {subject.bystander: plan.bystander_ms}
            self._cohort.producer.start(subject.topic, sorted(replicas), plan.feed_ms, least_ms, plan.batch)
        if self._cluster.spec.counts_requests:
            self._before = Counter(await self._cluster.request_counts.so_far())
        self._subject = subject
        return subject

    async def _create(
        self, subject: Subject, replicas: Mapping[int, Sequence[int]], *, elected: bool
    ) -> ClusterHistory:
        """Create the topic: affected partitions in the first log dirs, the bystander in the second ones."""
        self.topic = subject.topic
        places = dict.fromkeys(self._hit, AFFECTED_DIR) | {subject.bystander: BYSTANDERS_DIR}
        counts = self._cluster.history.plan.elections
        elections = {number: counts[place] for number, place in places.items()} if elected else {}
        try:
            preferred = {subject.affected: self._order} if self._order else {}
            wanted = WantedTopic(subject.topic, replicas, places, elections, preferred)
            return await self._cohort.topic_creator.create(wanted)
        except (OSError, HarnessError) as error:
            self._cohort.spoilt = str(error) or type(error).__name__
            raise

    @translating(EngineError)
    async def set_interval(self, feed_ms: int) -> None:
        """Write records to the topic at another interval."""
        self._cohort.producer.set_interval(self.topic, feed_ms)

    @property
    def subjects(self) -> Sequence[Subject]:
        """Return the trial's subject, once for each partition that the fault hits."""
        return [replace(self.subject, affected=number) for number in self._hit]

    async def counted(self) -> Mapping[tuple[str, int, int], int]:
        """Return the requests of clients that the brokers completed since `prepare`. EngineError."""
        return Counter(await self._cluster.request_counts.so_far()) - self._before

    def over_at(self, planned_at: int) -> int | None:  # noqa: ARG002  # real brokers take their own time
        """Return when the later work of the fault ended; None while some is to be done."""
        return self._cluster.idle_since

    @property
    def election(self) -> Mapping[tuple[str, int], Sequence[int]]:
        """Return the partition that the harmless election concerns, with its replicas, the coming leader first."""
        return {(self.topic, self.subject.affected): self._order} if self._order else {}

    @translating(EngineError)
    async def elect(self) -> Elected:
        """Elect the leader that the fault finds together with the cohort, and return it. StragglerError."""
        await self._cohort.elect(self)
        return Elected(self._order[0], self._cohort.elected_at)

    @translating(EngineError)
    async def await_cohort(self) -> None:
        """Wait for the other members. StragglerError if they went on without this one."""
        await self._cohort.await_cohort(self)

    @translating(EngineError)
    async def inject(self, steps: Sequence[Step], election_ms: int | None) -> None:
        """Inject the fault together with the cohort; without steps, return at once."""
        self._topic_gone = any(isinstance(step, DeleteTopic | RecreateTopic) for step in steps)
        self._dumped = any(isinstance(step, DumpLogs) for step in steps)
        self._injected = bool(steps)
        if steps:
            await self._cohort.inject(self, steps, election_ms or 0)
        else:
            self._emit(EngineKind.FAULT_ON)

    @translating(EngineError)
    async def revert(self) -> None:
        """Revert the fault together with the cohort."""
        if self._injected:
            await self._cohort.revert(self)
        else:
            self._emit(EngineKind.HEALED)

    @translating(EngineError)
    async def read_back(self) -> ReadBack:
        """Read the topic and the group's offsets. EngineError if records are missing."""
        subject = self.subject
        await self._cohort.producer.stop(subject.topic)
        if self._topic_gone:
            return ReadBack((), {})
        seen = await self._cluster.admin.placements([subject.topic])
        partitions = sorted(partition for _, partition in seen)
        running = [broker.internal for broker in self._cluster.brokers.values() if broker.pid is not None]
        where = Brokers(running, self._cluster.version)
        back = await read_back(where, subject, partitions)
        if self._dumped:
            log_dirs = {node: broker.log_dirs for node, broker in self._cluster.brokers.items()}
            replicas = {number: one.replicas for (_, number), one in seen.items()}
            place = Place(subject.topic, log_dirs, replicas, subject.history.starts)
            if not await self._agrees(where, place, back):  # records in flight at the client's end have arrived by now
                back = await read_back(where, subject, partitions)
                await self._agrees(where, place, back, last=True)
        return back

    async def _agrees(self, where: Brokers, place: Place, back: ReadBack, *, last: bool = False) -> bool:
        """Check the topic's logs with Kafka's own tool and emit the findings. EngineError for findings at `last`."""
        release = self._cluster.release
        if reason := await asyncio.to_thread(log_dump_tool.unavailable_reason, release):
            self._emit(EngineKind.NOTE, f"the logs are not dumped: {reason}")
            return True
        starts = await log_starts(where, place.topic, sorted(place.replicas))
        async with self._cohort.dumping:
            report = await log_dump_tool.check(release, place, Found(back.stored, starts))
        for text in (report.summary, *report.findings):
            self._emit(EngineKind.NOTE, text)
        if report.findings and last:
            raise EngineError(f"the logs do not agree with each other or with what was read: {report.findings[0]}")
        if not report.findings:
            text = f"the logs agree with each other and with the {len(back.stored)} records read"
            self._emit(EngineKind.NOTE, text)
        return not report.findings

    @translating(EngineError)
    async def problems(self) -> Sequence[str]:
        """Return problems besides: events that the relay lost, and failures of the fault's later work."""
        self._cluster.relay.check()
        if self._cluster.exhausted is not None:
            raise self._cluster.exhausted
        found = list(self._cluster.failures)
        if dropped := self._cluster.relay.dropped() - self._dropped:
            found.append(f"the relay lost {dropped} events")
        return found

    def _emit(self, kind: EngineKind, text: str = "") -> None:
        self._sink(EngineEvent(at=now_us(), kind=kind, text=text))


def _led_by(first: int, replicas: Sequence[int]) -> tuple[int, ...]:
    """Return the replicas with this leader first.

    >>> _led_by(3, (1, 2, 3))
    (3, 1, 2)
    """
    return (first, *(node for node in replicas if node != first))


def _key_at(key: str, partition: int) -> str:
    """Return the key, or the key with an appended number, that belongs to a partition of internal topics.

    A broker leads that of its place, and one more for bystanders (`INTERNAL_PARTITIONS`).
    """
    named = (key, *(f"{key}-{number}" for number in range(NAMES)))
    return next(name for name in named if partition_of(name, INTERNAL_PARTITIONS) == partition)
