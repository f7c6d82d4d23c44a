"""Attributes that are computed once and do not block each other."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from probe.model.lazy_attribute import lazy


@dataclass
class Slow:
    go: threading.Event = field(default_factory=threading.Event)
    began: threading.Event = field(default_factory=threading.Event)
    times: int = 0

    @lazy
    def value(self) -> int:
        """Return how often the value was computed."""
        self.began.set()
        assert self.go.wait(10)
        self.times += 1
        return self.times


def test_a_lazy_attribute_is_computed_once() -> None:
    one = Slow()
    one.go.set()
    assert (one.value, one.value, one.times) == (1, 1, 1)
    assert Slow.value.__doc__ == "Return how often the value was computed."


def test_instances_do_not_wait_for_each_other() -> None:
    slow, quick = Slow(), Slow()
    quick.go.set()
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    try:
        assert slow.began.wait(10)
        assert quick.value == 1  # the other instance is still computing
        assert slow.times == 0
    finally:
        slow.go.set()
        thread.join(10)
