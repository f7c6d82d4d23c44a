"""Drivers that certainly fail again: a run waits for them once. Silence is certain where the machine was calm."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from probe.errors import DriverError, FalseReportError, SilentDriverError
from probe.model import Cell, Client
from probe.model.cell import CONTROL
from probe.model.clock import now_us

Stalled = Callable[[int, int], bool]
"""Returns whether this machine stalled between two times in microseconds: a driver may then have lacked a core."""


def unmeasured(_since: int, _until: int) -> bool:
    """Return True: where nobody measures the machine, any driver may have lacked a core."""
    return True


class GivenUp:
    """The failures of a run's drivers that need no repetition."""

    def __init__(self, stalled: Stalled) -> None:
        self._stalled = stalled
        self._silent: dict[Client, tuple[float, str]] = {}
        """Time up to which requests for a process of a client are refused, in microseconds, and the reason."""
        self._cells: dict[Cell, DriverError] = {}
        """Failures of instances by their control cell: another role, profile or line may work."""

    def check(self, cell: Cell) -> None:
        """Raise the error of an earlier instance of this kind."""
        if (known := self._cells.get(_control(cell))) is not None:
            raise type(known)(str(known))

    def check_client(self, client: Client, asked: int) -> None:
        """Raise SilentDriverError if a process of this client was silent since `asked`, or on a calm machine."""
        until, reason = self._silent.get(client, (-math.inf, ""))
        if until > asked:
            raise SilentDriverError(reason)

    def note(self, cell: Cell, error: FalseReportError | SilentDriverError, since: int) -> None:
        """Keep the failure of an instance that was started at `since`, if it is certain."""
        if isinstance(error, FalseReportError) or not self._stalled(since, now_us()):
            self._cells[_control(cell)] = error

    def note_silence(self, client: Client, error: SilentDriverError, since: int) -> None:
        """Keep that a process that was started at `since` did not attach."""
        now = now_us()
        self._silent[client] = (now if self._stalled(since, now) else math.inf, str(error))


def _control(cell: Cell) -> Cell:
    return replace(cell, scenario=CONTROL)
