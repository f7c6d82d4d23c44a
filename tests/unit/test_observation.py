"""When a running trial is looked at again."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from probe.model import App, AppKind, Engine
from probe.recorder import Recorder
from probe.runner.trial import observation
from probe.runner.trial.observation import POLL_S, poll_s
from probe.verdict import STALL_MS, Outlook


@pytest.mark.parametrize(
    ("elapsed_ms", "heal_ms", "expected"),
    [
        (0, None, POLL_S),
        (0, 3000, POLL_S),
        (2800, 3000, 0.2),  # a look in 0.4 s would hold the fault for 3.2 s
        (3000, 3000, 0.0),
        (3001, 3000, 0.0),
        (60_000, None, POLL_S),
        (60_000, 60_100, 0.1),
    ],
)
def test_a_fault_is_mended_on_time(elapsed_ms: int, heal_ms: int | None, expected: float) -> None:
    assert poll_s(elapsed_ms, heal_ms) == pytest.approx(expected)


def watched(answers: list[Outlook], monkeypatch: pytest.MonkeyPatch, *, stall_ms: int = 0, hear_at: int = -1) -> int:
    """Watch a trial of a silent client whose clock goes by 5 s a look; return how often its history was read."""
    asked = 0
    times = itertools.count(5_000_000, 5_000_000)
    recorder = Recorder()

    async def ask(_: object, __: object) -> Outlook:
        nonlocal asked
        asked += 1
        return answers.pop(0)

    async def sleep(_: float) -> None: ...

    def now() -> int:
        at = next(times)
        if at == hear_at:
            recorder.add(App(at=at, kind=AppKind.ACKED, instance="i", partition=0))
        return at

    @dataclass
    class Told:
        play: Any
        subject: Any
        watched_ms: int = 0

    told = Told(SimpleNamespace(watch_ms=60_000), SimpleNamespace(affected=0, bystander=1))
    state: Any = SimpleNamespace(
        item=SimpleNamespace(
            cell=SimpleNamespace(engine=Engine.EMBEDDED),
            variant=SimpleNamespace(heal_after_ms=None, at_start=False, watch_least_ms=0),
        ),
        header=told,
        fault_at=0,
        recorder=recorder,
        learn=lambda: None,
        history=lambda: None,
    )
    environment: Any = SimpleNamespace(
        options=SimpleNamespace(watch_ms=None),
        tools=SimpleNamespace(lag=SimpleNamespace(worst_ms=lambda since, until: stall_ms)),
        rest=lambda: None,
    )
    monkeypatch.setattr(observation, "submit", ask)
    monkeypatch.setattr(observation, "now_us", now)
    monkeypatch.setattr(observation, "stagger_ms", lambda _: 0)
    monkeypatch.setattr(observation.asyncio, "sleep", sleep)

    async def adapt() -> None: ...

    pacing: Any = SimpleNamespace(adapt=adapt)
    asyncio.run(observation._observe(state, environment, pacing))
    return asked


WAITS, OVER = Outlook(4_000, needs_event=True), Outlook(0)


@pytest.mark.parametrize(("stall_ms", "asked"), [(STALL_MS, 1), (STALL_MS + 1, 0)])
def test_a_stall_ends_the_watch_since_its_times_are_not_to_be_trusted(
    stall_ms: int, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any further second would be thrown away: the cell is run again."""
    assert watched([OVER], monkeypatch, stall_ms=stall_ms) == asked


def test_a_silence_is_read_once_and_again_when_the_watch_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched([WAITS, OVER], monkeypatch) == 2
    assert watched([Outlook(4_000), Outlook(4_000), Outlook(4_000), OVER], monkeypatch) == 4


def test_who_is_heard_of_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched([WAITS, Outlook(4_000), OVER], monkeypatch, hear_at=20_000_000) == 3
