"""Findings about a client: one per object, and one status per client. Frozen values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from probe.diagnose.client_identity import Library
from probe.diagnose.client_storms import storm_of
from probe.diagnose.clients import ClientKey, ClientState
from probe.diagnose.membership import Member, member_text
from probe.diagnose.objects import ADMISSION, Item
from probe.diagnose.observation import LogIn, Source
from probe.diagnose.share_sessions import ShareSession, session_text
from probe.model import History, Role, Trigger


class Status(StrEnum):
    """The end of a client's trouble, the worst first."""

    REFUSED = "refused"
    """Brokers refuse its log-in, so that it does no work."""
    MISMATCH = "mismatch"
    """It speaks TLS to a plaintext listener, or plaintext to one with TLS."""
    STUCK = "stuck"
    """It met a trouble, and has not worked since, for as long as such a client may need."""
    STORMS = "storms"
    """It sends far more requests or connections than its own back-off allows (docs/verdicts.md#storm)."""
    WAS_STUCK = "was stuck"
    """It met the bounds of `stuck`, and what ended that was no question of its own."""
    UNKNOWN = "unknown"
    """The input does not show what became of it; the reason says why."""
    RECOVERED = "recovered"
    """It met a trouble, and works again."""
    HEALTHY = "healthy"
    """It met no trouble."""


ORDER = tuple(Status)
ACKS_NONE = "it writes with acks=0, to which no broker answers"
NOW = frozenset({Status.REFUSED, Status.MISMATCH, Status.STUCK, Status.STORMS})
"""Statuses that make the command end with exit code 1, with `--now`, too."""
BAD = NOW | {Status.WAS_STUCK}
"""Statuses that make the command end with exit code 1, and of which evidence is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCount:
    """One error that a client was answered."""

    code: int
    api: int
    broker: int
    """Number of the broker's address."""
    count: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Whether a client asked who serves an object, after its first sign of trouble."""

    count: int
    first: int | None = None
    """Time of the first such request."""
    broker: int | None = None
    """Number of the address that it asked."""
    trigger: Trigger = Trigger.NONE
    """Why it asked first (docs/verdicts.md#trigger)."""
    named: int | None = None
    """Node that the answer named; None without an answer that names one."""
    answered: bool = False
    code: int = 0
    """Error of the answer."""
    unknown: str = ""
    """Why it may have asked without a trace in this input; empty = all that it asked is here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The trouble of a client with one object."""

    item: Item
    status: Status
    reason: str
    """Why it is `unknown`, or what shows the status, as a clause."""
    role: Role | None
    since: int
    last: int
    """Time of the last sign of trouble."""
    broker: int
    """Number of the address at which it began."""
    recovered: int | None = None
    """Time at which the client had recovered."""
    times: int = 1
    """Troubles with this object in the input."""
    errors: tuple[ErrorCount, ...] = ()
    """The most frequent first."""
    cuts: int = 0
    silent: int = 0
    """Requests that nobody answered."""
    asked: Asked | None = None
    """None where nobody can be asked, or the object is one of too many."""
    leader: int | None = None
    """Node that serves it by the last answers of the input."""
    moved_to: int | None = None
    """Number of the address that serves it; None if it does not work."""
    futile_per_s: float = 0.0
    """Requests about it that were not answered well, per second, until it recovered."""
    futile_bytes_per_s: float | None = 0.0
    """None where the input has no sizes, as a request log."""
    storm: str = ""
    """Letters of the bounds that were exceeded."""
    member: Member | None = None
    """Its place in a group of the new protocols (KIP-848, KIP-932); None for other objects, or if several share it."""
    session: ShareSession | None = None
    """The share session in which it asked for records of the partition, if a broker refused it."""
    history: History | None = None
    """Kept events, for its timeline."""

    @property
    def fenced(self) -> str:
        """Return how it was fenced in its group, or lost its share session, as a clause; empty = neither."""
        if self.session is not None:
            return session_text(self.session, self.since)
        return "" if self.member is None else member_text(self.member, self.since)

    @property
    def rank(self) -> tuple[int, float, int]:
        """Return a sort key: the worst first."""
        return ORDER.index(self.status), -self.futile_per_s, self.since


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientFinding:
    """Everything that is said of a client."""

    key: ClientKey
    source: Source
    status: Status
    reason: str
    library: Library
    storm: str
    """The connections of a client that opens too many, or its questions; empty = it does not."""
    log_in: LogIn | None
    """Its latest log-in; None where none was seen."""
    expired: int
    """Connections that a broker ended because the session of their log-in was over."""
    findings: tuple[Finding, ...]
    """The worst first."""
    healthy: int
    """Objects that it worked on without a trouble."""
    connections: int
    opened: int
    """Connections whose beginning was seen."""
    brokers: tuple[int, ...]
    """Numbers of the addresses that it talked to."""
    requests: int
    bytes: int
    first: int
    last: int

    def rank(self) -> tuple[int, float, int, str, str]:
        """Return a sort key: the worst first, then those with more futile requests."""
        futile = sum(item.futile_per_s for item in self.findings)
        return ORDER.index(self.status), -futile, -len(self.findings), *self.key

    @property
    def worst(self) -> Finding | None:
        """Return the worst finding; None without a trouble."""
        return self.findings[0] if self.findings else None


def client_finding(
    client: ClientState,
    found: Sequence[Finding],
    library: Library,
    now: int,
    back_off_ms: int,
    log_in: LogIn | None = None,
) -> ClientFinding:
    """Return what is said of a client by the findings about its objects."""
    findings = tuple(sorted(merged(found), key=lambda item: item.rank))
    worst = findings[0] if findings else None
    let_in = worst is None or worst.item.kind not in ADMISSION or worst.recovered is not None
    worked = any(state.successes for state in client.items.values())
    status = worst.status if worst is not None else Status.HEALTHY if worked else Status.UNKNOWN
    reason = worst.reason if worst is not None else "" if worked else _nothing(client, now)
    storm = storm_of(client, back_off_ms, let_in=let_in)
    if storm and status not in BAD:
        status, reason = Status.STORMS, storm
    return ClientFinding(
        key=client.key,
        source=client.source,
        status=status,
        reason=reason,
        storm=storm,
        log_in=log_in,
        expired=client.expired,
        library=library,
        findings=findings,
        healthy=len(client.items.keys() - {item.item for item in findings}),
        connections=client.connections,
        opened=client.opened,
        brokers=tuple(sorted(client.brokers)),
        requests=round(client.requests),
        bytes=round(client.bytes),
        first=client.first_at,
        last=client.last_at,
    )


def _nothing(client: ClientState, now: int) -> str:
    if any(state.unanswerable for state in client.items.values()):
        return ACKS_NONE
    seconds = (now - client.first_at) / 1e6
    return f"it did no work about a partition, a group or a transactional id in {seconds:.0f} s"


def merged(found: Sequence[Finding]) -> list[Finding]:
    """Return one finding per object: the worst of its troubles, with the number of all."""
    best: dict[Item, list[Finding]] = {}
    for one in found:
        best.setdefault(one.item, []).append(one)
    return [_worst(several) for several in best.values()]


def _worst(several: list[Finding]) -> Finding:
    worst = min(several, key=lambda item: (ORDER.index(item.status), -item.since))
    return replace(worst, times=max(1, sum(item.times for item in several)))
