"""What a deed is made of: what is done, what is undone, and that everything is in sync in the end."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from probe.engines.kafka.ports import OFFSETS_TOPIC, TRANSACTIONS_TOPIC, FaultTarget
from probe.model.cluster import BROKERS
from probe.scenarios.steps.partitions import Step

INTERNAL = (OFFSETS_TOPIC, TRANSACTIONS_TOPIC)
SYNC_S = 60.0

Work = Callable[[Any, FaultTarget], Coroutine[Any, Any, None]]


async def nothing(_: Step, __: FaultTarget) -> None:
    """Do nothing: what was done passes by itself, or goes with the trial's topic."""


@dataclass(frozen=True, slots=True)
class Action:
    """A `kafka_ports.Deed`: the work, and the way back."""

    work: Work
    back: Work = nothing

    async def inject(self, step: Step, target: FaultTarget) -> None:
        """Break."""
        await self.work(step, target)

    async def revert(self, step: Step, target: FaultTarget) -> None:
        """Mend; when the first step is undone all is, so everything must be in sync again."""
        await self.back(step, target)
        if step is target.steps[0]:
            await in_sync(target)


async def in_sync(target: FaultTarget) -> None:
    """Wait until all that the brokers have is in sync. TimeoutError."""
    await target.cluster.in_sync([*topics(target), *INTERNAL], SYNC_S)


def topics(target: FaultTarget) -> list[str]:
    """Return the topics of all cells."""
    return sorted({subject.topic for subject in target.subjects})


def turns(old: int) -> tuple[int, int, int]:
    """Return the brokers by turn: the one that fails first, then the others by number."""
    first, second = (node for node in BROKERS if node != old)
    return old, first, second
