"""A cohort: the trials that observe one fault on one cluster at the same time."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Collection, Sequence

from probe.engines.kafka.cluster.cluster import KafkaCluster
from probe.engines.kafka.cohort.background_producer import BackgroundProducer
from probe.engines.kafka.cohort.barrier import Barrier
from probe.engines.kafka.cohort.leadership_monitor import LeadershipMonitor
from probe.engines.kafka.cohort.member import CohortMember
from probe.engines.kafka.cohort.topic_creator import TopicCreator
from probe.engines.kafka.ports import ActionTable, FaultAction, FaultTarget
from probe.errors import HarnessError
from probe.model import EngineEvent, EngineKind, Subject
from probe.model.clock import now_us
from probe.model.cluster_history import OTHER
from probe.model.paces import SHARED
from probe.scenarios.steps.step import Step

TOPIC = re.compile(rf"(?<![\w-])(?:probe-|{OTHER})[\w-]+")
"""A topic of a trial with its partition. In names of temporary folders, other words precede `probe`."""
STRAGGLERS_S = 40.0
"""Time for which the first warm member waits for the others; stragglers are tried again in a later cohort."""


class Cohort:
    """The members of a cohort, and their common fault."""

    def __init__(
        self,
        cluster: KafkaCluster,
        size: int,
        old: int,
        actions: ActionTable,
        before_fault: Callable[[], None] = lambda: None,
    ) -> None:
        self.cluster, self.old = cluster, old
        self.producer = BackgroundProducer(
            {node: broker.internal for node, broker in cluster.brokers.items()},
            cluster.version,
            SHARED.work_ms,
        )
        self.topic_creator = TopicCreator(cluster, cluster.history.of_topics)
        self.members = [CohortMember(self, number) for number in range(size)]
        self.dumping = asyncio.Lock()
        """Allows one dump at a time: each is a Java process."""
        self.spoilt = ""
        """Why the cluster cannot be used again; empty if it can."""
        self._actions, self._before_fault = actions, before_fault
        self._electing: Barrier[CohortMember] = Barrier(self.members)
        self._warm: Barrier[CohortMember] = Barrier(self.members)
        self._injecting: Barrier[CohortMember] = Barrier(self.members)
        self._reverting: Barrier[CohortMember] | None = None
        self._steps: Sequence[Step] = ()
        self._election_ms = 0
        self.elected_at = 0
        self._done: list[tuple[Step, FaultAction[Step]]] = []
        self._target: FaultTarget | None = None
        self._monitor = contextlib.AsyncExitStack()

    async def elect(self, member: CohortMember) -> None:
        """Hold the harmless election of all members at once, when all are ready. StragglerError as `await_cohort`."""
        await self._electing.wait(member, self._elect, patience_s=STRAGGLERS_S)

    def leave_election(self, member: CohortMember) -> None:
        """Let the others hold the harmless election without a member that has none."""
        self._electing.leave(member)

    async def _elect(self, members: Collection[CohortMember]) -> None:
        wanted = {key: order for member in members for key, order in member.election.items()}
        self.elected_at = now_us()
        await self.cluster.admin.elect_preferred(list(wanted))
        await self.cluster.admin.settled(wanted)

    async def await_cohort(self, member: CohortMember) -> None:
        """Wait until all members are warm. StragglerError for a member that the others went on without."""
        await self._warm.wait(member, self._all_arrived, patience_s=STRAGGLERS_S)

    async def _all_arrived(self, members: Collection[CohortMember]) -> None:
        self._injecting = Barrier(members)

    async def inject(self, member: CohortMember, steps: Sequence[Step], election_ms: int) -> None:
        """Inject the fault when all members have asked for it. EngineError or OSError if that fails.

        An error of `before_fault` is raised for all members instead.
        """
        self._steps, self._election_ms = steps, election_ms
        await self._injecting.wait(member, self._inject, patience_s=STRAGGLERS_S)

    async def revert(self, member: CohortMember) -> None:
        """Revert the fault when all members that observed it have asked for it. EngineError or OSError if it fails."""
        if self._reverting is not None and member in self._reverting.present:
            await self._reverting.wait(member, self._revert)

    def leave(self, member: CohortMember) -> None:
        """Remove a member; the others no longer wait for it."""
        self._electing.leave(member)
        self._warm.leave(member)
        self._injecting.leave(member)
        if self._reverting is not None:
            self._reverting.leave(member)

    async def _inject(self, members: Collection[CohortMember]) -> None:
        self._before_fault()
        target = self._target = FaultTarget(
            cluster=self.cluster,
            subjects=[subject for member in members for subject in member.subjects],
            election_ms=self._election_ms,
            steps=self._steps,
        )
        self._reverting = Barrier(members)
        owners = {member.subject.topic: member for member in members}

        def emit(subject: Subject, event: EngineEvent) -> None:
            owners[subject.topic].on_event(event)

        await self._monitor.enter_async_context(LeadershipMonitor(target, emit, self.producer.written).watching())
        for step in self._steps:
            action = self._actions[type(step)]
            self._done.append((step, action))
            await action.inject(step, target)
        target.mark_fault_on()

    async def _revert(self, _: Collection[CohortMember]) -> None:
        await self.revert_all()
        self.cluster.emit(EngineKind.HEALED)

    async def revert_all(self) -> None:
        """Revert all injected steps, last step first. EngineError or OSError if that fails."""
        await self.cluster.wait_until_idle()
        target, done = self._target, self._done[::-1]
        self._done = []
        try:
            for step, action in done:
                if target is not None:
                    await action.revert(step, target)
        except (OSError, HarnessError) as error:
            self.spoilt = str(error) or type(error).__name__
            raise
        finally:
            await self._monitor.aclose()

    @contextlib.asynccontextmanager
    async def barrier(self) -> AsyncIterator[Sequence[CohortMember]]:
        """Yield the members; afterwards stop all work and revert the fault as far as possible."""
        self.cluster.listeners.append(self._on_event)
        try:
            yield self.members
        finally:
            self.cluster.listeners.remove(self._on_event)
            for barrier in (self._electing, self._warm, self._injecting, self._reverting):
                if barrier is not None:
                    await barrier.close()
            await self.topic_creator.close()
            await self.producer.close()
            with contextlib.suppress(OSError, HarnessError):
                await self.revert_all()

    def _on_event(self, event: EngineEvent) -> None:
        """Pass events of the brokers to all members; log lines about topics go to the members that use them."""
        named = TOPIC.findall(event.text) if event.kind is EngineKind.LOG else []
        for member in self.members:
            if not named or member.is_among(named):
                member.on_event(event)
