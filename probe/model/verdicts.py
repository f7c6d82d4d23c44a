"""The result of a trial: an outcome with its facts."""

from __future__ import annotations

from dataclasses import dataclass, field

from probe.model.cell import Outcome
from probe.model.columns import Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An outcome, its reason and the facts it is based on."""

    outcome: Outcome
    reason: str
    """One sentence: the rule that decided, with its numbers."""
    conforms: bool | None = None
    """None where the scenario is informative or the outcome says nothing about the client."""
    facts: Facts = field(default_factory=Facts)
    rules: int = 1
    """Version of the rules that judged."""
