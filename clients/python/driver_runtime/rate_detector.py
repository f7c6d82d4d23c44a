"""Whether something happens at a higher rate than a limit."""

from __future__ import annotations


class RateDetector:
    """Counts occurrences; the rate is exceeded while `count` of them take less than `within_s` seconds."""

    def __init__(self, count: int, within_s: float) -> None:
        """Begin without any occurrence."""
        self._limit, self._within_s = count, within_s
        self._count = 0
        self._since = float("-inf")
        self.exceeded = False

    def add(self, now: float) -> bool:
        """Count an occurrence at `now`, in seconds of a monotonic clock; return whether the rate is exceeded."""
        self._count += 1
        if self._count % self._limit == 0:
            self.exceeded, self._since = now - self._since < self._within_s, now
        return self.exceeded
