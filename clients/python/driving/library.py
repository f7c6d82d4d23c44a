"""What a driver has to say about its library; everything else is shared."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from driving.reports import Reports
from probe.driver_contract import driver_pb2 as pb


class Unsupported(Exception):  # noqa: N818  # the word of driver.proto
    """A role, profile or property that this library, in this version, does not have; the text says which and why."""


class Stopping:
    """Whether an instance is asked to close, and how long it may take."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._deadline = float("inf")

    def ask(self, seconds: float) -> None:
        """Ask to be closed within so many seconds."""
        self._deadline = time.monotonic() + seconds
        self._asked.set()

    @property
    def asked(self) -> bool:
        """Say whether closing was asked for."""
        return self._asked.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleep; return early, and true, once closing is asked for."""
        return self._asked.wait(seconds)

    def wait_long(self) -> None:
        """Sleep until closing is asked for."""
        self._asked.wait()

    def remaining(self) -> float:
        """Return the seconds left to close in, never below zero."""
        return max(0.0, self._deadline - time.monotonic())


Role = Callable[[pb.Start, Reports, Stopping], None]
"""Constructs the library, reports `ready`, works until asked to stop, closes, returns. Runs in a thread of its own.

Raises Unsupported before `ready`; any other exception makes the instance `fatal`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A client library as its driver describes it."""

    family: str
    version: str
    """As the library itself reports it."""
    roles: Mapping[str, Role]
    profiles: Sequence[str]
    error_of: Callable[[BaseException], pb.Error]
    """Turn an exception of the library into an error as driver.proto wants it."""
    origin: Path | None = None
    """The file that it was loaded from, where that is not the package's own."""
