"""Assembles the live parts of a run: engine, relays, drivers."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
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
from probe.ports import EnginePort, OpenRelay, RelayPort, Sink
from probe.processes.resources import exhaustion
from probe.processes.scheduling import prefer_own_threads, preferring_own_threads
from probe.protocol.definitions import Jar
from probe.protocol.schemas import Schemas
from probe.relay import Backlog, Relay
from probe.run_credentials import run_credentials
from probe.runner import Options, Tools
from probe.runner.loop_lag import LoopLag
from probe.runner.schedule.descriptors import within
from probe.toolchain.golang import fake_cluster
from probe.toolchain.maven_jars import schema_jars
from probe.toolchain.tools import cache_root

FIRST_NEW_LINE = 4
FETCHES = 4


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


def embedded_engine(*, capture: bool = False) -> Embedded:
    """Build the fake cluster and read Kafka's message definitions. ToolError or ProvisionError if that fails."""
    root = cache_root()
    jars = schema_jars(root)
    schemas = Schemas(jars)
    schemas.warm()  # otherwise the first frame of each kind would stall the event loop
    return Embedded(fake_cluster(root), relays(schemas, capture=capture), _version_files(root, schemas.jars))


@dataclass(frozen=True, slots=True)
class FakeClusters:
    """The embedded engine, ready for trials (`engines.BuiltEngine`)."""

    port: Embedded

    def describe(self) -> dict[str, str]:
        """Return nothing: fake clusters are part of the probe."""
        return {}

    def limit(self, options: Options, open_files: int, clients: int) -> Options:
        """Return the options with trials in flight within the limit of open files. ExhaustedError if none fits."""
        return within(options, open_files, clients)

    def drain(self) -> None:
        """Return nothing: each trial has a cluster of its own."""


def relays(schemas: Schemas, *, capture: bool = False) -> OpenRelay:
    """Return a function that opens relays with these message definitions; with `capture` they keep the traffic."""
    backlog = Backlog()

    def open_relay(
        brokers: Sequence[int], sink: Sink, names: dict[bytes, str]
    ) -> AbstractAsyncContextManager[RelayPort]:
        return Relay(brokers=brokers, sink=sink, schemas=schemas, topic_names=names, capture=capture, backlog=backlog)

    return open_relay


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
    engine: EnginePort, bound: Mapping[Client, Bound], securities: Iterable[Security] = ()
) -> AsyncIterator[Tools]:
    """Open the live parts of a run, with credentials for these; at the end the engine stops its clusters."""
    lag = LoopLag()
    kept = engine if isinstance(engine, AbstractAsyncContextManager) else contextlib.nullcontext()
    async with lag.measuring(), Host(bound) as host, kept, preferring_own_threads():
        # executor threads hold the interpreter lock now and then, and must not wait for a core meanwhile
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(initializer=prefer_own_threads))
        artifacts = {client: item.launch.artifact for client, item in bound.items()}
        with run_credentials(securities) as accesses:
            yield Tools(engine=engine, host=host, lag=lag, artifacts=artifacts, accesses=accesses)
