"""The planned course of a fault: when it heals by itself, and from when on everything can work. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from probe.planning.plan import Planned
from probe.scenarios.steps.brokers import Blackhole, When


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultCourse:
    """Planned times of a fault, in milliseconds from its beginning."""

    heals_ms: int | None = None
    """When it is reverted within the observation; None = after it."""
    over_ms: int = 0
    """The last planned change: a success before it may be followed by another failure."""
    is_unread: bool = False
    """The failing broker reads nothing of what the relay reads, from the fault on."""

    @classmethod
    def of(cls, item: Planned) -> Self:
        """Return the course of a planned cell's fault."""
        steps, election_ms = item.variant.steps, item.expectation.election_ms or 0
        found = (getattr(step, "when", None) for step in steps)
        times = [when for when in found if isinstance(when, When)]
        last = max((one.due_ms(election_ms) for one in times), default=0)
        return cls(
            heals_ms=item.variant.heal_after_ms,
            over_ms=max(last, item.variant.heal_after_ms or 0),
            is_unread=any(isinstance(step, Blackhole) for step in steps),
        )
