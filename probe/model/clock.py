"""The orchestrator's clock."""

from __future__ import annotations

import time


def now_us() -> int:
    """Return the orchestrator's clock, microseconds of CLOCK_MONOTONIC."""
    return time.monotonic_ns() // 1000
