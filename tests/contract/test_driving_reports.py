"""A Python library that logs without a pause is delayed, and reported; occasional lines are not."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from probe.driver_contract import driver_pb2 as pb

PYTHON = Path(__file__).resolve().parents[2] / "clients" / "python"


class Kept:
    """An outbox that keeps its events, and a clock that only sleeps and lines advance."""

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
    from driver_runtime import reports  # noqa: PLC0415  # found by the line above

    kept = Kept()
    monkeypatch.setattr(
        reports,
        "time",
        type("Clock", (), {"monotonic": lambda: kept.now, "sleep": kept.sleep, "monotonic_ns": time.monotonic_ns}),
    )
    instance = reports.Reports("x", kept)
    instance.ready({})
    for line in range(lines):
        kept.now += apart_s
        instance.log(f"line {line}")
    return kept, reports


def test_a_flood_of_lines_is_delayed_and_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, reports = logs(monkeypatch, 2000, 0.0001)
    texts = [event.text for event in kept.events if event.kind == pb.NOTICE]
    assert len(texts) == reports.NOTICES + 1
    assert texts[-2:] == [
        "further notices are dropped",
        "more than 100 log lines in 1 s: every further line is delayed by 5 ms",
    ]
    assert kept.slept == pytest.approx((2000 - 699) * reports.LOG_DELAY_S)


def test_occasional_lines_are_not_delayed(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, reports = logs(monkeypatch, 2000, 0.02)
    assert kept.slept == 0
    assert len([event for event in kept.events if event.kind == pb.NOTICE]) == reports.NOTICES
