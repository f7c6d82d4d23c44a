"""Assembles the live parts of a run: engine, relays, drivers."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from probe.catalogue.families import Family, Version
from probe.catalogue.selectors import LINES, Chosen
from probe.cli.wiring.catalogue import obtained
from probe.drivers.host import Bound, Host
from probe.drivers.launch import Launch
from probe.drivers.provision import provision_all
from probe.engines.embedded.engine import Embedded
from probe.errors import ProvisionError
from probe.files.atomic_writes import write_file
from probe.model import Client
from probe.model.security import Security
from probe.ports import EnginePort, RelayPort, Sink
from probe.processes.resources import exhaustion
from probe.processes.scheduling import prefer_own_threads, preferring_own_threads
from probe.protocol.definitions import Jar
from probe.protocol.schemas import Schemas
from probe.relay import Backlog, Relay
from probe.relay.listener import Hosts
from probe.run_credentials import run_credentials
from probe.runner import Options, Tools
from probe.runner.loop_lag import LoopLag
from probe.runner.schedule.descriptors import within
from probe.toolchain.golang import fake_cluster
from probe.toolchain.maven_jars import schema_jars
from probe.toolchain.tools import cache_root
from probe.verdict import STALL_MS

FIRST_NEW_LINE = 4
FETCHES = 4

MakeHosts = Callable[[Sink], AbstractContextManager[Hosts]]
"""Gives the brokers of one relay names, inside a block."""


def get_clients(
    chosen: Sequence[Chosen], report: Callable[[str], None]
) -> tuple[dict[Client, Bound], dict[Client, str]]:
    """Obtain drivers; return them, and the reasons for the missing ones. ExhaustedError on a full disk."""
    bound: dict[Client, Bound] = {}
    absent: dict[Client, str] = {}
    reasons: list[ProvisionError] = []

    def note(family: Family, version: Version, result: Launch | ProvisionError) -> None:
        client = family.client(version)
        if isinstance(result, Launch):
            bound[client] = Bound(result, family.instances_per_process)
            if not obtained(client).exists():
                report(f"obtained {client}: {result.artifact}")
            write_file(obtained(client), f"{result.artifact}\n")
        else:
            absent[client] = str(result)
            reasons.append(result)
            report(f"{client} cannot be run here: {result}")

    each = {item.client: (item.family, item.version) for item in chosen}
    provision_all(tuple(each.values()), FETCHES, cache_root(), report=note)
    if own := next(filter(None, map(exhaustion, reasons)), None):
        raise own
    return bound, absent


def fake_clusters(*, capture: bool = False) -> FakeClusters:
    """Build the fake cluster and read Kafka's message definitions. ToolError or ProvisionError if that fails."""
    root = cache_root()
    jars = schema_jars(root)
    schemas = Schemas(jars)
    schemas.warm()  # otherwise the first frame of each kind would stall the event loop
    relays = Relays(schemas=schemas, capture=capture)
    return FakeClusters(Embedded(fake_cluster(root), relays, _version_files(root, schemas.jars)), relays)


def embedded_engine(*, capture: bool = False) -> Embedded:
    """Return the embedded engine alone. ToolError or ProvisionError if it cannot be built."""
    return fake_clusters(capture=capture).port


@dataclass(frozen=True, slots=True)
class FakeClusters:
    """The embedded engine, ready for trials (`engines.BuiltEngine`)."""

    port: Embedded
    relays: Relays
    """Its own."""

    def by_name(self, hosts: MakeHosts) -> Embedded:
        """Return the engine with brokers that have names."""
        return replace(self.port, open_relay=replace(self.relays, hosts=hosts))

    def describe(self) -> dict[str, str]:
        """Return nothing: fake clusters are part of the probe."""
        return {}

    def limit(self, options: Options, open_files: int, clients: int) -> Options:
        """Return the options with trials in flight within the limit of open files. ExhaustedError if none fits."""
        return within(options, open_files, clients)

    def drain(self) -> None:
        """Return nothing: each trial has a cluster of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relays:
    """Opens relays with these message definitions; with `capture` they keep the traffic."""

    schemas: Schemas
    capture: bool = False
    hosts: MakeHosts | None = None
    """Gives the brokers of each relay names; None = they have numbers."""
    backlog: Backlog = field(default_factory=Backlog)
    """Of all its relays: they are decoded together, which costs less."""

    @contextlib.asynccontextmanager
    async def __call__(self, brokers: Sequence[int], sink: Sink, names: dict[bytes, str]) -> AsyncIterator[RelayPort]:
        """Open a relay. It is a `probe.ports.OpenRelay`."""
        with contextlib.nullcontext() if self.hosts is None else self.hosts(sink) as hosts:
            async with Relay(
                brokers=brokers,
                sink=sink,
                schemas=self.schemas,
                topic_names=names,
                capture=self.capture,
                backlog=self.backlog,
                hosts=hosts,
            ) as relay:
                yield relay


def _version_files(root: Path, jars: Sequence[Jar]) -> dict[str, Path]:
    """Write the version ranges of each release line to files for the fake cluster."""
    old, new = jars
    folder = root / "versions"
    files = {}
    for jar in (old, new):
        path = folder / f"{jar.path.stem}.json"
        write_file(path, json.dumps({str(api): list(span) for api, span in jar.ranges().items()}))
        files[jar] = path
    return {line: files[new if int(line.split(".")[0]) >= FIRST_NEW_LINE else old] for line in LINES}


@contextlib.asynccontextmanager
async def live_tools(
    engine: EnginePort,
    bound: Mapping[Client, Bound],
    securities: Iterable[Security] = (),
    by_name: Callable[[MakeHosts], EnginePort] | None = None,
) -> AsyncIterator[Tools]:
    """Open the live parts of a run, with credentials for these; at the end the engine stops its clusters.

    `by_name` gives the engine whose brokers have names; a private network is opened for them. RelayError without one.
    """
    lag = LoopLag()
    kept = engine if isinstance(engine, AbstractAsyncContextManager) else contextlib.nullcontext()
    async with lag.measuring(), Host(bound, stalled=partial(_stalled, lag)) as host, kept, preferring_own_threads():
        # executor threads hold the interpreter lock now and then, and must not wait for a core meanwhile
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(initializer=prefer_own_threads))
        artifacts = {client: item.launch.artifact for client, item in bound.items()}
        with run_credentials(securities) as accesses:
            tools = Tools(engine=engine, host=host, lag=lag, artifacts=artifacts, accesses=accesses)
            if by_name is None:
                yield tools
                return
            async with _named(tools, bound, by_name) as named:
                yield replace(tools, by_name=named)


@contextlib.asynccontextmanager
async def _named(
    tools: Tools, bound: Mapping[Client, Bound], by_name: Callable[[MakeHosts], EnginePort]
) -> AsyncIterator[Tools]:
    """Open a private network; yield the tools with which trials are played there."""
    from probe.names.private_names import private_names  # noqa: PLC0415  # few runs need names

    stalled = partial(_stalled, tools.lag)
    async with private_names() as private, Host(bound, private, stalled=stalled) as host:
        yield replace(tools, engine=by_name(private.hosts), host=host)


def _stalled(lag: LoopLag, since: int, until: int) -> bool:
    """Return whether the harness stalled between two times in microseconds for as long as breaks a trial."""
    return lag.worst_ms(since, until) > STALL_MS
