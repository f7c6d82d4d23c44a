"""The events of one instance, of which exactly one is the last."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence

from driver_runtime.outbox import Outbox
from driver_runtime.rate_detector import RateDetector
from probe.driver_contract import driver_pb2 as pb

NOTICES = 500
"""Notices that are kept per instance, so that endless logging does not fill the history."""
FLOOD_LINES, FLOOD_S, LOG_DELAY_S = 100, 1.0, 0.005
"""A library with more than `FLOOD_LINES` log lines in `FLOOD_S` seconds logs in a loop without a pause (kafka-python
2.2.15 after an authorization error of its transaction: for two minutes) and occupies a core. Every further line is
delayed by `LOG_DELAY_S`, as by a slow terminal, and a notice reports it."""


def clock_us() -> int:
    """Return the driver's clock: monotonic microseconds."""
    return time.monotonic_ns() // 1000


class Reports:
    """The events of one instance. Safe from any thread; events after the last one are dropped."""

    def __init__(self, instance: str, outbox: Outbox) -> None:
        self._instance = instance
        self._outbox = outbox
        self._ended = False
        self._notices = 0
        self._log_rate = RateDetector(FLOOD_LINES, FLOOD_S)
        self._flood_reported = False
        self._early: list[tuple[int, str]] | None = []
        self._lock = threading.RLock()
        """It may be taken twice: an allocation inside may collect an object whose finalizer logs, which is a notice of
        the same thread (asyncio reports futures and connections so)."""
        self.handler_s = 0.0
        """Seconds that the application needs for the next record; `handling` takes them."""

    @property
    def ended(self) -> bool:
        """Whether the last event was reported."""
        return self._ended

    def ready(self, settings: Mapping[str, str]) -> None:
        """Report that the library is constructed, with its effective settings."""
        self._add(pb.READY, settings=settings)
        self._report_early()

    def _report_early(self) -> None:
        early, self._early = self._early or [], None
        for clock, text in early:
            self._add(pb.NOTICE, text=text, clock=clock)

    def sent(self, partition: int, sequence: int, clock: int, query: str = "") -> None:
        """Report that an operation failed for good."""
        self._add(pb.SENT, partition=partition, sequence=sequence, clock=clock, text=query)

    def acked(self, partition: int, sequence: int, offset: int) -> None:
        """Report a delivery; `offset` is -1 if the library does not report it."""
        self._add(pb.ACKED, partition=partition, sequence=sequence, offset=max(offset, -1))

    def send_error(self, partition: int, sequence: int, error: pb.Error) -> None:
        """Report that an operation failed for good."""
        self._add(pb.SEND_ERROR, partition=partition, sequence=sequence, error=error)

    def received(self, partition: int, offset: int, value: str) -> None:
        """Report a record passed to the application."""
        self._add(pb.RECEIVED, partition=partition, offset=offset, value=value)

    def handling(self) -> float:
        """Return the seconds that the application needs before it goes on, and take them away."""
        seconds, self.handler_s = self.handler_s, 0.0
        return seconds

    def receive_error(self, error: pb.Error, partition: int = -1) -> None:
        """Report an error passed to the consuming application."""
        self._add(pb.RECEIVE_ERROR, partition=partition, error=error)

    def assigned(self, partitions: Sequence[int]) -> None:
        """Report partitions assigned to this member."""
        self._add(pb.ASSIGNED, partitions=sorted(partitions))

    def revoked(self, partitions: Sequence[int]) -> None:
        """Report partitions revoked from this member; some libraries also report empty revocations."""
        if partitions:
            self._add(pb.REVOKED, partitions=sorted(partitions))

    def committed(self, partition: int, offset: int) -> None:
        """Report a commit that the library reports as successful."""
        self._add(pb.COMMITTED, partition=partition, offset=offset)

    def commit_error(self, error: pb.Error, partition: int = -1, offset: int = -1) -> None:
        """Report a commit that failed; of a share group, the record that was not accepted."""
        self._add(pb.COMMIT_ERROR, partition=partition, offset=offset, error=error)

    def transaction(self, kind: pb.Kind.ValueType, number: int, error: pb.Error | None = None) -> None:
        """Report a step of a transaction: TXN_BEGUN, TXN_COMMITTED, TXN_ABORTED, TXN_ERROR."""
        self._add(kind, sequence=number, error=error)

    def listed(self, partition: int, sequence: int, offset: int, query: str) -> None:
        """Report the result of an admin query."""
        self._add(pb.LISTED, partition=partition, sequence=sequence, offset=offset, text=query)

    def list_error(self, partition: int, sequence: int, error: pb.Error, query: str) -> None:
        """Report an admin query that failed."""
        self._add(pb.LIST_ERROR, partition=partition, sequence=sequence, error=error, text=query)

    def notice(self, text: str) -> None:
        """Report a client-wide error or log line; lines of a constructor come after `ready`, with their own times."""
        self._notices += 1
        if self._notices > NOTICES:
            return
        text = text if self._notices < NOTICES else "further notices are dropped"
        if self._early is not None:
            self._early.append((clock_us(), text))
        else:
            self._add(pb.NOTICE, text=text)

    def log(self, text: str) -> None:
        """Report a line that the library logs in its own thread; a flood of lines is delayed."""
        self.notice(text)
        if self._notices > NOTICES and self._log_rate.add(time.monotonic()):
            if not self._flood_reported:
                self._flood_reported = True
                limit, delay = f"{FLOOD_LINES} log lines in {FLOOD_S:.0f} s", f"{LOG_DELAY_S * 1000:.0f} ms"
                self._add(pb.NOTICE, text=f"more than {limit}: every further line is delayed by {delay}")
            time.sleep(LOG_DELAY_S)

    def unsupported(self, text: str) -> None:
        """End: the role, profile or property is not supported."""
        self._end(pb.UNSUPPORTED, text=text)

    def fatal(self, error: pb.Error) -> None:
        """End: the instance is unusable. What a constructor logged before it failed comes first."""
        self._report_early()
        self._end(pb.FATAL, error=error, text=error.text)

    def closed(self, left: str = "", clock: int | None = None) -> None:
        """End: the library is closed; `left` names what still runs in this process."""
        self._end(pb.CLOSED, text=left, clock=clock)

    def _end(
        self, kind: pb.Kind.ValueType, *, text: str, error: pb.Error | None = None, clock: int | None = None
    ) -> None:
        with self._lock:
            if not self._ended:
                self._ended = True
                self._put(kind, text=text, error=error, clock=clock)

    def _add(self, kind: pb.Kind.ValueType, **fields: object) -> None:
        with self._lock:
            if not self._ended:
                self._put(kind, **fields)  # type: ignore[arg-type]  # the fields are those of `_put`

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
