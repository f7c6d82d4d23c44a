"""The times of a trial: the window that is judged (docs/verdicts.md#window), and the engine's truth."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, get_args

from probe.model import (
    App,
    Closed,
    EngineEvent,
    EngineKind,
    Event,
    Folded,
    Header,
    Mark,
    MarkKind,
    Opened,
    Reaction,
    Request,
    Response,
    Row,
    Symptom,
    Target,
)
from probe.verdict.patience import usual_ms

SLACK_US = 250_000
"""`fault_on` is stamped when the fault is in force, so its first effects may be stamped a little earlier."""
LATE_US = 1_000_000
"""Real brokers are polled for moves; on a busy machine they are stamped late by this time at most."""
WINDOW_ENDS = (MarkKind.HEALING, MarkKind.STOPPING, MarkKind.END)
"""The first of them ends the window, but where the close itself is judged."""


class EventIndex:
    """The events of a history by kind, in order of time."""

    def __init__(self, events: Iterable[Event]) -> None:
        by_type: dict[type, list[Any]] = {cls: [] for cls in get_args(Event)}
        ordered = sorted(events, key=attrgetter("at"))
        for event in ordered:
            by_type[type(event)].append(event)
        self.opened: list[Opened] = by_type[Opened]
        self.closed: list[Closed] = by_type[Closed]
        self.requests: list[Request] = by_type[Request]
        self.responses: list[Response] = by_type[Response]
        self.folded: list[Folded] = by_type[Folded]
        self.apps: list[App] = by_type[App]
        self.engine: list[EngineEvent] = by_type[EngineEvent]
        self.marks: list[Mark] = by_type[Mark]
        self.first, self.last = (ordered[0].at, ordered[-1].at) if ordered else (0, 0)

    def engine_at(self, kind: EngineKind) -> int | None:
        """Return the time of the engine's first event of a kind."""
        return next((event.at for event in self.engine if event.kind is kind), None)

    def marked(self, kind: MarkKind) -> int | None:
        """Return when a milestone was first reached."""
        return next((mark.at for mark in self.marks if mark.kind is kind), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Times in microseconds of the orchestrator's clock. None = did not happen."""

    warm: int
    """End of warm-up."""
    fault: int | None
    begin: int
    """Start of the window: the fault, or the end of warm-up where no fault is injected."""
    until: int
    """End of the window: the end of the observation, or now."""
    usual: int
    """The same where the observation lasts to the end: what is judged on the usual watch alone ends here."""
    available: int | None
    """From now on a client can succeed: new target announced (discover), fault reverted (retry), else `begin`."""
    target: int
    """The broker that serves the affected object in the end. -1 = any broker may."""
    moved: int | None
    """The last move of the affected object inside the window."""
    healed: int | None
    stopping: int | None
    announced: int | None
    """The last announcement of the target in office inside the window."""
    terms: tuple[tuple[int, int], ...] = ()
    """(since, broker): all moves of the affected object inside the window."""
    term: int
    """Start of the target's current term. Where the target moved several times it may have served before, and earlier
    answers that name it were about another term. Otherwise this is `begin`."""

    def target_at(self, at: int) -> int:
        """Return the correct target for an answer that came at a time. Before the first move it is the coming target.

        Moves may be stamped a little late, where brokers are polled for them.
        """
        past = [broker for since, broker in self.terms if since <= at + SLACK_US]
        return past[-1] if past else self.terms[0][1] if self.terms else self.target

    @property
    def earliest(self) -> int:
        """Return the first time at which an effect of the fault can be stamped."""
        return max(self.warm, self.begin - SLACK_US) if self.warm <= self.begin else self.begin - SLACK_US


def find_timeline(header: Header, strands: EventIndex) -> Timeline:
    """Read the milestones of a trial, which may still run."""
    fault = strands.engine_at(EngineKind.FAULT_ON)
    warm = strands.marked(MarkKind.WARM)
    begin = next((at for at in (fault, warm) if at is not None), strands.first)
    until = _until(header, strands, begin)
    healed = strands.engine_at(EngineKind.HEALED)
    changes = [event for event in strands.engine if event.at <= until and _concerns(header, event)]
    moves = [event for event in changes if event.kind is EngineKind.MOVED]
    moved = moves[-1] if moves else None
    announced = next((event for event in reversed(changes) if event.kind is EngineKind.ANNOUNCED), None)
    target = _target(moved, announced)
    terms = tuple(_terms(header, strands, changes))
    if announced and moved and moved.at > announced.at and moved.broker != announced.broker:
        announced = None  # it was superseded
    return Timeline(
        warm=begin if warm is None else warm,
        fault=fault,
        begin=begin,
        until=until,
        usual=min(until, begin + usual_ms(header) * 1000) if header.limits.to_the_end else until,
        available=_available(header, begin, until, moved, announced, healed),
        target=target,
        moved=None if moved is None else moved.at,
        healed=healed,
        stopping=strands.marked(MarkKind.STOPPING),
        announced=None if announced is None else announced.at,
        terms=terms,
        term=begin if len(terms) < 2 else max(begin, terms[-1][0] - SLACK_US),
    )


def _terms(header: Header, strands: EventIndex, changes: Sequence[EngineEvent]) -> Iterator[tuple[int, int]]:
    """Yield (since, broker) for each move."""
    last: EngineEvent | None = None
    for move in (event for event in changes if event.kind is EngineKind.MOVED):
        yield move.at if last is None else _begun(header, strands, changes, last, move), move.broker
        last = move


def _begun(
    header: Header, strands: EventIndex, changes: Sequence[EngineEvent], last: EngineEvent, move: EngineEvent
) -> int:
    """Return when a term began: as stamped, or with an earlier answer that names its target.

    Such an answer came after all brokers had named the last target, and up to `LATE_US` before the stamp.
    """
    announced = (event for event in changes if event.kind is EngineKind.ANNOUNCED and event.broker == last.broker)
    settled = next((event.at for event in announced if event.at >= last.at), move.at)
    time, answers = attrgetter("at"), strands.responses
    begin = bisect_right(answers, max(settled, move.at - LATE_US), key=time)
    earlier = answers[begin : bisect_left(answers, move.at, key=time)]
    return next((item.at for item in earlier if any(_names(header, row, move) for row in item.rows)), move.at)


def _names(header: Header, row: Row, move: EngineEvent) -> bool:
    """Return whether a row of an answer names the target of a move."""
    subject = header.subject
    mine = row.key == move.key if move.key else (row.topic, row.partition) == (subject.topic, subject.affected)
    return mine and not row.code and row.leader == move.broker


def _until(header: Header, strands: EventIndex, begin: int) -> int:
    kinds = (MarkKind.STOPPED, MarkKind.END) if header.play.closes else WINDOW_ENDS
    ends = [strands.marked(kind) for kind in kinds]
    if header.play.kind is Symptom.NONE:  # the control cell ends with a reset by the harness
        ends.append(next((event.at for event in strands.closed if event.by == "relay" and event.at > begin), None))
    known = [at for at in ends if at is not None and at >= begin]
    return min(known) if known else max(strands.last, begin + header.watched_ms * 1000)


def _concerns(header: Header, event: EngineEvent) -> bool:
    """Return whether a change is about the affected object, or about no specific object."""
    if not event.topic and not event.key:
        return True
    if header.play.target is Target.CONTROLLER:
        return False  # of a partition or a key
    subject = header.subject
    if header.play.target is Target.COORDINATOR:
        return event.key in {subject.group, subject.transactional_id} - {""}
    return event.topic == subject.topic and event.partition in {subject.affected, -1}


def _target(moved: EngineEvent | None, announced: EngineEvent | None) -> int:
    return next((event.broker for event in (announced, moved) if event is not None and event.broker >= 0), -1)


def _session_us(header: Header) -> int:
    """Return how long leaders send readers to a follower that is gone: until its broker's session ends (KIP-392)."""
    return (header.play.election_ms or 0) * 1000 if header.play.target is Target.FOLLOWER else 0


def _available(
    header: Header,
    begin: int,
    until: int,
    moved: EngineEvent | None,
    announced: EngineEvent | None,
    healed: int | None,
) -> int | None:
    if header.play.expects is Reaction.RETRY:
        return healed if healed is not None and healed <= until else begin + _session_us(header)
    if header.play.expects is not Reaction.DISCOVER:
        return begin
    if announced is None:
        nothing_moves = moved is None and header.play.target is Target.CLUSTER
        return begin if nothing_moves else None
    return announced.at
