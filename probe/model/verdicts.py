"""What was concluded: an outcome, and the facts it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field

from probe.model.cell import Outcome
from probe.model.columns import Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Outcome, why, and the facts it rests on."""

    outcome: Outcome
    reason: str
    """One sentence: the row of the table that decided, with its numbers."""
    conforms: bool | None = None
    """None where the scenario is informative or the outcome says nothing about the client."""
    facts: Facts = field(default_factory=Facts)
    rules: int = 1
    """Version of the rules that judged."""
