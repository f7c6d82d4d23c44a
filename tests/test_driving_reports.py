"""A Python library that logs without a pause is slowed, and the history says so; one that logs at times is not."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from probe.driver_contract import driver_pb2 as pb

PYTHON = Path(__file__).resolve().parents[1] / "clients" / "python"


class Kept:
    """An outbox that keeps what it is told, and a clock that only sleeping and lines move."""

    def __init__(self) -> None:
        self.events: list[pb.Event] = []
        self.now = 0.0
        self.slept = 0.0

    def add(self, event: pb.Event) -> None:
        self.events.append(event)

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += seconds


def logs(monkeypatch: pytest.MonkeyPatch, lines: int, apart_s: float) -> tuple[Kept, Any]:
    monkeypatch.syspath_prepend(str(PYTHON))
    from driving import reports  # noqa: PLC0415  # found by the line above

    kept = Kept()
    monkeypatch.setattr(
        reports,
        "time",
        type("Clock", (), {"monotonic": lambda: kept.now, "sleep": kept.sleep, "monotonic_ns": time.monotonic_ns}),
    )
    mouth = reports.Reports("x", kept)
    mouth.ready({})
    for line in range(lines):
        kept.now += apart_s
        mouth.log(f"line {line}")
    return kept, reports


def test_a_flood_of_lines_is_slowed_and_told_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, reports = logs(monkeypatch, 2000, 0.0001)
    texts = [event.text for event in kept.events if event.kind == pb.NOTICE]
    assert len(texts) == reports.NOTICES + 1
    assert texts[-2:] == [
        "further notices are dropped",
        "it logs more than 100 lines in 1 s: each takes it 5 ms more from here on",
    ]
    assert kept.slept == pytest.approx((2000 - 699) * reports.SLOW_LINE_S)


def test_whoever_logs_at_times_is_not_slowed(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, reports = logs(monkeypatch, 2000, 0.02)
    assert kept.slept == 0
    assert len([event for event in kept.events if event.kind == pb.NOTICE]) == reports.NOTICES
