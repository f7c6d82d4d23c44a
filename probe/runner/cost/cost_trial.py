"""A trial of cost: many clients write to many partitions, one fault hits all of these, and every request is counted."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from probe.counted_ports import CountedCluster, CountingEngine
from probe.drivers.process import RunningInstance
from probe.errors import EngineError, HarnessError
from probe.model import Header, History, Mark, MarkKind
from probe.model.clock import now_us
from probe.model.cost import PointCost
from probe.model.group_settings import effective
from probe.model.placement import TopicPlan
from probe.model.scale import Scale
from probe.planning.plan import Planned
from probe.ports import Cluster, ReadBack, Tap
from probe.protocol.apis import API_VERSIONS, METADATA
from probe.runner.cost.client_record import ClientRecord
from probe.runner.cost.cost_header import PROOF, header_of
from probe.runner.cost.cost_result import Observed, by_writer, with_costs
from probe.runner.cost.fault_course import FaultCourse
from probe.runner.cost.process_usage import Usage, usage
from probe.runner.cost.tally import Tally
from probe.runner.judge_executor import submit_to_thread
from probe.runner.tools import Options, Tools
from probe.runner.trial.client_limits import own_limit_ms, with_own_timeout
from probe.runner.trial.setup import make_header, make_start
from probe.runner.trial.start_modes import spread_of
from probe.runner.trial.teardown import STOP_MS
from probe.verdict.patience import patience_ms

DISCOVERY = (METADATA, API_VERSIONS)
KEPT = 10
"""Partitions, the first ones, whose rows and operations are kept for the verdicts."""
WARM_S = 90.0
"""Longest time until every partition of every client serves, beside four intervals."""
SETTLED_S = 11.0
"""Time from the last partition's first success to the fault. A franz-go client asks for metadata a second time 5 s
(`MetadataMinAge`) after the first, and for 5 s more does not ask because of an error (kgo/metadata.go)."""
POLL_S = 0.1
STORM_MS = 5000
"""Observation once everything works: some storms begin after success."""
COMPARISONS = 30
"""Most comparisons of counts, `POLL_S` apart, until they agree."""
LAST_MS = 1000
"""Time for reports of drivers that are under way."""


@dataclass(kw_only=True)
class CostTrial:
    """One trial of cost while it runs."""

    item: Planned
    scale: Scale
    interval_ms: int
    tools: Tools
    options: Options
    tally: Tally = field(default_factory=Tally)
    instances: list[RunningInstance] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    before: Usage = field(default_factory=Usage)
    peak: Usage = field(default_factory=Usage)
    works_at: int | None = None
    """When the last partition of the last client worked again."""
    end_at: int = 0
    """End of the observation."""
    cpu_s: float = 0.0
    differences: tuple[str, ...] = ()
    healed: bool = False

    async def play(self) -> PointCost:
        """Run the trial. What the harness fails at is in the result's `problems`."""
        name = make_header(self.item, 1, self.tools, self.options).subject.client_id
        header = header_of(make_header(self.item, 1, self.tools, self.options), self.scale, self.interval_ms)
        back = ReadBack((), {})
        try:
            if not isinstance(self.tools.engine, CountingEngine):
                raise EngineError(f"{self.item.cell.engine}: these brokers do not count requests by client")
            async with self.tools.engine.counted_cluster(self.item.cell.broker, self.tally.add) as (cluster, tap):
                header = await self._prepared(cluster, header)
                async with contextlib.AsyncExitStack() as running:
                    await self._started(running, tap, header, name)
                    if await self._warm():
                        header = await self._faulted(cluster, tap, header)
                    await self._stopped()
                await self._compared(cluster)
                if not self.healed:
                    await cluster.revert()
                self.problems += await cluster.problems()
                back = await cluster.read_back()
        except (HarnessError, ExceptionGroup, TimeoutError) as error:
            self.problems.append(_said(error))
        finally:
            self.tools.host.finish(self.item.cell.client)
        seen = Observed(
            header=header,
            tally=self.tally,
            marks=tuple(self.marks),
            stored=by_writer(back.stored),
            clock_errors={instance.name: instance.clock_error_us for instance in self.instances},
            end_at=self.end_at,
        )
        own = PointCost(
            client=str(self.item.cell.client),
            role=str(self.item.cell.role),
            profile=self.item.cell.profile,
            scenario=self.item.cell.scenario,
            engine=str(self.item.cell.engine),
            broker=self.item.cell.broker,
            scale=self.scale,
            interval_ms=self.interval_ms,
            memory_mb=round(self.peak.memory_mb, 1),
            cpu_s=round(self.cpu_s, 2),
            processes=len(self._pids()),
            lag_ms=header.loop_lag_ms,
            differences=self.differences,
            problems=tuple(self.problems),
        )
        return await submit_to_thread(lambda _: with_costs(own, seen), History(header, ()))

    # The steps of a trial

    async def _prepared(self, cluster: Cluster, header: Header) -> Header:
        plan = TopicPlan(feed_ms=0, bystander_ms=0, spread=spread_of(self.item.variant), moving=self.scale.partitions)
        return replace(header, subject=await cluster.prepare(header.subject, plan))

    async def _started(self, running: contextlib.AsyncExitStack, tap: Tap, header: Header, name: str) -> None:
        """Start the clients one after the other over an interval, so that they do not write at the same moment."""
        subject = header.subject
        partitions = [number for number in range(self.scale.partitions + 1) if number != subject.bystander]
        first = make_start(self.item, subject, tap)
        kept = frozenset({*partitions[:KEPT], subject.bystander})
        for number in range(self.scale.clients):
            client = f"{name}-{number:04}"
            start = replace(
                first,
                instance=client,
                client_id=client,
                partitions=[*partitions, subject.bystander],
                interval_ms=self.interval_ms,
                bystander_ms=0,
            )
            record = self.tally.new_record(ClientRecord(start, kept))
            self.instances.append(
                await running.enter_async_context(self.tools.host.start(self.item.cell, start, record.add))
            )
            await asyncio.sleep(self.interval_ms / 1000 / self.scale.clients)

    async def _warm(self) -> bool:
        """Wait until all partitions of all clients serve, and then a while; False, with a problem, if one does not."""
        wanted = self.scale.partitions + 1
        until = now_us() + round((WARM_S + 4 * self.interval_ms / 1000) * 1e6)
        records = self.tally.records.values()
        while any(len(record.served) < wanted for record in records):
            ended = next((record.ending for record in records if record.ending is not None), None)
            if ended is not None or now_us() > until:
                served = sum(len(record.served) >= wanted for record in records)
                why = f": {ended.text or ended.kind}" if ended is not None else ""
                self.problems.append(f"{served} of {self.scale.clients} clients serve after the warm-up{why}")
                return False
            await asyncio.sleep(POLL_S)
        await asyncio.sleep(SETTLED_S)
        self.marks.append(Mark(at=now_us(), kind=MarkKind.WARM))
        return True

    async def _faulted(self, cluster: CountedCluster, tap: Tap, header: Header) -> Header:
        """Inject the fault and observe; return the header with what the clients' settings and the observation say."""
        settings = effective(header.cell, next(iter(self.tally.records.values())).settings)
        limits = replace(header.limits, own_limit_ms=own_limit_ms(header.play, settings))
        header = replace(header, settings=settings, limits=limits)
        for record in self.tally.records.values():
            record.arm()
        self._amplify(tap)
        self.before = self.peak = usage(self._pids())
        await cluster.inject(with_own_timeout(self.item.variant.steps, settings), header.play.election_ms)
        course = FaultCourse.of(self.item)
        planned_at = self.tally.begin(course, header.subject.old)
        patience = patience_ms(header) + self.scale.late + 4 * self.interval_ms
        async with asyncio.TaskGroup() as beside:
            if course.heals_ms is not None:
                beside.create_task(self._healed(course.heals_ms, cluster, tap))
            await self._observed(patience, planned_at, cluster)
        tap.hold((), 0)
        tap.refuse_above((), 0)
        self.end_at = now_us()
        self.marks.append(Mark(at=self.end_at, kind=MarkKind.HEALING))
        lag = self.tools.lag.worst_ms(self.tally.fault_at, self.end_at)
        return replace(header, watched_ms=(self.end_at - self.tally.fault_at) // 1000, loop_lag_ms=lag)

    def _amplify(self, tap: Tap) -> None:
        """Answer late, or refuse what is above a rate: a fake on loopback has no queue."""
        if self.scale.late:
            tap.hold(DISCOVERY, self.scale.late)
        tap.refuse_above(DISCOVERY, self.scale.admitted)

    async def _healed(self, after_ms: int, cluster: Cluster, tap: Tap) -> None:
        """Revert a fault that heals by itself, at its time."""
        await asyncio.sleep(max(0.0, (self.tally.fault_at - now_us()) / 1e6 + after_ms / 1000))
        self.healed = True
        await cluster.revert()
        self._amplify(tap)

    async def _observed(self, patience: int, planned_at: int, cluster: CountedCluster) -> None:
        """Observe until all works, and is proven to, or patience is over; CPU counts until the last partition works."""
        partitions = self._partitions
        settled = max(STORM_MS, PROOF * self.interval_ms) + LAST_MS
        while now_us() - self.tally.fault_at < patience * 1000 or self.works_at is not None:
            await asyncio.sleep(POLL_S)
            self.tally.over_at = cluster.over_at(planned_at)
            now = usage(self._pids())
            self.peak = replace(self.peak, memory_mb=max(self.peak.memory_mb, now.memory_mb))
            if self.works_at is None:
                self.cpu_s = now.cpu_s - self.before.cpu_s
                self.works_at = now_us() if self.tally.all_work(partitions) else None
            elif now_us() - self.works_at >= settled * 1000:
                return

    async def _stopped(self) -> None:
        self.marks.append(Mark(at=now_us(), kind=MarkKind.STOPPING))
        await asyncio.gather(*(instance.stop(STOP_MS) for instance in self.instances))
        self.marks.append(Mark(at=now_us(), kind=MarkKind.STOPPED))
        if died := next((instance.died for instance in self.instances if instance.died), ""):
            self.problems.append(died)

    async def _compared(self, cluster: CountedCluster) -> None:
        """Compare the counts of relay and brokers; what clients sent last may be under way for a moment."""
        for _ in range(COMPARISONS):
            self.differences = tuple(self.tally.differences(await cluster.counted()))
            if not self.differences:
                return
            await asyncio.sleep(POLL_S)

    @property
    def _partitions(self) -> Sequence[int]:
        return next(iter(self.tally.records.values())).start.partitions[:-1]

    def _pids(self) -> set[int]:
        return {instance.pid for instance in self.instances}


def _said(error: Exception) -> str:
    """Return the words of an error, or of the first one in a group."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
