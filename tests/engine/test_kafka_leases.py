"""The number of clusters at a time, and which are kept. No broker is started."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from probe.engines.kafka import engine as module
from probe.engines.kafka.cluster.release import Release
from probe.engines.kafka.engine import MIN_COHORTS_LEFT, Kafka
from probe.model.cluster import PLANNED
from probe.scenarios.cluster_spec import DEFAULT_CLUSTER
from tests.support import virtual_time

LINE = "3.9"
MANY = 2 * MIN_COHORTS_LEFT
RELEASE = Release(version="3.9.2", line=LINE, kraft=True, jars=(), java=Path("java"))


class Clusters:
    """A fake for the start of clusters that counts the running ones."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.running = self.started = 0
        monkeypatch.setattr(module, "running", self.one)
        monkeypatch.setattr(module, "revert_cluster", self.revert)
        monkeypatch.setattr(module, "Cohort", self.cohort)
        monkeypatch.setattr(module, "NEXT_START_S", 0.0)

    @contextlib.asynccontextmanager
    async def one(self, *_: Any) -> AsyncIterator[Any]:
        self.running += 1
        self.started += 1
        yield SimpleNamespace(line=LINE, spec=DEFAULT_CLUSTER, access=None, nodes=PLANNED)
        self.running -= 1

    async def revert(self, *_: Any) -> None:
        """Revert nothing: no fault was injected."""

    def cohort(self, *_: Any) -> Any:
        @contextlib.asynccontextmanager
        async def meeting() -> AsyncIterator[Sequence[Any]]:
            yield ()

        return SimpleNamespace(barrier=meeting, spoilt="")


def engine(clusters: int, in_silence: int) -> Kafka:
    unused: Any = None
    return Kafka({LINE: RELEASE}, unused, unused, {}, clusters=clusters, in_silence=in_silence)


@contextlib.asynccontextmanager
async def leased(kafka: Kafka, *silences: bool) -> AsyncIterator[list[contextlib.AsyncExitStack]]:
    """Lease a cluster for every value. Raises TimeoutError if one is not available."""
    async with contextlib.AsyncExitStack() as all_of_them:
        stacks = []
        for silent in silences:
            stack = await all_of_them.enter_async_context(contextlib.AsyncExitStack())
            async with asyncio.timeout(1):
                await stack.enter_async_context(kafka.cohort(LINE, 1, MANY, silent=silent))
            stacks.append(stack)
        yield stacks


async def turns() -> None:
    """Let spawned tasks finish."""
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize(("silences", "fit"), [((False, False), True), ((False, False, False), False)])
def test_the_number_of_clusters_is_limited(
    monkeypatch: pytest.MonkeyPatch, silences: Sequence[bool], fit: bool
) -> None:
    async def go() -> None:
        async with engine(2, 1) as kafka:
            with contextlib.nullcontext() if fit else pytest.raises(TimeoutError):
                async with leased(kafka, *silences):
                    pass

    clusters = Clusters(monkeypatch)
    virtual_time.run(go())
    assert clusters.running == 0
    assert clusters.started == 2


def test_a_silent_cluster_does_not_count_and_ends_if_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def go() -> None:
        async with engine(2, 1) as kafka, leased(kafka, True, False, False) as (silent, *_):
            assert clusters.running == 3
            await silent.aclose()
            await turns()
            assert clusters.running == 2

    clusters = Clusters(monkeypatch)
    virtual_time.run(go())
    assert clusters.running == 0


def test_silent_clusters_beyond_their_limit_count(monkeypatch: pytest.MonkeyPatch) -> None:
    async def go() -> None:
        async with engine(2, 1) as kafka:
            with pytest.raises(TimeoutError):
                async with leased(kafka, True, True, False, False):
                    pass

    clusters = Clusters(monkeypatch)
    virtual_time.run(go())
    assert clusters.started == 3


def test_a_returned_cluster_is_used_again_if_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    async def go() -> None:
        async with engine(2, 1) as kafka:
            async with leased(kafka, True):
                pass
            await turns()
            async with leased(kafka, False):
                pass

    clusters = Clusters(monkeypatch)
    virtual_time.run(go())
    assert clusters.started <= 2
