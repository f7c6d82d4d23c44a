"""The orchestrator's clock."""

from __future__ import annotations

import time


def now_us() -> int:
    """Return the time of the orchestrator's clock, in microseconds of CLOCK_MONOTONIC."""
    return time.monotonic_ns() // 1000
