"""Times at which a running trial is checked again."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from probe.model import App, AppKind, Engine, Limits
from probe.recorder import Recorder
from probe.runner.trial import observation
from probe.runner.trial.observation import POLL_S, poll_s
from probe.verdict import STALL_MS, Outlook


@pytest.mark.parametrize(
    ("elapsed_ms", "heal_ms", "expected"),
    [
        (0, None, POLL_S),
        (0, 3000, POLL_S),
        (2800, 3000, 0.2),  # a check after 0.4 s would keep the fault for 3.2 s
        (3000, 3000, 0.0),
        (3001, 3000, 0.0),
        (60_000, None, POLL_S),
        (60_000, 60_100, 0.1),
    ],
)
def test_a_fault_is_reverted_on_time(elapsed_ms: int, heal_ms: int | None, expected: float) -> None:
    assert poll_s(elapsed_ms, heal_ms) == pytest.approx(expected)


@dataclass
class HeaderStub:
    """A header with the parts that an observation reads and writes."""

    play: Any
    subject: Any
    limits: Any
    watched_ms: int = 0


def history_reads(
    answers: list[Outlook],
    monkeypatch: pytest.MonkeyPatch,
    *,
    stall_ms: int = 0,
    event_at: int = -1,
    limit_ms: int | None = None,
) -> int:
    """Observe a trial of a silent client, with 5 s between two checks; return how often its history was read."""
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
        if at == event_at:
            recorder.add(App(at=at, kind=AppKind.ACKED, instance="i", partition=0))
        return at

    header = HeaderStub(
        SimpleNamespace(watch_ms=60_000), SimpleNamespace(affected=0, bystander=1), Limits(back_off_ms=1)
    )
    state: Any = SimpleNamespace(
        item=SimpleNamespace(
            cell=SimpleNamespace(engine=Engine.EMBEDDED),
            variant=SimpleNamespace(heal_after_ms=None, at_start=False, watch_least_ms=0),
            limit_ms=lambda _: limit_ms,
        ),
        header=header,
        fault_at=0,
        recorder=recorder,
        successes=0,
        learn=lambda: None,
        history=lambda: None,
    )
    environment: Any = SimpleNamespace(
        options=SimpleNamespace(watch_ms=None),
        tools=SimpleNamespace(lag=SimpleNamespace(worst_ms=lambda since, until: stall_ms)),
        downgrade=lambda: None,
    )
    monkeypatch.setattr(observation, "submit", ask)
    monkeypatch.setattr(observation, "now_us", now)
    monkeypatch.setattr(observation, "stagger_ms", lambda _: 0)
    monkeypatch.setattr(observation.asyncio, "sleep", sleep)

    async def adapt() -> None: ...

    pacing: Any = SimpleNamespace(adapt=adapt, is_seldom=False)
    asyncio.run(observation._observe(state, environment, pacing))
    return asked


WAITS, OVER = Outlook(4_000, needs_event=True), Outlook(0)


@pytest.mark.parametrize(("stall_ms", "asked"), [(STALL_MS, 1), (STALL_MS + 1, 0)])
def test_a_stall_ends_the_observation(stall_ms: int, asked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a stall the times are not reliable, and the cell is run again in any case."""
    assert history_reads([OVER], monkeypatch, stall_ms=stall_ms) == asked


def test_a_history_without_new_events_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert history_reads([WAITS, OVER], monkeypatch) == 2
    assert history_reads([Outlook(4_000), Outlook(4_000), Outlook(4_000), OVER], monkeypatch) == 4


def test_a_cell_is_observed_for_no_longer_than_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    again = [Outlook(4_000)] * 9
    assert history_reads([*again], monkeypatch, limit_ms=1) == 0
    assert 0 < history_reads([*again], monkeypatch, limit_ms=60_000) < len(again)


def test_a_history_with_a_new_event_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert history_reads([WAITS, Outlook(4_000), OVER], monkeypatch, event_at=20_000_000) == 3
