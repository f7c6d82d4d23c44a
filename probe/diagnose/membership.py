"""Members of the new group protocols, by the epochs of their heartbeats, and when they are fenced.

A member joins with epoch 0, and its coordinator gives it an epoch above 0, a newer one with each assignment. One that
it does not take for a member any more is fenced: FENCED_MEMBER_EPOCH or UNKNOWN_MEMBER_ID answers its heartbeat, and it
has to join with epoch 0 again (ConsumerGroupHeartbeatRequest.json of Kafka 4.4.0, GroupMetadataManager.java).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from probe.model import Request, Response, Row
from probe.protocol.names import error_code

JOINING = 0
"""Epoch of a heartbeat that joins. Those below it leave."""
FENCES = frozenset({error_code("FENCED_MEMBER_EPOCH"), error_code("UNKNOWN_MEMBER_ID")})
COMMITS, INTERVALS, OVERDUE_US = 3, 10, 30_000_000
"""Commits that show their interval; intervals, and the time at least, after which one is missed."""
STALE_EPOCH = error_code("STALE_MEMBER_EPOCH")
STALE = (
    "it sent an older epoch than its coordinator has for it: brokers before 4.3 refuse commits so, "
    "each time that the group is assigned anew (KIP-1251)"
)
CONNECTIONS = 64
"""Connections that carried heartbeats of a client about a group, and are distinguished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """A member that its coordinator took for none any more."""

    at: int
    code: int
    api: int
    broker: int
    """Number of the address that refused it first."""
    epoch: int
    """The epoch that it had sent."""
    times: int = 1
    """Answers that fenced it, until it was in again."""
    back_at: int | None = None
    """Time of the answer by which it is in again; None = it is not."""
    back_epoch: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """The place of a client in a group, at one moment."""

    epoch: int | None
    """The latest that a coordinator gave it; None = none."""
    sent: int
    """Epoch of its latest heartbeat."""
    fences: int
    """Times that it was fenced and had been in before."""
    fence: Fence | None
    """The latest."""


@dataclass(slots=True)
class Commits:
    """Offsets that a client committed for a group."""

    first: int
    last: int
    count: int = 0

    def add(self, at: int) -> None:
        """Count one more."""
        self.last = at
        self.count += 1

    def ended(self, at: int, now: int) -> bool:
        """Return whether they came at short intervals until `at`, and not since, for as long as none should miss."""
        if self.count < COMMITS or self.last > at:
            return False
        often = (self.last - self.first) // (self.count - 1)
        return now - at >= max(OVERDUE_US, INTERVALS * often)


@dataclass(slots=True)
class Membership:
    """The place of a client in a group, read heartbeat by heartbeat."""

    sent: int = JOINING
    epoch: int | None = None
    fences: int = 0
    fence: Fence | None = None
    several: bool = False
    """Heartbeats alternate between connections, so that several members have this address and client id."""
    _conns: set[int] = field(default_factory=set)
    _conn: int = -1

    def ask(self, event: Request) -> None:
        """Note a heartbeat."""
        self.sent = _epoch(event.rows, self.sent)
        if event.conn != self._conn:
            self.several |= event.conn in self._conns
            if len(self._conns) < CONNECTIONS:
                self._conns.add(event.conn)
            self._conn = event.conn

    def answer(self, event: Response, asked: Request | None) -> bool:
        """Note the answer to a heartbeat. Return whether it begins a new epoch, and so a new assignment."""
        sent = self.sent if asked is None else _epoch(asked.rows, self.sent)
        if event.code:
            if event.code in FENCES and sent > JOINING:
                self._fenced(event, sent)
            return False
        given, before = _epoch(event.rows, sent), self.epoch
        if sent < JOINING:
            self.epoch = None
            return False
        self.epoch = given
        if self.fence is not None and self.fence.back_at is None:
            self.fence = replace(self.fence, back_at=event.at, back_epoch=given)
        return not self.several and (before is None or given > before)

    def _fenced(self, event: Response, sent: int) -> None:
        if self.fence is not None and self.fence.back_at is None:
            self.fence = replace(self.fence, times=self.fence.times + 1)
            return
        self.fences += 1
        self.fence = Fence(at=event.at, code=event.code, api=event.api, broker=event.broker, epoch=sent)

    def member(self) -> Member | None:
        """Return what is known of the one member; None where several share the client's name."""
        if self.several:
            return None
        return Member(epoch=self.epoch, sent=self.sent, fences=self.fences, fence=self.fence)


def member_text(one: Member, since: int) -> str:
    """Return how a member was fenced in a trouble that began at `since`, as a clause; empty if it was not."""
    fence = one.fence
    if fence is None or fence.at < since:
        return ""
    fenced = f"fenced at epoch {fence.epoch}"
    if fence.back_at is not None:
        return f"{fenced}, in again after {(fence.back_at - fence.at) / 1e6:.1f} s as epoch {fence.back_epoch}"
    if one.sent == JOINING:
        return f"{fenced}, and not in again: it joins, and is refused"
    return f"{fenced}, and not in again: its last heartbeat had epoch {one.sent}, and 0 joins"


def _epoch(rows: tuple[Row, ...], default: int) -> int:
    return next((row.epoch for row in rows if row.epoch is not None), default)
