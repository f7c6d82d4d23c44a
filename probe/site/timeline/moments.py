"""What a timeline and an event table are made of (pure values)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class MomentKind(StrEnum):
    """What a moment is; each has a shape of its own."""

    ASK = "ask"
    """A discovery whose answer is useful: it names the broker that serves the affected object from the fault on."""
    ASK_STALE = "ask-stale"
    """A discovery whose answer names another broker, or none, or that was never answered."""
    WORK = "work"
    """A request about the affected object, answered without an error."""
    ERROR = "error"
    """The same, answered with an error."""
    FUTILE = "futile"
    """A request about the affected object to a broker that is known not to serve it any more."""
    SILENT = "silent"
    """A request about the affected object that was never answered."""
    OPENED = "opened"
    CLOSED = "closed"
    """A connection that the client ended."""
    CUT = "cut"
    """A connection that broker or relay ended."""
    BEGUN = "begun"
    """Application: an operation was handed to the library."""
    DONE = "done"
    """Application: the library reported success, or delivered a record."""
    FAILED = "failed"
    """Application: the library reported an error."""
    GAP = "gap"
    """Application: a second or more without a success."""
    STATE = "state"
    """Application: assigned, revoked, closed, a notice."""
    STAGE = "stage"
    """Engine or harness: what was done to the brokers, and the milestones of the trial."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One thing that happened, or a folded run of one thing."""

    at: int
    """Microseconds since the fault."""
    sort: MomentKind
    lane: str
    """`broker 2`, `affected`, `bystander`, `stage`."""
    text: str
    until: int | None = None
    """End of a folded run or of a gap."""
    count: int = 1

    @property
    def end(self) -> int:
        """Return when it ended."""
        return self.at if self.until is None else self.until
