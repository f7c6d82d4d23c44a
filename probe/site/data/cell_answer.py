"""The answer of a cell as the pages read it, whether a row of the matrix or evidence that ships gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from probe.model import Outcome
from probe.model.harm import Harm


class Answered(Protocol):
    """The answer of a cell."""

    @property
    def worst(self) -> Outcome:
        """The outcome of the worst trial."""

    @property
    def conforms(self) -> bool | None:
        """Whether the cell conforms; None = not judged."""

    @property
    def harm(self) -> Harm | None:
        """The harm of the gravest trial; None = unknown."""

    @property
    def votes(self) -> Mapping[Outcome, int]:
        """Number of trials per outcome, the commonest first."""
