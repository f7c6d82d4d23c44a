"""A client's trouble as a history, so that the verdict's own functions read it (pure).

The header is made up: nothing but the objects, the kind of the fault and the library's back-off in it is used. That a
leader moved is known from answers that were seen, instead of from an engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from probe.diagnose.clients import AFTER_US, ClientState
from probe.diagnose.leaders import UNKNOWN_NODE, Leaders
from probe.diagnose.objects import Item, Kind, work_on
from probe.diagnose.observation import Wire
from probe.diagnose.proofs import READS, SHARES
from probe.diagnose.troubles import Sign, Trouble
from probe.model import (
    App,
    AppKind,
    Cell,
    Engine,
    EngineEvent,
    EngineKind,
    Event,
    Expectation,
    Header,
    History,
    Limits,
    Mark,
    MarkKind,
    Reaction,
    Request,
    Response,
    Role,
    Subject,
    Symptom,
    Trigger,
)
from probe.model.roles import ROLES
from probe.verdict.storms import WINDOW_US

SYMPTOMS = {Sign.ERROR: Symptom.ANSWER, Sign.CUT: Symptom.CONNECTION, Sign.SILENCE: Symptom.SILENCE}
NOT_OURS = -2
"""A partition that no row names."""
SHORTEST_US, LONGEST_US = 10_000, 5_000_000
"""Bounds of the time between two operations, as it is estimated from the requests before the trouble."""
MOST_OPERATIONS = 100_000
"""Operations of one trouble that are estimated, at most."""


def observed(
    client: ClientState, item: Item, trouble: Trouble, events: Sequence[Wire], leaders: Leaders, now: int, back_off: int
) -> History:
    """Return a trouble as a history, from what was kept of the client's events. `back_off` is in milliseconds."""
    until = now if trouble.good_at is None else min(now, trouble.good_at + AFTER_US)
    role = role_of(item, events)
    mine = [replace(event, broker=leaders.number(event.broker)) for event in events if event.at <= until]
    interval = _interval(item, events, trouble.since)
    made: list[Event] = [
        *_engine(item, trouble, leaders, until),
        *_operations(client, item, role, mine, trouble.since, until, interval),
        Mark(at=_warm(item, mine, trouble.since), kind=MarkKind.WARM),
        Mark(at=until, kind=MarkKind.END),
    ]
    header = Header(
        cell=Cell("client", "", role, "observed", "observed", Engine.KAFKA, ""),
        trial=0,
        seed=0,
        play=Expectation(
            kind=SYMPTOMS[trouble.first],
            expects=Reaction.DISCOVER,
            target=item.target,
            causes=(Trigger.ERROR, Trigger.DISCONNECT),
        ),
        limits=Limits(back_off_ms=back_off),
        subject=_subject(client, item, leaders.number(trouble.broker)),
        beat_ms=max(1, (interval or WINDOW_US) // 1000),
        watched_ms=(until - trouble.since) // 1000,
    )
    return History(header, tuple(sorted([*mine, *made], key=lambda event: event.at)))


def role_of(item: Item, events: Sequence[Wire]) -> Role:
    """Return what the client does with an object, by the requests about it."""
    if item.kind is Kind.GROUP:
        return Role.GROUP
    if item.kind is Kind.TRANSACTION:
        return Role.TRANSACTIONAL
    for event in events:
        if (
            isinstance(event, Request | Response)
            and event.api in READS | SHARES
            and item in work_on(event.api, event.rows)
        ):
            return Role.CONSUMER
    return Role.PRODUCER


def _subject(client: ClientState, item: Item, old: int) -> Subject:
    is_partition = item.kind is Kind.PARTITION
    return Subject(
        topic=item.name if is_partition else "",
        group=item.name if item.kind is Kind.GROUP else "",
        transactional_id=item.name if item.kind is Kind.TRANSACTION else "",
        affected=item.partition if is_partition else NOT_OURS,
        bystander=NOT_OURS,
        instance=client.key.client_id,
        client_id=client.key.client_id,
        old=old,
    )


def _engine(item: Item, trouble: Trouble, leaders: Leaders, until: int) -> Iterator[Event]:
    """Yield the beginning of the trouble, and the moves that answers showed."""
    old = leaders.number(trouble.broker)
    yield EngineEvent(at=trouble.since - 1, kind=EngineKind.FAULT_ON, broker=old)
    reign = leaders.reign(item)
    if reign is None:
        return
    moves = [(at, node) for at, node in reign.moves if trouble.since <= at <= until]
    first = moves[0][1] if moves else reign.node
    before = [node for at, node in reign.moves if at < trouble.since]
    left = old < UNKNOWN_NODE and reign.node != old and (not moves or (before and before[-1] != old))
    if left and not moves and reign.since <= until:
        moves = [(max(trouble.since, reign.since), first)]
    for at, node in moves:
        for kind in (EngineKind.MOVED, EngineKind.ANNOUNCED):
            yield EngineEvent(
                at=at,
                kind=kind,
                broker=node,
                topic=item.name if item.kind is Kind.PARTITION else "",
                partition=item.partition,
                key="" if item.kind is Kind.PARTITION else item.name,
            )


def _warm(item: Item, events: Sequence[Wire], since: int) -> int:
    """Return the end of the client's start: its first answered work on the object, or the beginning of the trouble."""
    for event in events:
        if event.at >= since:
            break
        if isinstance(event, Response) and item in work_on(event.api, event.rows):
            return event.at
    return since - 1


def _asked_about(item: Item, events: Sequence[Wire]) -> list[int]:
    return [event.at for event in events if isinstance(event, Request) and item in work_on(event.api, event.rows)]


def _interval(item: Item, events: Sequence[Wire], since: int) -> int:
    """Return the time between two operations before the trouble, in microseconds; 0 = not known."""
    times = [at for at in _asked_about(item, events) if at < since]
    if len(times) < 3:
        return 0
    return max(SHORTEST_US, min(LONGEST_US, (times[-1] - times[0]) // (len(times) - 1)))


def _operations(
    client: ClientState, item: Item, role: Role, events: Sequence[Wire], since: int, until: int, interval: int
) -> Iterator[App]:
    """Yield estimated operations of a writer: its requests before the trouble, and the same rate from then on.

    Without a rate every request counts as an operation, so that no client is blamed for what nobody saw.
    """
    if ROLES[role].reads:
        return
    asked = _asked_about(item, events)
    step = max(interval, (until - since) // MOST_OPERATIONS)
    times = [at for at in asked if at < since] + list(range(since, until, step)) if interval else asked
    for number, at in enumerate(times):
        yield App(
            at=at,
            kind=AppKind.SENT,
            instance=client.key.client_id,
            partition=item.partition if item.kind is Kind.PARTITION else NOT_OURS,
            sequence=number,
        )
