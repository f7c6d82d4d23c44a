"""A cohort: the cells that watch one fault on one cluster at the same time."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Collection, Sequence

from probe.engines.kafka.cluster.cluster import KafkaCluster
from probe.engines.kafka.cohort.background_producer import Feeder
from probe.engines.kafka.cohort.barrier import Meeting
from probe.engines.kafka.cohort.leadership_monitor import Truth
from probe.engines.kafka.cohort.member import Seat
from probe.engines.kafka.cohort.topic_creator import Maker
from probe.engines.kafka.ports import Deed, DeedTable, Scene
from probe.errors import HarnessError
from probe.model import EngineEvent, EngineKind, Subject
from probe.scenarios.steps.partitions import Step

TOPIC = re.compile(r"(?<![\w-])probe-[\w-]+")
"""A topic of the runner's, with its partition; temporary folders have other words before `probe`."""
STRAGGLERS_S = 40.0
"""The first cell that is warm waits so long for the others, which are tried again in a later cohort."""


class Cohort:
    """What the seats have in common; one fault at a time."""

    def __init__(self, cluster: KafkaCluster, size: int, old: int, deeds: DeedTable) -> None:
        self.cluster, self.old = cluster, old
        self.feeder = Feeder({node: broker.internal for node, broker in cluster.brokers.items()}, cluster.version)
        self.maker = Maker(cluster)
        self.seats = [Seat(self, number) for number in range(size)]
        self.dumping = asyncio.Lock()
        """One at a time: it is a Java process for each topic."""
        self.spoilt = ""
        """Why the cluster cannot be used again."""
        self._deeds = deeds
        self._gathering: Meeting[Seat] = Meeting(self.seats)
        self._striking: Meeting[Seat] = Meeting(self.seats)
        self._mending: Meeting[Seat] | None = None
        self._steps: Sequence[Step] = ()
        self._election_ms = 0
        self._done: list[tuple[Step, Deed[Step]]] = []
        self._scene: Scene | None = None
        self._watch = contextlib.AsyncExitStack()

    async def gather(self, seat: Seat) -> None:
        """Wait until all cells of the cohort are as far. StragglerError for one that the others went on without."""
        await self._gathering.come(seat, self._gathered, patience_s=STRAGGLERS_S)

    async def _gathered(self, seats: Collection[Seat]) -> None:
        self._striking = Meeting(seats)

    async def strike(self, seat: Seat, steps: Sequence[Step], election_ms: int) -> None:
        """Break, once all cells of the cohort want it. EngineError or OSError if that failed."""
        self._steps, self._election_ms = steps, election_ms
        await self._striking.come(seat, self._strike, patience_s=STRAGGLERS_S)

    async def mend(self, seat: Seat) -> None:
        """Mend, once all that saw the fault want it. EngineError or OSError if that failed."""
        if self._mending is not None and seat in self._mending.present:
            await self._mending.come(seat, self._mend)

    def leave(self, seat: Seat) -> None:
        """Wait for this cell no longer."""
        self._gathering.leave(seat)
        self._striking.leave(seat)
        if self._mending is not None:
            self._mending.leave(seat)

    async def _strike(self, seats: Collection[Seat]) -> None:
        scene = self._scene = Scene(
            cluster=self.cluster,
            subjects=[seat.subject for seat in seats],
            election_ms=self._election_ms,
            steps=self._steps,
        )
        self._mending = Meeting(seats)
        owners = {seat.subject.topic: seat for seat in seats}

        def tell(subject: Subject, event: EngineEvent) -> None:
            owners[subject.topic].hear(event)

        await self._watch.enter_async_context(Truth(scene, tell, self.feeder.written).watching())
        for step in self._steps:
            deed = self._deeds[type(step)]
            self._done.append((step, deed))
            await deed.do(step, scene)
        scene.strike()

    async def _mend(self, _: Collection[Seat]) -> None:
        await self.undo()
        self.cluster.tell(EngineKind.HEALED)

    async def undo(self) -> None:
        """Take back what was done, last step first. EngineError or OSError if it cannot be."""
        await self.cluster.calm()
        scene, done = self._scene, self._done[::-1]
        self._done = []
        try:
            for step, deed in done:
                if scene is not None:
                    await deed.undo(step, scene)
        except (OSError, HarnessError) as error:
            self.spoilt = str(error) or type(error).__name__
            raise
        finally:
            await self._watch.aclose()

    @contextlib.asynccontextmanager
    async def meeting(self) -> AsyncIterator[Sequence[Seat]]:
        """Give the seats; afterwards nothing is under way and the fault is taken back, as far as it can be."""
        self.cluster.listeners.append(self._hear)
        try:
            yield self.seats
        finally:
            self.cluster.listeners.remove(self._hear)
            for meeting in (self._gathering, self._striking, self._mending):
                if meeting is not None:
                    await meeting.close()
            await self.maker.close()
            await self.feeder.close()
            with contextlib.suppress(OSError, HarnessError):
                await self.undo()

    def _hear(self, event: EngineEvent) -> None:
        """Pass on what the brokers did; log lines about topics of cells to these cells alone."""
        named = TOPIC.findall(event.text) if event.kind is EngineKind.LOG else []
        for seat in self.seats:
            if not named or seat.is_among(named):
                seat.hear(event)
