"""Logs of a Python library: a flood is delayed and reported, occasional lines are not, and no line blocks another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
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


class Collecting(Kept):
    """An outbox whose allocations collect garbage, as any allocation may, and a finalizer logs."""

    def __init__(self) -> None:
        super().__init__()
        self.finalizer: Callable[[], None] | None = None

    def add(self, event: pb.Event) -> None:
        finalizer, self.finalizer = self.finalizer, None
        if finalizer is not None:
            finalizer()
        super().add(event)


def test_a_finalizer_that_logs_while_an_event_is_reported_does_not_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PYTHON))
    from driver_runtime import reports  # noqa: PLC0415  # found by the line above

    kept = Collecting()
    instance = reports.Reports("x", kept)
    instance.ready({})

    def report() -> None:
        kept.finalizer = lambda: instance.notice("Future exception was never retrieved")
        instance.received(0, 7, "value")
        kept.finalizer = lambda: instance.notice("too late")
        instance.closed()

    thread = threading.Thread(target=report, daemon=True)
    thread.start()
    thread.join(10)
    assert [event.kind for event in kept.events] == [pb.READY, pb.NOTICE, pb.RECEIVED, pb.CLOSED]


def test_lines_of_a_constructor_follow_ready_with_their_own_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """A constructor may block for half a minute, while every line says that the log-in is refused."""
    monkeypatch.syspath_prepend(str(PYTHON))
    from driver_runtime import reports  # noqa: PLC0415  # found by the line above

    kept = Kept()
    monkeypatch.setattr(reports, "clock_us", lambda: round(kept.now * 1_000_000))
    instance = reports.Reports("x", kept)
    kept.now = 1.0
    instance.log("the log-in is refused")
    kept.now = 28.0
    instance.ready({})
    instance.log("another line")
    assert [(event.kind, event.clock_us, event.text) for event in kept.events] == [
        (pb.READY, 28_000_000, ""),
        (pb.NOTICE, 1_000_000, "the log-in is refused"),
        (pb.NOTICE, 28_000_000, "another line"),
    ]


def test_lines_of_a_constructor_that_fails_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PYTHON))
    from driver_runtime import reports  # noqa: PLC0415  # found by the line above

    kept = Kept()
    instance = reports.Reports("x", kept)
    instance.log("the log-in is refused")
    instance.fatal(pb.Error(text="Unable to bootstrap"))
    assert [(event.kind, event.text) for event in kept.events] == [
        (pb.NOTICE, "the log-in is refused"),
        (pb.FATAL, "Unable to bootstrap"),
    ]
