"""Whether something happens so often that it is a flood."""

from __future__ import annotations


class Flood:
    """Counts what happens; it floods while so many of them take less than so many seconds."""

    def __init__(self, many: int, within_s: float) -> None:
        """Begin with nothing having happened."""
        self._many, self._within_s = many, within_s
        self._count = 0
        self._since = float("-inf")
        self.on = False

    def another(self, now: float) -> bool:
        """Count one that happens now, in seconds of a clock that never goes back; say whether they flood."""
        self._count += 1
        if self._count % self._many == 0:
            self.on, self._since = now - self._since < self._within_s, now
        return self.on
