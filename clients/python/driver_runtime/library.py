"""The description of a library by its driver; all other code is shared."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from driver_runtime.reports import Reports
from probe.driver_contract import driver_pb2 as pb


class Unsupported(Exception):  # noqa: N818  # the word of driver.proto
    """A role, workload, profile or property that this version lacks; the text names it and the reason."""


class Stopping:
    """Whether an instance is asked to close, and by when."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._deadline = float("inf")
        self._kept: list[object] = []

    def ask(self, seconds: float) -> None:
        """Ask to close within `seconds`."""
        self._deadline = time.monotonic() + seconds
        self._asked.set()

    @property
    def asked(self) -> bool:
        """Whether closing was requested."""
        return self._asked.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleep for at most `seconds`; return early, and true, once closing is requested."""
        return self._asked.wait(seconds)

    def wait_until_asked(self) -> None:
        """Sleep until closing is requested."""
        self._asked.wait()

    def remaining(self) -> float:
        """Return the seconds left for closing, at least zero; infinity before it is requested."""
        return max(0.0, self._deadline - time.monotonic())

    def keep(self, client: object) -> None:
        """Hold a client that ends with the last reference to it, until the end of the instance is reported."""
        self._kept.append(client)

    def release(self) -> None:
        """Drop what is held, and end threads that still work: nobody acts on behalf of an instance that is over."""
        self._deadline = min(self._deadline, time.monotonic())
        self._asked.set()
        self._kept.clear()


Role = Callable[[pb.Start, Reports, Stopping], None]
"""Constructs the library, reports `ready`, works until closing is requested, closes, returns. Runs in its own thread.

Raises Unsupported before `ready`; any other exception makes the instance `fatal`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A client library."""

    family: str
    version: str
    """As the library itself reports it."""
    roles: Mapping[str, Role]
    profiles: Sequence[str]
    error_of: Callable[[BaseException], pb.Error]
    """Converts an exception of the library to an error of driver.proto."""
    without: Mapping[str, str] = field(default_factory=dict)
    """Workloads that this driver does not have, with the reason."""
    origin: Path | None = None
    """The file that it was loaded from, where that is not the package's own."""
