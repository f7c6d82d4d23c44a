"""What became of a client with one object, and what shows it: one table of rules, the first that holds decides.

Patience is that of docs/verdicts.md#patience for a client whose own limits are not known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from probe.diagnose.admission import admission
from probe.diagnose.clients import ClientState
from probe.diagnose.findings import ACKS_NONE, ANSWERED_US, Status
from probe.diagnose.objects import ADMISSION, Item, Kind
from probe.diagnose.troubles import ItemState, Sign, Trouble
from probe.protocol.names import api_slug, error_name
from probe.scenarios.error_answers import BY_CODE, ErrorClass
from probe.verdict.broker_delay import JOINS
from probe.verdict.recovery import QUIET_US
from probe.verdict.service import FRESH_US

SILENT_US = 30_000_000
"""Patience with cut connections and silence: the request timeout that most clients have."""
JOINING_US = 60_000_000
"""Patience with a member that waits to join its group."""
WORKS_US = 5_000_000
"""A client works if its last success is not older; a fetch may wait for as long."""
ENDED_US = 3_000_000
"""A client without connections for this time has ended."""


@dataclass(frozen=True, slots=True)
class Case:
    """The input of the rules."""

    client: ClientState
    item: Item
    state: ItemState
    trouble: Trouble
    now: int

    @property
    def waited(self) -> int:
        """Return the time since the trouble began, or began again."""
        return self.now - self.trouble.again

    @property
    def idle(self) -> int:
        """Return the time since the last request about the object."""
        last = self.client.last_request if self.item.kind is Kind.CLUSTER else self.state.last_request
        return self.now - (last if last is not None else self.trouble.since)

    @property
    def patience(self) -> int:
        """Return how long a client may need for its way back."""
        if self.joins:
            return JOINING_US
        return ANSWERED_US if self.trouble.sign is Sign.ERROR else SILENT_US

    @property
    def joins(self) -> bool:
        """Return whether a member of a group waits for the answer to its request to join."""
        return self.item.kind is Kind.GROUP and any(one.api in JOINS for one in self.client.pending.values())

    @property
    def ended(self) -> bool:
        """Return whether the client ended all connections by itself, and made none since."""
        return self.client.closed and self.now - self.client.last_at >= ENDED_US

    @property
    def final(self) -> bool:
        """Return whether the last answer is one that no other broker would mend."""
        known = BY_CODE.get((api_slug(self.trouble.api), self.trouble.code))
        return self.trouble.sign is Sign.ERROR and known is not None and known.kind is ErrorClass.FINAL

    @property
    def stopped(self) -> bool:
        """Return whether the client worked on the object regularly before, and does no more."""
        last = self.state.last_request or 0
        served = self.trouble.good_at
        return self.trouble.regular and self.idle >= self.patience and (served is None or last <= served + QUIET_US)

    @property
    def open(self) -> bool:
        """Return whether the client still has connections, or sends requests about anything."""
        return bool(self.client.links) or self.now - self.client.last_request <= max(FRESH_US, self.patience)

    @property
    def joined(self) -> bool:
        """Return whether the client joined a group since: another member may have its partitions."""
        return self.item.kind is Kind.PARTITION and self.client.joined >= self.trouble.since

    @property
    def works(self) -> bool:
        """Return whether the client works on other objects, although some broker does not answer it."""
        last = max((state.last_success or 0 for state in self.client.items.values()), default=0)
        return self.item.kind is Kind.CLUSTER and self.trouble.better > 0 and self.now - last <= WORKS_US

    @property
    def met(self) -> str:
        """Return the last sign as words."""
        found = self.trouble
        return error_name(found.code) if found.sign is Sign.ERROR else str(found.sign)


def _seconds(span: int) -> str:
    return f"{span / 1e6:.0f} s" if span >= 10_000_000 else f"{span / 1e6:.1f} s"


def _served(case: Case) -> str:
    """Return what is missing of a recovery."""
    if case.trouble.owed:
        return "it is served again, but no commit has succeeded since one was refused"
    return f"it is served again, but too few times before the input ends ({case.trouble.good})"


Rule = tuple[Callable[[Case], bool], Status, Callable[[Case], str]]

RULES: tuple[Rule, ...] = (
    (
        lambda case: case.stopped and case.trouble.good_at is not None and not case.joined and case.open,
        Status.STUCK,
        lambda case: f"it served what had waited, and sent nothing about it in the last {_seconds(case.idle)}",
    ),
    (
        lambda case: case.works,
        Status.RECOVERED,
        lambda case: f"it works elsewhere, although it met {case.met}",
    ),
    (
        lambda case: case.trouble.recovered_at(case.now) is not None,
        Status.RECOVERED,
        lambda case: f"works again {_seconds((case.trouble.good_at or case.now) - case.trouble.since)} after",
    ),
    (
        lambda case: case.state.unanswerable,
        Status.UNKNOWN,
        lambda _: ACKS_NONE,
    ),
    (
        lambda case: case.trouble.good_at is not None and not case.trouble.owed,
        Status.UNKNOWN,
        lambda _: "it works again, but the input ends within a second",
    ),
    (
        lambda case: case.final,
        Status.UNKNOWN,
        lambda case: f"{case.met} is final: what the application made of it is not on the wire",
    ),
    (
        lambda case: case.ended,
        Status.UNKNOWN,
        lambda case: f"it ended its connections after {case.met}: stopped, or given up",
    ),
    (
        lambda case: case.trouble.good > 0 and case.waited < case.patience * 3,
        Status.UNKNOWN,
        _served,
    ),
    (
        lambda case: case.waited < case.patience,
        Status.UNKNOWN,
        lambda case: f"seen for only {_seconds(case.waited)} after {case.met}",
    ),
    (
        lambda case: not case.open,
        Status.UNKNOWN,
        lambda case: f"it sent nothing at all in the last {_seconds(case.now - case.client.last_request)}",
    ),
    (
        lambda case: case.idle < case.patience,
        Status.STUCK,
        lambda case: f"no success in {_seconds(case.waited)}, and it still tries",
    ),
    (
        lambda case: case.stopped and not case.joined,
        Status.STUCK,
        lambda case: f"it worked regularly, and sent nothing about it in the last {_seconds(case.idle)}",
    ),
    (
        lambda _: True,
        Status.UNKNOWN,
        lambda case: f"it sent nothing about it in the last {_seconds(case.idle)}: given up, or without need",
    ),
)


def status_of(client: ClientState, item: Item, state: ItemState, trouble: Trouble, now: int) -> tuple[Status, str]:
    """Return the status, and the reason as a clause."""
    if item.kind in ADMISSION:
        return admission(item.kind, trouble, state.mismatch, now)
    case = Case(client, item, state, trouble, now)
    status, reason = next((status, reason) for holds, status, reason in RULES if holds(case))
    return status, reason(case)
