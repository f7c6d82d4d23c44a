"""One process of the fake cluster (go_shim/cmd/fake-cluster)."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probe.engines.embedded.control import connected
from probe.errors import EngineError
from probe.model.endpoint import Endpoint
from probe.processes.children import child
from probe.processes.resources import said_exhaustion

if TYPE_CHECKING:
    from probe.engines.embedded.rpc.cluster_pb2_grpc import FakeClusterAsyncStub

START_S = 20.0


@dataclass(frozen=True, slots=True)
class FakeProcess:
    """A running process: its control connection, and the addresses of its brokers by number."""

    stub: FakeClusterAsyncStub
    brokers: tuple[Endpoint, ...]
    bootstrap: Endpoint
    """Address of the first broker that Metadata does not name."""


@contextlib.asynccontextmanager
async def fake_process(argv: Sequence[str]) -> AsyncIterator[FakeProcess]:
    """Start a process and connect to it. EngineError with its last words if it does not start."""
    async with child(argv) as running:
        try:
            ports = json.loads(await running.read_line(START_S))
        except (EOFError, ValueError, TimeoutError):
            words = running.last_words() or "no reason given"
            raise said_exhaustion(words) or EngineError(f"the fake cluster did not start: {words}") from None
        async with connected(Endpoint.parse(ports["control"])) as stub:
            brokers = tuple(map(Endpoint.parse, ports["brokers"]))
            yield FakeProcess(stub, brokers, Endpoint.parse(ports["bootstrap"]))
