"""Values that timelines and event tables consist of (pure)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class MomentKind(StrEnum):
    """The kind of a moment; every kind has its own shape."""

    ASK = "ask"
    """A discovery with a useful answer: it names the broker that serves the affected object from the fault on."""
    ASK_STALE = "ask-stale"
    """A discovery whose answer names another broker or none, or that was never answered."""
    WORK = "work"
    """A request about the affected object, answered without an error."""
    ERROR = "error"
    """A request about the affected object, answered with an error."""
    FUTILE = "futile"
    """A request about the affected object to a broker that no longer serves it."""
    SILENT = "silent"
    """A request about the affected object that was never answered."""
    OPENED = "opened"
    CLOSED = "closed"
    """A connection that the client ended."""
    CUT = "cut"
    """A connection that the broker or the relay ended."""
    BEGUN = "begun"
    """Application: an operation was passed to the library."""
    DONE = "done"
    """Application: the library reported success, or delivered a record."""
    FAILED = "failed"
    """Application: the library reported an error."""
    GAP = "gap"
    """Application: a second or more without a success."""
    STATE = "state"
    """Application: assigned, revoked, closed, a notice."""
    STAGE = "stage"
    """Engine or harness: changes of the brokers, and the milestones of the trial."""


class Moment(NamedTuple):
    """An event, or a folded run of equal events.

    A tuple is built several times faster than a frozen dataclass; a trial has thousands of moments.
    """

    at: int
    """Microseconds since the fault."""
    sort: MomentKind
    lane: str
    """`broker 2`, `affected`, `bystander`, `stage`."""
    text: str
    until: int | None = None
    """End of a folded run or of a gap, in microseconds since the fault."""
    count: int = 1  # type: ignore[assignment]  # hides `tuple.count`, which nobody calls

    @property
    def end(self) -> int:
        """The end in microseconds since the fault."""
        return self.at if self.until is None else self.until
