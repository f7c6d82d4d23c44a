"""A fault action made of two functions. The last revert waits until everything is in sync."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from probe.engines.kafka.deadlines import IN_SYNC_S
from probe.engines.kafka.internal_topics import INTERNAL
from probe.engines.kafka.ports import FaultTarget
from probe.scenarios.steps.step import Step

Work = Callable[[Any, FaultTarget], Coroutine[Any, Any, None]]


async def nothing(_: Step, __: FaultTarget) -> None:
    """Do nothing: the effect of the step ends by itself or with the trial's topic."""


@dataclass(frozen=True, slots=True)
class Action:
    """A `ports.FaultAction`: `work` injects and `back` reverts."""

    work: Work
    back: Work = nothing

    async def inject(self, step: Step, target: FaultTarget) -> None:
        """Inject the step."""
        await self.work(step, target)

    async def revert(self, step: Step, target: FaultTarget) -> None:
        """Revert the step. The first step is reverted last, so afterwards everything must be in sync."""
        await self.back(step, target)
        if step is target.steps[0]:
            await in_sync(target)


async def in_sync(target: FaultTarget) -> None:
    """Wait until all topics, including internal ones, are in sync. TimeoutError."""
    await target.cluster.in_sync([*topics(target), *INTERNAL], IN_SYNC_S)


def topics(target: FaultTarget) -> list[str]:
    """Return the topics of all subjects."""
    return sorted({subject.topic for subject in target.subjects})
