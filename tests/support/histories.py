"""Histories for tests: a trial written as a transcript of steps.

    judge(history(fault_on(), produce_answer(56), moved(2), announced(2), ask(), tell(2), acked(3), watch(10_000)))

Steps are one millisecond apart. `wait(ms)` lets time pass; `at(ms)` jumps to a time after the fault. Broker 1 leads
both partitions at the start, broker 2 takes over, and broker 3 answers discoveries. Before the first step the client
has started, discovered the leader and worked for three seconds. The bystander partition works throughout
(`bystander=False`: never; `bystander=(since, until)`: with a pause, in ms after the fault).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from probe.model import Cell, Engine, Event, Expectation, Header, History, Limits, Mark, MarkKind, Role, Subject, Target
from probe.model.roles import READERS, ROLES
from tests.support.share_steps import shared
from tests.support.transcript import (
    AFFECTED,
    BEAT,
    BYSTANDER,
    GROUP,
    ME,
    OLD,
    STORAGE_ERROR,
    TOPIC,
    TXN_ID,
    ZERO,
    Script,
)
from tests.support.transcript_steps import Step, acked, ask, fetched, listed, produced, received, tell, transactions


def history(
    *steps: Step,
    role: Role = Role.PRODUCER,
    play: Expectation = STORAGE_ERROR,
    settings: dict[str, str] | None = None,
    profile: str = "isolated",
    bystander: bool | tuple[int, int] = True,
    running: bool = False,
    warm_up: tuple[Step, ...] = (),
    **header: Any,
) -> History:
    """Return the history of a trial. With `running`, the observation has not ended."""
    script = Script(role, coordinated=play.target is Target.COORDINATOR)
    _start_up(script, warm_up)
    script.now = ZERO - 1000
    for step in steps:
        script.now += 1000
        step(script)
    if not running:
        _stop(script)
    _work_of_bystander(script, bystander)
    events = tuple(sorted(script.events, key=lambda event: event.at))
    more = {"watched_ms": _watched_ms(events), "stored": tuple(script.stored), "limits": Limits(back_off_ms=100)}
    return History(
        Header(
            cell=Cell("sarama", "1.43.3", role, profile, "a/scenario", Engine.EMBEDDED, "3.9"),
            trial=1,
            seed=1,
            play=play,
            subject=_subject(role),
            settings={"acks": "all", "idempotence": "false"} | (settings or {}),
            **(more | header),
        ),
        events,
    )


WORK: dict[Role, Callable[..., Step]] = {
    Role.PRODUCER: acked,
    Role.CONSUMER: fetched,
    Role.GROUP: fetched,
    Role.TRANSACTIONAL: transactions,
    Role.ADMIN: listed,
    Role.SHARE: shared,
}


def _start_up(script: Script, warm_up: tuple[Step, ...]) -> None:
    ask()(script)
    tell(OLD)(script)
    WORK[script.role](5, OLD)(script)
    script.now = ZERO - 2_000_000
    script.add(Mark(at=script.now, kind=MarkKind.WARM))
    for step in warm_up:
        step(script)
    script.now = max(script.now, ZERO - 600_000)
    WORK[script.role](5, OLD)(script)


def _stop(script: Script) -> None:
    """End the observation if no step did, then the trial."""
    if not any(isinstance(event, Mark) and event.kind is MarkKind.HEALING for event in script.events):
        script.add(Mark(at=script.now, kind=MarkKind.HEALING))
    script.now += 10_000
    for kind in (MarkKind.STOPPING, MarkKind.STOPPED, MarkKind.END):
        script.add(Mark(at=script.now, kind=kind))
        script.now += 5000


def _work_of_bystander(script: Script, bystander: bool | tuple[int, int]) -> None:
    """Add the bystander's operations, one per interval, from before the fault to the end of the observation."""
    if bystander is False:
        return
    end = script.now
    pause = range(0) if bystander is True else range(*(ZERO + ms * 1000 for ms in bystander))
    for now in range(ZERO - 500_000, end, BEAT):
        script.now = now + 50_000
        if now in pause:
            continue
        (received if script.role in READERS else produced)(script, BYSTANDER, OLD)


def _subject(role: Role) -> Subject:
    return Subject(
        topic=TOPIC,
        affected=AFFECTED,
        bystander=BYSTANDER,
        instance=ME,
        client_id="c",
        group=GROUP if ROLES[role].has_group else "",
        transactional_id=TXN_ID if role is Role.TRANSACTIONAL else "",
        old=OLD,
        bootstrap=(1, 2, 3),
        shares=ROLES[role].shares,
    )


def _watched_ms(events: tuple[Event, ...]) -> int:
    end = (event.at for event in events if isinstance(event, Mark) and event.kind is MarkKind.HEALING)
    return max(0, next(end, ZERO) - ZERO) // 1000
