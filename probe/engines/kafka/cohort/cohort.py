"""A cohort: the cells that watch one fault on one cluster at the same time."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Collection, Sequence

from probe.engines.kafka.cluster.cluster import KafkaCluster
from probe.engines.kafka.cohort.background_producer import BackgroundProducer
from probe.engines.kafka.cohort.barrier import Barrier
from probe.engines.kafka.cohort.leadership_monitor import LeadershipMonitor
from probe.engines.kafka.cohort.member import CohortMember
from probe.engines.kafka.cohort.topic_creator import TopicCreator
from probe.engines.kafka.ports import ActionTable, FaultAction, FaultTarget
from probe.errors import HarnessError
from probe.model import EngineEvent, EngineKind, Subject
from probe.scenarios.steps.partitions import Step

TOPIC = re.compile(r"(?<![\w-])probe-[\w-]+")
"""A topic of the runner's, with its partition; temporary folders have other words before `probe`."""
STRAGGLERS_S = 40.0
"""The first cell that is warm waits so long for the others, which are tried again in a later cohort."""


class Cohort:
    """What the seats have in common; one fault at a time."""

    def __init__(self, cluster: KafkaCluster, size: int, old: int, actions: ActionTable) -> None:
        self.cluster, self.old = cluster, old
        self.producer = BackgroundProducer(
            {node: broker.internal for node, broker in cluster.brokers.items()}, cluster.version
        )
        self.topic_creator = TopicCreator(cluster)
        self.members = [CohortMember(self, number) for number in range(size)]
        self.dumping = asyncio.Lock()
        """One at a time: it is a Java process for each topic."""
        self.spoilt = ""
        """Why the cluster cannot be used again."""
        self._deeds = actions
        self._gathering: Barrier[CohortMember] = Barrier(self.members)
        self._striking: Barrier[CohortMember] = Barrier(self.members)
        self._mending: Barrier[CohortMember] | None = None
        self._steps: Sequence[Step] = ()
        self._election_ms = 0
        self._done: list[tuple[Step, FaultAction[Step]]] = []
        self._scene: FaultTarget | None = None
        self._watch = contextlib.AsyncExitStack()

    async def await_cohort(self, member: CohortMember) -> None:
        """Wait until all cells of the cohort are as far. StragglerError for one that the others went on without."""
        await self._gathering.wait(member, self._all_arrived, patience_s=STRAGGLERS_S)

    async def _all_arrived(self, members: Collection[CohortMember]) -> None:
        self._striking = Barrier(members)

    async def inject(self, member: CohortMember, steps: Sequence[Step], election_ms: int) -> None:
        """Break, once all cells of the cohort want it. EngineError or OSError if that failed."""
        self._steps, self._election_ms = steps, election_ms
        await self._striking.wait(member, self._inject, patience_s=STRAGGLERS_S)

    async def revert(self, member: CohortMember) -> None:
        """Mend, once all that saw the fault want it. EngineError or OSError if that failed."""
        if self._mending is not None and member in self._mending.present:
            await self._mending.wait(member, self._revert)

    def leave(self, member: CohortMember) -> None:
        """Wait for this cell no longer."""
        self._gathering.leave(member)
        self._striking.leave(member)
        if self._mending is not None:
            self._mending.leave(member)

    async def _inject(self, members: Collection[CohortMember]) -> None:
        target = self._scene = FaultTarget(
            cluster=self.cluster,
            subjects=[member.subject for member in members],
            election_ms=self._election_ms,
            steps=self._steps,
        )
        self._mending = Barrier(members)
        owners = {member.subject.topic: member for member in members}

        def tell(subject: Subject, event: EngineEvent) -> None:
            owners[subject.topic].on_event(event)

        await self._watch.enter_async_context(LeadershipMonitor(target, tell, self.producer.written).watching())
        for step in self._steps:
            action = self._deeds[type(step)]
            self._done.append((step, action))
            await action.inject(step, target)
        target.mark_fault_on()

    async def _revert(self, _: Collection[CohortMember]) -> None:
        await self.revert_all()
        self.cluster.emit(EngineKind.HEALED)

    async def revert_all(self) -> None:
        """Take back what was done, last step first. EngineError or OSError if it cannot be."""
        await self.cluster.wait_until_idle()
        target, done = self._scene, self._done[::-1]
        self._done = []
        try:
            for step, action in done:
                if target is not None:
                    await action.revert(step, target)
        except (OSError, HarnessError) as error:
            self.spoilt = str(error) or type(error).__name__
            raise
        finally:
            await self._watch.aclose()

    @contextlib.asynccontextmanager
    async def barrier(self) -> AsyncIterator[Sequence[CohortMember]]:
        """Give the seats; afterwards nothing is under way and the fault is taken back, as far as it can be."""
        self.cluster.listeners.append(self._on_event)
        try:
            yield self.members
        finally:
            self.cluster.listeners.remove(self._on_event)
            for meeting in (self._gathering, self._striking, self._mending):
                if meeting is not None:
                    await meeting.close()
            await self.topic_creator.close()
            await self.producer.close()
            with contextlib.suppress(OSError, HarnessError):
                await self.revert_all()

    def _on_event(self, event: EngineEvent) -> None:
        """Pass on what the brokers did; log lines about topics of cells to these cells alone."""
        named = TOPIC.findall(event.text) if event.kind is EngineKind.LOG else []
        for member in self.members:
            if not named or member.is_among(named):
                member.on_event(event)
