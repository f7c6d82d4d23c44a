"""A clock that stands still while code runs, and jumps to the next timer when all of it waits.

Tests of what waits, and of nothing that comes from outside (sockets, processes, threads), play on it: their order does
not depend on the machine's speed, and no time passes.
"""

from __future__ import annotations

import asyncio
import selectors
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar
from unittest import mock

T = TypeVar("T")
STEP_S = 1e-6
"""Resolution of the clock, in seconds: a timer that is due within it has come."""


class _Jumping(selectors.DefaultSelector):
    """Waits for nothing: the time until the next timer passes at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now = time.monotonic()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(timeout if timeout is None else 0)
        if not ready and timeout is not None and timeout > 0:
            self.now += timeout + STEP_S
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.clock = _Jumping()
        super().__init__(self.clock)

    def time(self) -> float:
        return self.clock.now

    def run_in_executor(  # type: ignore[override]  # one signature of Python's many
        self, executor: object, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        """Call a function at once: in a thread it would take time that is not on this clock."""
        found: asyncio.Future[T] = self.create_future()
        found.set_result(func(*args))
        return found

    def nanoseconds(self) -> int:
        return round(self.clock.now * 1e9)

    def pass_by(self, seconds: float) -> None:
        self.clock.now += seconds


def run(story: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the clock, and return its result.

    The clock is that of `time.monotonic` and `time.sleep`, too, in this thread only: another one, such as that which
    collects ended processes of an earlier test, would move it by its own waits.
    """
    here = threading.get_ident()

    def on_clock(own: Callable[..., Any], elsewhere: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            return own(*args) if threading.get_ident() == here else elsewhere(*args)

        return call

    with asyncio.Runner(loop_factory=_Loop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, _Loop)
        with (
            mock.patch.object(time, "monotonic", on_clock(loop.time, time.monotonic)),
            mock.patch.object(time, "monotonic_ns", on_clock(loop.nanoseconds, time.monotonic_ns)),
            mock.patch.object(time, "sleep", on_clock(loop.pass_by, time.sleep)),
        ):
            return runner.run(story)
