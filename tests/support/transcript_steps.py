"""The steps of a transcript (tests/support/histories.py): events of engine, wire, application and harness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from probe.model import (
    AppKind,
    ClientError,
    Closed,
    EngineEvent,
    EngineKind,
    Folded,
    Mark,
    MarkKind,
    Role,
    Row,
)
from probe.protocol.names import error_name
from tests.support.transcript import (
    AFFECTED,
    BEAT,
    BYSTANDER,
    COMMIT,
    FETCH,
    FIND,
    GROUP,
    LIST_OFFSETS,
    ME,
    METADATA,
    NEW,
    OLD,
    PRODUCE,
    THIRD,
    TOPIC,
    TXN_ID,
    ZERO,
    Script,
)

Step = Callable[[Script], None]


def row(partition: int = AFFECTED, **more: Any) -> Row:
    return Row(topic=TOPIC, partition=partition, **more)


def error(code: int) -> ClientError:
    return ClientError(code, error_name(code), "Error")


# time, engine and harness


def at(ms: float) -> Step:
    def step(script: Script) -> None:
        script.now = ZERO + round(ms * 1000)

    return step


def wait(ms: float) -> Step:
    def step(script: Script) -> None:
        script.now += round(ms * 1000)

    return step


def engine(kind: EngineKind, **more: Any) -> Step:
    return lambda script: script.add(EngineEvent(at=script.now, kind=kind, **more))


def fault_on() -> Step:
    return engine(EngineKind.FAULT_ON)


def moved(broker: int = NEW, **more: Any) -> Step:
    return engine(EngineKind.MOVED, broker=broker, **({"topic": TOPIC, "partition": AFFECTED} | more))


def announced(broker: int = NEW, **more: Any) -> Step:
    return engine(EngineKind.ANNOUNCED, broker=broker, **({"topic": TOPIC, "partition": AFFECTED} | more))


def healed() -> Step:
    return engine(EngineKind.HEALED)


def mark(kind: MarkKind, text: str = "") -> Step:
    return lambda script: script.add(Mark(at=script.now, kind=kind, text=text))


def watch(ms: float) -> Step:
    """End the observation at a time after the fault."""

    def step(script: Script) -> None:
        script.now = ZERO + round(ms * 1000)
        script.add(Mark(at=script.now, kind=MarkKind.HEALING))

    return step


# the wire


def opened(broker: int) -> Step:
    return lambda script: script.reopen(broker)


def closed(broker: int = OLD, by: str = "relay") -> Step:
    def step(script: Script) -> None:
        script.add(Closed(at=script.now, conn=script.connections.pop(broker), broker=broker, by=by))

    return step


def call(api: int, broker: int, *rows: Row, answer: tuple[Row, ...] | None, takes_ms: float = 0, **more: Any) -> Step:
    """Send a request, and its response after `takes_ms`. `answer=None` sends no response."""

    def step(script: Script) -> None:
        code = more.pop("code", 0)
        asked = script.request(api, broker, *rows, **more)
        script.now += round(takes_ms * 1000)
        if answer is not None:
            script.answer(asked, *answer, code=code)

    return step


def produce_answer(code: int = 0, broker: int = OLD, **more: Any) -> Step:
    return call(PRODUCE, broker, row(size=80), answer=(row(code=code, **more),))


def fetch_answer(code: int = 0, broker: int = OLD, **more: Any) -> Step:
    return call(FETCH, broker, row(), answer=(row(code=code, **more),))


def ask(broker: int = THIRD, **more: Any) -> Step:
    """Send a discovery; `tell` answers it."""

    def step(script: Script) -> None:
        keys = {Role.TRANSACTIONAL: Row(key=TXN_ID, key_type=1)}
        if script.coordinated:
            asked = script.request(FIND, broker, keys.get(script.role, Row(key=GROUP, key_type=0)))
        else:
            asked = script.request(METADATA, broker, *([] if more else [Row(topic=TOPIC)]), **more)
        script.asked.append(asked)

    return step


def tell(leader: int = NEW, code: int = 0) -> Step:
    """Answer the oldest open discovery."""

    def step(script: Script) -> None:
        asked = script.asked.pop(0)
        if script.coordinated:
            script.answer(asked, Row(key=asked.rows[0].key, leader=leader, code=code))
        else:
            script.answer(asked, row(leader=leader, code=code), row(BYSTANDER, leader=OLD))

    return step


def folded(api: int, broker: int, ms: int, requests: int, *rows: Row) -> Step:
    def step(script: Script) -> None:
        conn, until = script.open(broker), script.now + ms * 1000
        span = {"requests": requests, "responses": requests, "bytes": requests * 200}
        script.add(Folded(at=script.now, until=until, conn=conn, broker=broker, api=api, version=7, rows=rows, **span))
        script.now = until

    return step


# the application


def app(kind: AppKind, code: int | None = None, **more: Any) -> Step:
    return lambda script: script.app(kind, error=None if code is None else error(code), **more)


def acked(count: int = 1, broker: int = NEW, every: int = BEAT, acks: int = -1) -> Step:
    """Add operations that succeed at a broker, one per interval."""

    def step(script: Script) -> None:
        for _ in range(count):
            start = script.now
            produced(script, AFFECTED, broker, acks)
            script.now = start + every

    return step


def produced(script: Script, partition: int, broker: int, acks: int = -1, takes_ms: float = 0) -> None:
    number = script.next_sequence(partition)
    script.app(AppKind.SENT, partition=partition, sequence=number)
    asked = script.request(PRODUCE, broker, row(partition, size=80), acks=acks)
    script.now += round(takes_ms * 1000)
    offset = script.store(partition, number)
    if acks:
        script.answer(asked, row(partition, offset=offset))
    script.app(AppKind.ACKED, partition=partition, sequence=number, offset=offset)


def failed(count: int = 1, code: int = 56, broker: int = OLD, every: int = BEAT) -> Step:
    """Add operations that a broker answers with an error and that fail in the application."""

    def step(script: Script) -> None:
        for _ in range(count):
            start, number = script.now, script.next_sequence(AFFECTED)
            script.app(AppKind.SENT, partition=AFFECTED, sequence=number)
            script.answer(script.request(PRODUCE, broker, row(size=80), acks=-1), row(code=code))
            script.app(AppKind.SEND_ERROR, partition=AFFECTED, sequence=number, error=error(code))
            script.now = start + every

    return step


def fetched(count: int = 1, broker: int = NEW, appended: int = 20) -> Step:
    """Add delivered records, one per interval, appended `appended` ms earlier."""

    def step(script: Script) -> None:
        for _ in range(count):
            start = script.now
            received(script, AFFECTED, broker, appended)
            script.now = start + BEAT

    return step


def received(script: Script, partition: int, broker: int, appended: int = 20) -> None:
    number = script.next_sequence(partition)
    offset = script.store(partition, number, "feed")
    origin = script.now - appended * 1000
    script.answer(script.request(FETCH, broker, row(partition)), row(partition, size=80))
    script.app(AppKind.RECEIVED, partition=partition, sequence=number, offset=offset, origin_at=origin)


def committed(broker: int = OLD, offset: int | None = None) -> Step:
    """Add a commit that the library reports as successful."""

    def step(script: Script) -> None:
        script.answer(script.request(COMMIT, broker, row(key=GROUP)), row(key=GROUP))
        position = script.offsets.get(AFFECTED, -1) + 1 if offset is None else offset
        script.app(AppKind.COMMITTED, partition=AFFECTED, offset=position)

    return step


def transactions(count: int = 1, broker: int = NEW, ends: AppKind = AppKind.TXN_COMMITTED) -> Step:
    def step(script: Script) -> None:
        for _ in range(count):
            start, number = script.now, script.next_sequence(-1)
            script.app(AppKind.TXN_BEGUN, sequence=number)
            produced(script, AFFECTED, broker)
            script.app(ends, sequence=number)
            script.now = start + BEAT

    return step


def listed(count: int = 1, broker: int = NEW) -> Step:
    def step(script: Script) -> None:
        for _ in range(count):
            start, number = script.now, script.next_sequence(AFFECTED)
            script.app(AppKind.SENT, partition=AFFECTED, sequence=number)
            script.answer(script.request(LIST_OFFSETS, broker, row()), row(offset=5))
            script.app(AppKind.LISTED, partition=AFFECTED, sequence=number, offset=5)
            script.now = start + BEAT

    return step


def unstored(sequence: int) -> Step:
    """Remove a record of the affected partition from the read-back."""

    def step(script: Script) -> None:
        script.stored = [item for item in script.stored if (item.partition, item.sequence) != (AFFECTED, sequence)]

    return step


def also_stored(sequence: int, instance: str = ME) -> Step:
    """Add a record to the read-back once more, after all others."""
    return lambda script: (script.store(AFFECTED, sequence, instance), None)[1]
