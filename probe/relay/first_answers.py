"""The answers that a fault takes: the first ones of some APIs, counted per client id. Sans-io."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


class FirstAnswers:
    """Counts answers per client id, so that the clients of a shared broker meet the same fault."""

    def __init__(self, apis: Iterable[int] = (), times: int = 0) -> None:
        """Take the first `times` answers of these APIs; 0 takes none."""
        self._apis, self._times = frozenset(apis), times
        self._taken: Counter[str] = Counter()

    def __bool__(self) -> bool:
        """Return whether any answer may be taken."""
        return self._times > 0

    def take(self, client: str, api: int) -> int | None:
        """Return the place of an answer among those that are taken from its client, from 0. None if it is not taken."""
        place = self._taken[client]
        if api not in self._apis or place >= self._times:
            return None
        self._taken[client] += 1
        return place
