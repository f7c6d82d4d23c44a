"""A Python library that looks in vain without waiting is slowed, and says so; what it waits for is never late."""

from __future__ import annotations

import selectors
import socket
import time
from pathlib import Path
from typing import Any

import pytest

PYTHON = Path(__file__).resolve().parents[1] / "clients" / "python"


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(PYTHON))
    from driving import looks  # noqa: PLC0415  # found by the line above

    return looks


def test_looks_in_vain_are_slowed_and_told_of_once(looks: Any) -> None:
    told: list[str] = []
    with looks.PatientSelector(told.append) as selector:
        for _ in range(2 * looks.LOOKS):
            selector.select(0)
        assert told == [
            "it looks for what came more than 100 times in 1 s without waiting: a look takes 5 ms from here on"
        ]
        before = time.monotonic()
        for _ in range(10):
            selector.select(0)
        assert time.monotonic() - before >= 10 * looks.SLOW_LOOK_S * 0.8
        for _ in range(2 * looks.LOOKS):
            selector.select(0)
    assert len(told) == 1


def test_what_comes_ends_a_slow_look(looks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "SLOW_LOOK_S", 60.0)
    ours, theirs = socket.socketpair()
    with ours, theirs, looks.PatientSelector(lambda _: None) as selector:
        selector.register(ours, selectors.EVENT_READ)
        for _ in range(2 * looks.LOOKS):
            selector.select(0)
        theirs.send(b"x")
        assert [key.fileobj for key, _ in selector.select(0)] == [ours]


@pytest.mark.parametrize("timeout", [0.0001, None])
def test_who_waits_or_finds_something_is_left_alone(looks: Any, timeout: float | None) -> None:
    told: list[str] = []
    ours, theirs = socket.socketpair()
    with ours, theirs, looks.PatientSelector(told.append) as selector:
        if timeout is None:
            selector.register(ours, selectors.EVENT_READ)
            theirs.send(b"x")
        for _ in range(3 * looks.LOOKS):
            selector.select(timeout)
            if timeout is None:
                selector.select(0)
    assert not told


def test_who_looks_seldom_is_left_alone(looks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    now = iter(range(10**6))
    monkeypatch.setattr(looks, "time", type("Clock", (), {"monotonic": lambda: float(next(now))}))
    with looks.PatientSelector(told.append) as selector:
        for _ in range(5 * looks.LOOKS):
            selector.select(0)
    assert not told
