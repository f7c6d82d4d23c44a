"""A Python library that polls in a busy loop is delayed, and reported; data is never late."""

from __future__ import annotations

import selectors
import socket
import time
from pathlib import Path
from typing import Any

import pytest

PYTHON = Path(__file__).resolve().parents[2] / "clients" / "python"


@pytest.fixture
def guard(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(PYTHON))
    from driver_runtime import busy_loop_guard  # noqa: PLC0415  # found by the line above

    return busy_loop_guard


def test_empty_polls_are_delayed_and_reported_once(guard: Any) -> None:
    notices: list[str] = []
    with guard.ThrottledSelector(notices.append) as selector:
        for _ in range(2 * guard.POLLS):
            selector.select(0)
        assert notices == ["more than 100 polls in 1 s without waiting: every further one takes 5 ms"]
        before = time.monotonic()
        for _ in range(10):
            selector.select(0)
        assert time.monotonic() - before >= 10 * guard.DELAYED_POLL_S * 0.8
        for _ in range(2 * guard.POLLS):
            selector.select(0)
    assert len(notices) == 1


def test_data_ends_a_delayed_poll(guard: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "DELAYED_POLL_S", 60.0)
    ours, theirs = socket.socketpair()
    with ours, theirs, guard.ThrottledSelector(lambda _: None) as selector:
        selector.register(ours, selectors.EVENT_READ)
        for _ in range(2 * guard.POLLS):
            selector.select(0)
        theirs.send(b"x")
        assert [key.fileobj for key, _ in selector.select(0)] == [ours]


@pytest.mark.parametrize("timeout", [0.0001, None])
def test_polls_that_wait_or_find_something_are_not_delayed(guard: Any, timeout: float | None) -> None:
    notices: list[str] = []
    ours, theirs = socket.socketpair()
    with ours, theirs, guard.ThrottledSelector(notices.append) as selector:
        if timeout is None:
            selector.register(ours, selectors.EVENT_READ)
            theirs.send(b"x")
        for _ in range(3 * guard.POLLS):
            selector.select(timeout)
            if timeout is None:
                selector.select(0)
    assert not notices


def test_rare_polls_are_not_delayed(guard: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    notices: list[str] = []
    now = iter(range(10**6))
    monkeypatch.setattr(guard, "time", type("Clock", (), {"monotonic": lambda: float(next(now))}))
    with guard.ThrottledSelector(notices.append) as selector:
        for _ in range(5 * guard.POLLS):
            selector.select(0)
    assert not notices
