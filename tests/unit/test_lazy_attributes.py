"""Attributes that are computed once, and never wait for each other."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from probe.model.lazy import lazy


@dataclass
class Slow:
    go: threading.Event = field(default_factory=threading.Event)
    began: threading.Event = field(default_factory=threading.Event)
    times: int = 0

    @lazy
    def value(self) -> int:
        """Say how often it was computed."""
        self.began.set()
        assert self.go.wait(10)
        self.times += 1
        return self.times


def test_it_is_computed_once() -> None:
    one = Slow()
    one.go.set()
    assert (one.value, one.value, one.times) == (1, 1, 1)
    assert Slow.value.__doc__ == "Say how often it was computed."


def test_one_instance_does_not_wait_for_another() -> None:
    slow, quick = Slow(), Slow()
    quick.go.set()
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    try:
        assert slow.began.wait(10)
        assert quick.value == 1  # the other one is still being computed
        assert slow.times == 0
    finally:
        slow.go.set()
        thread.join(10)
