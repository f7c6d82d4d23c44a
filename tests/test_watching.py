"""When a running trial is looked at again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from probe.runner import watching
from probe.runner.watching import NAP_S, nap_s
from probe.verdict import STALL_MS


@pytest.mark.parametrize(
    ("elapsed_ms", "heal_ms", "expected"),
    [
        (0, None, NAP_S),
        (0, 3000, NAP_S),
        (2800, 3000, 0.2),  # a look in 0.4 s would hold the fault for 3.2 s
        (3000, 3000, 0.0),
        (3001, 3000, 0.0),
        (60_000, None, NAP_S),
        (60_000, 60_100, 0.1),
    ],
)
def test_a_fault_is_mended_on_time(elapsed_ms: int, heal_ms: int | None, expected: float) -> None:
    assert nap_s(elapsed_ms, heal_ms) == pytest.approx(expected)


@pytest.mark.parametrize(("stall_ms", "asked"), [(STALL_MS, 1), (STALL_MS + 1, 0)])
def test_a_stall_ends_the_watch_since_its_times_are_not_to_be_trusted(
    stall_ms: int, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any further second would be thrown away: the cell is run again."""
    questions: list[object] = []

    async def ask(_: object, history: object) -> int:
        questions.append(history)
        return 0

    @dataclass
    class Told:
        watched_ms: int = 0
        fault_at: int = 0

    course: Any = SimpleNamespace(
        item=SimpleNamespace(part=SimpleNamespace(heal_after_ms=None, at_start=False, watch_least_ms=0)),
        header=Told(),
        fault_at=0,
        recorder=SimpleNamespace(ending=None),
        learn=lambda: None,
        history=lambda: None,
    )
    lag = SimpleNamespace(worst_ms=lambda since, until: stall_ms)
    stage: Any = SimpleNamespace(
        options=SimpleNamespace(watch_ms=None), tools=SimpleNamespace(lag=lag), rest=lambda: None, cluster=None
    )
    monkeypatch.setattr(watching, "ask", ask)
    monkeypatch.setattr(watching, "stagger_ms", lambda _: 0)
    asyncio.run(watching._watch(course, stage))
    assert len(questions) == asked
