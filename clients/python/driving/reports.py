"""What one instance tells the orchestrator: standard events, and exactly one ending."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence

from driving.floods import Flood
from driving.outbox import Outbox
from probe.driver_contract import driver_pb2 as pb

NOTICES = 500
"""Notices kept per instance; a client that logs for ever must not fill the history."""
CHATTER_LINES, CHATTER_S, SLOW_LINE_S = 100, 1.0, 0.005
"""A library that logs so many lines in so short a time logs in a loop without a pause (kafka-python 2.2.15 after an
authorization error of its transaction: for two minutes) and takes a core from the clients beside it. Each line holds
it up then, as a slow terminal does, and the history says so."""


def clock_us() -> int:
    """Return the driver's clock: monotonic microseconds."""
    return time.monotonic_ns() // 1000


class Reports:
    """The events of one instance. Safe from any thread; after the ending event everything is dropped."""

    def __init__(self, instance: str, outbox: Outbox) -> None:
        self._instance = instance
        self._outbox = outbox
        self._ended = False
        self._notices = 0
        self._chatter = Flood(CHATTER_LINES, CHATTER_S)
        self._told_of_chatter = False
        self._early: list[str] | None = []
        self._lock = threading.Lock()

    @property
    def ended(self) -> bool:
        """Say whether the ending event was reported."""
        return self._ended

    def ready(self, settings: Mapping[str, str]) -> None:
        """Report the library constructed, with its effective settings."""
        self._add(pb.READY, settings=settings)
        early, self._early = self._early or [], None
        for text in early:
            self._add(pb.NOTICE, text=text)

    def sent(self, partition: int, sequence: int, clock: int, question: str = "") -> None:
        """Report an operation begun; `clock` was taken before the library call. `question` is admin's."""
        self._add(pb.SENT, partition=partition, sequence=sequence, clock=clock, text=question)

    def acked(self, partition: int, sequence: int, offset: int) -> None:
        """Report a delivery; `offset` is -1 if the library does not tell."""
        self._add(pb.ACKED, partition=partition, sequence=sequence, offset=max(offset, -1))

    def send_error(self, partition: int, sequence: int, error: pb.Error) -> None:
        """Report that an operation failed for good."""
        self._add(pb.SEND_ERROR, partition=partition, sequence=sequence, error=error)

    def received(self, partition: int, offset: int, value: str) -> None:
        """Report a record handed to the application."""
        self._add(pb.RECEIVED, partition=partition, offset=offset, value=value)

    def receive_error(self, error: pb.Error, partition: int = -1) -> None:
        """Report an error handed to the consuming application."""
        self._add(pb.RECEIVE_ERROR, partition=partition, error=error)

    def assigned(self, partitions: Sequence[int]) -> None:
        """Report partitions given to this member."""
        self._add(pb.ASSIGNED, partitions=sorted(partitions))

    def revoked(self, partitions: Sequence[int]) -> None:
        """Report partitions taken from this member; some libraries also tell that none was."""
        if partitions:
            self._add(pb.REVOKED, partitions=sorted(partitions))

    def committed(self, partition: int, offset: int) -> None:
        """Report a commit that the library reported as done."""
        self._add(pb.COMMITTED, partition=partition, offset=offset)

    def commit_error(self, error: pb.Error) -> None:
        """Report a commit that failed."""
        self._add(pb.COMMIT_ERROR, error=error)

    def transaction(self, kind: pb.Kind.ValueType, number: int, error: pb.Error | None = None) -> None:
        """Report a step of a transaction: TXN_BEGUN, TXN_COMMITTED, TXN_ABORTED, TXN_ERROR."""
        self._add(kind, sequence=number, error=error)

    def listed(self, partition: int, sequence: int, offset: int, question: str) -> None:
        """Report an answered admin question."""
        self._add(pb.LISTED, partition=partition, sequence=sequence, offset=offset, text=question)

    def list_error(self, partition: int, sequence: int, error: pb.Error, question: str) -> None:
        """Report an admin question that failed."""
        self._add(pb.LIST_ERROR, partition=partition, sequence=sequence, error=error, text=question)

    def notice(self, text: str) -> None:
        """Report a client-wide error or log line; what a constructor logs waits for `ready`, which comes first."""
        self._notices += 1
        if self._notices > NOTICES:
            return
        text = text if self._notices < NOTICES else "further notices are dropped"
        if self._early is not None:
            self._early.append(text)
        else:
            self._add(pb.NOTICE, text=text)

    def log(self, text: str) -> None:
        """Report a line that the library logs where it works; a flood of them is slowed."""
        self.notice(text)
        if self._notices > NOTICES and self._chatter.another(time.monotonic()):
            if not self._told_of_chatter:
                self._told_of_chatter = True
                told = f"{CHATTER_LINES} lines in {CHATTER_S:.0f} s: each takes it {SLOW_LINE_S * 1000:.0f} ms more"
                self._add(pb.NOTICE, text=f"it logs more than {told} from here on")
            time.sleep(SLOW_LINE_S)

    def unsupported(self, text: str) -> None:
        """End: this cannot be done."""
        self._end(pb.UNSUPPORTED, text=text)

    def fatal(self, error: pb.Error) -> None:
        """End: the instance is unusable."""
        self._end(pb.FATAL, error=error, text=error.text)

    def closed(self, left: str = "", clock: int | None = None) -> None:
        """End: the library is closed; `left` says what of it goes on in this process."""
        self._end(pb.CLOSED, text=left, clock=clock)

    def _end(
        self, kind: pb.Kind.ValueType, *, text: str, error: pb.Error | None = None, clock: int | None = None
    ) -> None:
        with self._lock:
            if not self._ended:
                self._put(kind, text=text, error=error, clock=clock)
                self._ended = True

    def _add(self, kind: pb.Kind.ValueType, **fields: object) -> None:
        with self._lock:
            if not self._ended:
                self._put(kind, **fields)  # type: ignore[arg-type]  # checked where `_put` is declared

    def _put(
        self,
        kind: pb.Kind.ValueType,
        *,
        partition: int = -1,
        sequence: int = -1,
        offset: int = -1,
        clock: int | None = None,
        value: str = "",
        error: pb.Error | None = None,
        partitions: Sequence[int] = (),
        settings: Mapping[str, str] | None = None,
        text: str = "",
    ) -> None:
        self._outbox.add(
            pb.Event(
                instance=self._instance,
                clock_us=clock_us() if clock is None else clock,
                kind=kind,
                partition=partition,
                sequence=sequence,
                offset=offset,
                value=value,
                error=error,
                partitions=partitions,
                settings=settings or {},
                text=text,
            )
        )
