"""Requests on which the relay resets their connection."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from probe.model import Request
from probe.protocol.apis import API_VERSIONS

SECOND_US = 1_000_000

Refuses = Callable[[Request], bool]
"""Returns whether a request is refused, once for each."""


def versions_above(highest: int) -> Refuses:
    """Refuse ApiVersions of a version above this one."""
    return lambda request: request.api == API_VERSIONS and request.version > highest


class RequestGate:
    """Lets a number of requests of some APIs pass in any second, of all clients together, and refuses the others."""

    def __init__(self, apis: Sequence[int], per_s: int) -> None:
        self._apis, self._per_s = frozenset(apis), per_s
        self._passed: deque[int] = deque()

    def __call__(self, request: Request) -> bool:
        """Return whether a request is above the limit; what is refused does not count towards it."""
        if request.api not in self._apis:
            return False
        while self._passed and self._passed[0] <= request.at - SECOND_US:
            self._passed.popleft()
        if len(self._passed) >= self._per_s:
            return True
        self._passed.append(request.at)
        return False
