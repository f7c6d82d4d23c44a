"""A history as moments worth drawing: the common source of the picture and of the event table (pure)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from probe.model import (
    App,
    AppKind,
    Closed,
    EngineEvent,
    EngineKind,
    Folded,
    History,
    Mark,
    MarkKind,
    Opened,
    Request,
    Response,
    Row,
    Subject,
)
from probe.protocol.names import api_name, error_name

DISCOVERY = frozenset({3, 10})
"""Metadata, FindCoordinator."""


class Sort(StrEnum):
    """What a moment is; each has a shape of its own."""

    ASK = "ask"
    """A discovery whose answer names the broker that serves the affected object at that time."""
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
    CUT = "cut"
    """A connection that broker or relay ended."""
    BEGUN = "begun"
    """Application: an operation was handed to the library."""
    DONE = "done"
    """Application: the library reported success, or delivered a record."""
    FAILED = "failed"
    """Application: the library reported an error."""
    STATE = "state"
    """Application: assigned, revoked, fatal, closed, a notice."""
    STAGE = "stage"
    """Engine or harness: what was done to the brokers, and the milestones of the trial."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One thing that happened, or a folded run of one thing."""

    at: int
    """Microseconds since the fault."""
    sort: Sort
    lane: str
    """`broker 2`, `affected`, `bystander`, `application`, `stage`."""
    text: str
    until: int = 0
    """End of a folded run, else equal to `at`."""
    count: int = 1

    @property
    def end(self) -> int:
        """Return when it ended."""
        return max(self.at, self.until)


@dataclass(frozen=True, slots=True)
class Shift:
    """From `at` on, `broker` serves the affected object; from `known` on, everybody says so."""

    at: int
    broker: int
    known: int


def zero(history: History) -> int:
    """Return when the fault was installed (else the end of warm-up, else the first event), on the trial's clock."""
    for event in history.events:
        if isinstance(event, EngineEvent) and event.kind is EngineKind.FAULT_ON:
            return event.at
    for event in history.events:
        if isinstance(event, Mark) and event.kind is MarkKind.WARM:
            return event.at
    return history.events[0].at if history.events else 0


def moments(history: History) -> list[Moment]:
    """Return everything worth drawing, in order of time relative to the fault."""
    start = zero(history)
    subject = history.header.subject
    shifts = _shifts(history)
    found = [*_wire(history, subject, shifts), *_application(history, subject), *_stage(history)]
    moved = [
        Moment(one.at - start, one.sort, one.lane, one.text, max(one.until, one.at) - start, one.count) for one in found
    ]
    return sorted(moved, key=lambda one: (one.at, one.lane))


def _shifts(history: History) -> list[Shift]:
    """Return who serves the affected object, from when on; the first entry holds from the beginning."""
    shifts = [Shift(-1, history.header.subject.old, -1)]
    announced = [e for e in history.events if isinstance(e, EngineEvent) and e.kind is EngineKind.ANNOUNCED]
    for event in history.events:
        if isinstance(event, EngineEvent) and event.kind is EngineKind.MOVED:
            known = next((one.at for one in announced if one.at >= event.at), event.at)
            shifts.append(Shift(event.at, event.broker, known))
    return shifts


def _serving(shifts: list[Shift], at: int) -> Shift:
    return next(one for one in reversed(shifts) if one.at <= at)


def _touches(row: Row, subject: Subject) -> bool:
    if row.key:
        return row.key in {subject.group, subject.transactional_id}
    return row.topic == subject.topic and row.partition in {-1, subject.affected}


def _wire(history: History, subject: Subject, shifts: list[Shift]) -> Iterator[Moment]:
    answered = {(e.conn, e.corr) for e in history.events if isinstance(e, Response)}
    for event in history.events:
        lane = f"broker {getattr(event, 'broker', 0)}"
        match event:
            case Request():
                yield from _request(event, lane, subject, shifts, answered)
            case Response():
                yield from _response(event, lane, subject, shifts)
            case Folded():
                yield from _folded(event, lane, subject)
            case Opened():
                yield Moment(event.at, Sort.OPENED, lane, "connection opened")
            case Closed():
                sort = Sort.CLOSED if event.by == "client" else Sort.CUT
                yield Moment(event.at, sort, lane, f"connection closed by {event.by}")
            case _:
                pass


def _request(
    event: Request, lane: str, subject: Subject, shifts: list[Shift], answered: set[tuple[int, int]]
) -> Iterator[Moment]:
    touches = event.everything or any(_touches(row, subject) for row in event.rows)
    name = api_name(event.api)
    silent = touches and (event.conn, event.corr) not in answered and event.acks != 0
    if silent and event.api in DISCOVERY:
        yield Moment(event.at, Sort.ASK_STALE, lane, f"{name} request, never answered")
    elif silent:
        yield Moment(event.at, Sort.SILENT, lane, f"{name} request, never answered")
    now = _serving(shifts, event.at)
    if touches and event.api not in DISCOVERY and event.at >= now.known >= 0 and event.broker != now.broker:
        yield Moment(event.at, Sort.FUTILE, lane, f"{name} request to a broker that no longer serves it")


def _response(event: Response, lane: str, subject: Subject, shifts: list[Shift]) -> Iterator[Moment]:
    rows = [row for row in event.rows if _touches(row, subject)]
    name = api_name(event.api)
    if event.api in DISCOVERY:
        yield from _discovery(event, lane, rows, shifts)
        return
    code = next((row.code for row in rows if row.code), event.code)
    if code and (rows or event.code):
        yield Moment(event.at, Sort.ERROR, lane, f"{name} answered {error_name(code)}")
    elif rows:
        yield Moment(event.at, Sort.WORK, lane, f"{name} answered")


def _discovery(event: Response, lane: str, rows: list[Row], shifts: list[Shift]) -> Iterator[Moment]:
    if not rows:
        return
    name, row = api_name(event.api), rows[0]
    right = _serving(shifts, event.at).broker
    named = f"names broker {row.leader}" if row.leader is not None and row.leader >= 0 else "names nobody"
    errors = f", {error_name(row.code)}" if row.code else ""
    sort = Sort.ASK if row.leader == right and row.leader >= 0 else Sort.ASK_STALE
    yield Moment(event.sent_at, sort, lane, f"{name}: {named}{errors}")


def _folded(event: Folded, lane: str, subject: Subject) -> Iterator[Moment]:
    rows = [row for row in event.rows if _touches(row, subject)]
    code = next((row.code for row in rows if row.code), 0)
    name = api_name(event.api)
    count = max(event.requests, event.responses)
    if event.api in DISCOVERY:
        yield Moment(event.at, Sort.ASK_STALE, lane, f"{name}, folded", event.until, count)
    elif code:
        yield Moment(event.at, Sort.ERROR, lane, f"{name} answered {error_name(code)}", event.until, count)
    elif rows:
        yield Moment(event.at, Sort.WORK, lane, f"{name} answered", event.until, count)


APP_SORTS = {
    AppKind.SENT: (Sort.BEGUN, "operation started"),
    AppKind.TXN_BEGUN: (Sort.BEGUN, "transaction begun"),
    AppKind.ACKED: (Sort.DONE, "acknowledged"),
    AppKind.RECEIVED: (Sort.DONE, "received"),
    AppKind.COMMITTED: (Sort.DONE, "offset committed"),
    AppKind.TXN_COMMITTED: (Sort.DONE, "transaction committed"),
    AppKind.LISTED: (Sort.DONE, "answer received"),
    AppKind.SEND_ERROR: (Sort.FAILED, "send failed"),
    AppKind.RECEIVE_ERROR: (Sort.FAILED, "receive error"),
    AppKind.COMMIT_ERROR: (Sort.FAILED, "commit failed"),
    AppKind.TXN_ERROR: (Sort.FAILED, "transaction failed"),
    AppKind.TXN_ABORTED: (Sort.FAILED, "transaction aborted"),
    AppKind.LIST_ERROR: (Sort.FAILED, "question failed"),
    AppKind.FATAL: (Sort.FAILED, "fatal"),
}
"""Every other kind is a state."""


def _application(history: History, subject: Subject) -> Iterator[Moment]:
    for event in history.events:
        if not isinstance(event, App) or event.kind is AppKind.READY:
            continue
        sort, words = APP_SORTS.get(event.kind, (Sort.STATE, event.kind.value))
        lane = "bystander" if event.partition == subject.bystander else "affected"
        if event.error is not None:
            words = f"{words}: {event.error.label()}"
        elif event.text and sort is Sort.STATE:
            words = f"{words}: {event.text[:120]}"
        yield Moment(event.at, sort, lane, words)


STAGES = {
    EngineKind.FAULT_ON: "fault on",
    EngineKind.MOVED: "moved to broker {broker}",
    EngineKind.ANNOUNCED: "all name broker {broker}",
    EngineKind.HEALED: "healed",
    EngineKind.STOPPED: "broker {broker} stopped",
    EngineKind.RETURNED: "broker {broker} returned",
}
MILESTONES = {MarkKind.WARM: "warm", MarkKind.STOPPING: "told to close", MarkKind.STOPPED: "closed"}


def _stage(history: History) -> Iterator[Moment]:
    for event in history.events:
        if isinstance(event, EngineEvent) and event.kind in STAGES:
            yield Moment(event.at, Sort.STAGE, "stage", STAGES[event.kind].format(broker=event.broker))
        elif isinstance(event, Mark) and event.kind in MILESTONES:
            yield Moment(event.at, Sort.STAGE, "stage", MILESTONES[event.kind])
