"""Needs of trials of cost from an engine: clusters whose brokers count requests (docs/cost.md)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol, runtime_checkable

from probe.ports import Cluster, Sink, Tap


class CountedCluster(Cluster, Protocol):
    """A cluster whose brokers count requests by client."""

    async def counted(self) -> Mapping[tuple[str, int, int], int]:
        """Return the requests that the brokers read so far, by (client id, broker, API key). EngineError."""

    def over_at(self, planned_at: int) -> int | None:
        """Return when the last planned change of the fault was made, or will be, in microseconds; None: not known yet.

        `planned_at` is when the scenario says so; real brokers take their own time.
        """


@runtime_checkable
class CountingEngine(Protocol):
    """An engine whose clusters can count requests by client."""

    def counted_cluster(self, broker: str, sink: Sink) -> AbstractAsyncContextManager[tuple[CountedCluster, Tap]]:
        """Start brokers that count requests, for one trial, as `EnginePort.cluster`."""
