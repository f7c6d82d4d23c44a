"""The incident on real brokers, recorded by tcpdump and by the brokers' request logs (`diagnose_incident.py`)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from probe import store
from probe.cli.console.streams import say
from probe.cli.wiring.composition import Relays, get_clients
from probe.cli.wiring.execution import PreparedRun, execute
from probe.cli.wiring.kafka_engine import RealBrokers, description, exact_versions, kafka_engine
from probe.cli.wiring.run_selection import RunSelection
from probe.engines.kafka.cluster.java_command import write_logging
from probe.engines.kafka.disks.choice import choose
from probe.engines.kafka.engine import Kafka
from probe.engines.kafka.faults.actions import ACTIONS
from probe.model import Engine, Event, History, Request, Response, Role
from probe.model.clock import now_us
from probe.planning.plan import Plan
from probe.ports import OpenRelay, RelayPort, Sink
from probe.processes.children import Child, child
from probe.protocol.apis import FETCH, METADATA, PRODUCE
from probe.protocol.schemas import Schemas
from probe.runner import Options
from probe.store import RunStore
from probe.toolchain.maven_jars import schema_jars
from probe.toolchain.tools import cache_root
from tests.support.fetched_tools import debian_program

SCENARIO = "incident/jbod"
CAPTURE = "clients.pcap"
ZONE = "Asia/Kolkata"
"""Time zone of the brokers, which their logs do not name: no full hours from UTC."""
RECORDED_US = 50_000_000
"""Time from the first error to the end of the recordings; the fault stands for 65 s."""
SETTLED_US = 5_000_000
"""Time at the end of the recordings in which a client that works again is answered well."""
TCPDUMP_S = 10.0

LOG4J = """log4j.appender.requestAppender=org.apache.log4j.DailyRollingFileAppender
log4j.appender.requestAppender.DatePattern='.'yyyy-MM-dd-HH
log4j.appender.requestAppender.File={file}
log4j.appender.requestAppender.layout=org.apache.log4j.PatternLayout
log4j.appender.requestAppender.layout.ConversionPattern=[%d] %p %m (%c)%n
log4j.logger.kafka.request.logger={level}, requestAppender
log4j.additivity.kafka.request.logger=false
"""
LOG4J2 = """appender.request.type=RollingFile
appender.request.name=RequestAppender
appender.request.fileName={file}
appender.request.filePattern={file}.%d{{yyyy-MM-dd-HH}}
appender.request.layout.type=PatternLayout
appender.request.layout.pattern=[%d] %p %m (%c)%n
appender.request.policies.type=Policies
appender.request.policies.time.type=TimeBasedTriggeringPolicy
logger.request.name=kafka.request.logger
logger.request.level={level}
logger.request.additivity=false
logger.request.appenderRef.request.ref=RequestAppender
"""
"""Appenders and patterns as Kafka's own `config/log4j.properties` (to 3.9) and `config/log4j2.yaml` (4.x) have them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtRelay:
    """Events that the relay saw of one client, until the recordings end."""

    client: str
    """Such as `sarama@1.43.2`."""
    client_id: str
    topic: str
    partition: int
    right: list[str]
    """Statuses that are right."""
    code: int
    """The first error that it was answered; 0 = none."""
    asked: int
    """Metadata requests after it."""
    futile_per_s: float
    """Requests about the partition that were not answered well, per second, from the first error to the end."""


class Watch:
    """The relay's events, and tcpdump on the relay's ports while it is open."""

    def __init__(self, capture: Path) -> None:
        self.events: list[Event] = []
        self._capture = capture

    def watching(self, plain: OpenRelay) -> OpenRelay:
        """Return a function that opens the same relays, watched."""

        def open_relay(
            brokers: Sequence[int], sink: Sink, names: dict[bytes, str]
        ) -> AbstractAsyncContextManager[RelayPort]:
            return self._opened(plain, brokers, sink, names)

        return open_relay

    @contextlib.asynccontextmanager
    async def _opened(
        self, plain: OpenRelay, brokers: Sequence[int], sink: Sink, names: dict[bytes, str]
    ) -> AsyncIterator[RelayPort]:
        def both(event: Event) -> None:
            self.events.append(event)
            sink(event)

        async with plain(brokers, both, names) as relay:
            ports = " or ".join(f"tcp port {relay.address(broker).port}" for broker in brokers)
            async with tcpdump(self._capture, ports):
                yield relay


@contextlib.asynccontextmanager
async def tcpdump(path: Path, wanted: str) -> AsyncIterator[None]:
    """Record packets as docs/diagnose.md says."""
    program = debian_program("tcpdump", "tcpdump")
    argv = [str(program), "-i", "any", "-s", "0", "-U", "-Z", "root", "-w", str(path), wanted]
    async with child(argv) as running:
        await _says(running, "listening on")
        try:
            yield
        finally:
            os.kill(running.pid, signal.SIGINT)
            with contextlib.suppress(TimeoutError):
                await _says(running, "dropped by kernel")
            say(f"tcpdump: {', '.join(list(running.lines)[-3:])}")


async def _says(running: Child, words: str) -> None:
    async with asyncio.timeout(TCPDUMP_S):
        while not any(words in line for line in running.lines):  # noqa: ASYNC110  # lines come without an event
            await asyncio.sleep(0.05)


def record(folder: Path, broker: str, level: str, clients: Sequence[str], roles: Sequence[Role]) -> None:
    """Replay the incident; write the recordings, and what the relay saw, into a folder."""
    asked = RunSelection(
        clients=clients, scenarios=[SCENARIO], roles=roles, engine=Engine.KAFKA, brokers=[broker], profiles=["isolated"]
    )
    plan, selection = asked.whole()
    plan = replace(plan, cells=tuple(item for item in plan.cells if item.cell.scenario == SCENARIO))
    watch = Watch(folder / CAPTURE)
    engine = _engine(plan, watch, partial(write_request_logging, folder, level))
    bound, absent = get_clients(selection.clients, say)
    with tempfile.TemporaryDirectory() as results:
        with RunStore.create(results, command=[], seed=selection.seed, versions=description(engine)) as kept:
            execute(
                plan,
                PreparedRun(RealBrokers(engine), bound, absent),
                Options(plain_names=True, repeat_budget_s=0.0),
                results,
                kept,
                {},
            )
        wall = time.time_ns() // 1000 - now_us()
        histories = list(store.histories(results, kept.run_id))
    _write_truth(folder, watch.events, histories, wall)


def _engine(plan: Plan, watch: Watch, logging: Callable[[Path], None]) -> Kafka:
    found = kafka_engine(exact_versions(plan), say)
    releases = {
        line: replace(one, options=(*one.options, f"-Duser.timezone={ZONE}"), broker_logging=logging)
        for line, one in found.releases.items()
    }
    schemas = Schemas(schema_jars(cache_root()))
    schemas.warm()
    return Kafka(releases, watch.watching(Relays(schemas=schemas)), choose(os.environ.get("PROBE_DISK", "")), ACTIONS)


def write_request_logging(logs: Path, level: str, folder: Path) -> None:
    """Write a broker's logging configuration, with a request log."""
    write_logging(folder)
    file = logs.absolute() / f"{folder.name}.log"
    for name, text in (("log4j.properties", LOG4J), ("log4j2.properties", LOG4J2)):
        with (folder / name).open("a") as out:
            out.write(text.format(file=file, level=level))


def _write_truth(folder: Path, events: Sequence[Event], histories: Sequence[History], wall: int) -> None:
    """Write what the relay saw; `wall` is what makes its clock the time since 1970."""
    begins = [at for history in histories if (at := _first_error(events, history)) is not None]
    if not begins:
        raise SystemExit(f"no client met an error: {[history.header.problems for history in histories]}")
    until = min(begins) + RECORDED_US
    clients = [asdict(_truth(events, history, until)) for history in histories]
    known = {"fault": min(begins) + wall, "until": until + wall, "clients": clients}
    (folder / "truth.json").write_text(json.dumps(known, indent=1))


def _answers(events: Sequence[Event], history: History) -> Iterator[tuple[int, int]]:
    """Yield time and code of the answers about the partition whose disk died."""
    subject = history.header.subject
    mine = {event.conn for event in events if isinstance(event, Request) and event.client_id == subject.client_id}
    for event in events:
        if isinstance(event, Response) and event.api in {PRODUCE, FETCH} and event.conn in mine:
            for row in event.rows:
                if (row.topic, row.partition) == (subject.topic, subject.affected):
                    yield event.at, row.code


def _first_error(events: Sequence[Event], history: History) -> int | None:
    return next((at for at, code in _answers(events, history) if code), None)


def _truth(events: Sequence[Event], history: History, until: int) -> AtRelay:
    subject, cell = history.header.subject, history.header.cell
    answers = [(at, code) for at, code in _answers(events, history) if at <= until]
    first = next((at for at, code in answers if code), until)
    mine = [
        event
        for event in events
        if isinstance(event, Request) and event.client_id == subject.client_id and first < event.at <= until
    ]
    work = [event for event in mine if any((row.topic, row.partition) == (subject.topic, subject.affected)
                                           for row in event.rows) and event.api in {PRODUCE, FETCH}]  # fmt: skip
    good = sum(1 for at, code in answers if at > first and not code)
    served = any(at > until - SETTLED_US and not code for at, code in answers)
    return AtRelay(
        client=str(cell.client),
        client_id=subject.client_id,
        topic=subject.topic,
        partition=subject.affected,
        right=["recovered" if first < until else "healthy"] if served else ["stuck"],
        code=next((code for _, code in answers if code), 0),
        asked=sum(event.api == METADATA for event in mine),
        futile_per_s=max(0, len(work) - good) / max(1, until - first) * 1e6,
    )
