"""The well-behaved client: its discoveries, its operations and its reaction to errors.

An instance is one `Client` with a `Session` per partition. Every session has its own thread and connection, and one
operation at a time. ways.py has the misbehaviour.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing

from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from driver_runtime.workload import value_of

from probe.driver_contract import driver_pb2 as pb
from probe.protocol.names import error_name
from tests.support.misbehaving import wire

BACK_OFF_S = 0.1
COMMIT_S = 0.5
NOT_LEADER, STORAGE_ERROR = 6, 56


class SurfacedError(Exception):
    """The operation failed, and the application gets the error."""


class Client:
    """The state that the sessions of an instance share: the view of the cluster, and the reports."""

    def __init__(self, start: pb.Start, reports: Reports, stop: Stopping) -> None:
        self.start, self.reports, self.stop = start, reports, stop
        self.acks = 1 if start.profile == "acks-1" else -1
        self.in_trouble: int | None = None
        """The partition that got an error first."""
        self.trouble_at = 0.0
        self.ended = False
        """Whether the instance ends without a request to stop."""
        self.ending: Exception | None = None
        self._asking = threading.Lock()
        self._line: wire.Line | None = None
        self.view = self.look()

    def look(self) -> wire.View:
        """Request metadata from a bootstrap address. Raises GoneError if none answers."""
        with self._asking:
            for address in (*self.start.bootstrap, *self.start.bootstrap):
                try:
                    self._line = self._line or wire.Line(split(address), self.start.client_id)
                    return wire.metadata(self._line, self.start.topic)
                except wire.GoneError:
                    self._line = None
            raise wire.GoneError("no bootstrap address answers")

    def adopt(self) -> None:
        """Request metadata, and use the leaders in the response."""
        self.view = self.look()

    def note_trouble(self, partition: int) -> bool:
        """Record the first error; return whether this was the first."""
        first = self.in_trouble is None
        if first:
            self.in_trouble, self.trouble_at = partition, time.monotonic()
        return first

    def in_background(self, work: Callable[[], object], every_s: float, for_s: float = 3600.0) -> None:
        """Repeat some work in a background thread."""
        end = time.monotonic() + for_s

        def loop() -> None:
            while not self.stop.wait(every_s) and time.monotonic() < end:
                try:
                    work()
                except wire.GoneError:
                    continue

        threading.Thread(target=loop, daemon=True).start()

    def begin(self) -> None:
        """Start the background work of an instance."""

    def end(self, error: Exception | None) -> None:
        """End the instance: as unusable with an error, or as after a request to close."""
        self.ending, self.ended = error, True

    def close(self) -> None:
        """Close as an application would."""


def split(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host, int(port)


def error_of(error: BaseException) -> pb.Error:
    code = error.code if isinstance(error, wire.RefusedError) else -1
    name = error_name(code) if code >= 0 else ""
    return pb.Error(code=code, name=name, type=type(error).__name__, text=str(error), retriable=True)


class Session:
    """The operations of an instance on one partition."""

    back_off_s = BACK_OFF_S

    def __init__(self, client: Client, partition: int) -> None:
        self.client, self.partition = client, partition
        self.reports, self.stop = client.reports, client.stop
        self.node = client.view.leaders[partition]
        self.recovering = False
        self._line: wire.Line | None = None
        self._at = -1
        self.next_offset = 0

    # Behaviour

    def trouble(self, error: Exception) -> None:
        """React to an error: wait, request metadata, use the leader. Raises SurfacedError to give the operation up."""
        self.stop.wait(self.back_off_s)
        if not isinstance(error, wire.GoneError):
            self.client.adopt()
            self.node = self.client.view.leaders[self.partition]

    def recovered(self) -> None:
        """Record the first success after an error."""

    def before(self) -> None:
        """Prepare an operation."""

    # Connection

    def line(self) -> wire.Line:
        if self._line is None or self._at != self.node:
            self.hang_up()
            self._line = wire.Line(self.client.view.brokers[self.node], self.client.start.client_id)
            self._at = self.node
        return self._line

    def hang_up(self) -> None:
        if self._line is not None:
            self._line.close()
        self._line = None

    def persist(self, work: Callable[[wire.Line], wire.T]) -> wire.T | None:
        """Retry until the work succeeds; return None after a request to stop. Raises SurfacedError."""
        while not self.stop.asked:
            try:
                found = work(self.line())
            except (wire.GoneError, wire.RefusedError) as error:
                if isinstance(error, wire.GoneError):
                    self.hang_up()
                self.recovering = True
                self.client.note_trouble(self.partition)
                self.trouble(error)
            else:
                if self.recovering:
                    self.recovering = False
                    self.recovered()
                return found
        return None

    # Producer

    def operate(self, sequence: int, clock: int) -> None:
        """Write one record until it is acknowledged or given up."""
        self.before()
        self.reports.sent(self.partition, sequence, clock)
        try:
            self.write(sequence, clock)
        except SurfacedError as error:
            self.reports.send_error(self.partition, sequence, error_of(error.__cause__ or error))

    def write(self, sequence: int, clock: int) -> None:
        """Store one record and report it acknowledged."""
        offset = self.store(sequence, clock)
        if offset is not None:
            self.reports.acked(self.partition, sequence, offset)

    def store(self, sequence: int, clock: int) -> int | None:
        client = self.client
        value = value_of(client.start.instance, self.partition, sequence, clock)
        return self.persist(lambda line: wire.produce(line, client.start.topic, self.partition, value, client.acks))

    # Consumer

    def begin(self) -> None:
        """Take the position: the group's committed offset, or the start of the log."""
        start = self.client.start
        if start.group:
            with closing(coordinator_line(self.client)) as line:
                self.next_offset = wire.committed(line, start.group, start.topic, self.partition)
        else:
            self.next_offset = self.persist(lambda line: wire.earliest(line, start.topic, self.partition)) or 0

    def read(self) -> None:
        """Fetch once and deliver the records."""
        self.before()
        client = self.client
        try:
            records = self.persist(lambda line: wire.fetch(line, client.start.topic, self.partition, self.next_offset))
        except SurfacedError as error:
            self.reports.receive_error(error_of(error.__cause__ or error), self.partition)
            return
        for offset, value in records or ():
            self.deliver(offset, value)

    def deliver(self, offset: int, value: str) -> None:
        self.reports.received(self.partition, offset, value)
        self.next_offset = offset + 1

    def committable(self) -> int:
        """Return the offset to commit: that of the next record to deliver."""
        return self.next_offset


def read_all(session: Session) -> None:
    session.begin()
    while not session.stop.asked:
        session.read()


def coordinator_line(client: Client) -> wire.Line:
    """Return a connection to the coordinator of the instance's group."""
    start = client.start
    with closing(wire.Line(split(start.bootstrap[0]), start.client_id)) as first:
        return wire.Line(wire.coordinator(first, start.group), start.client_id)


def commit_all(client: Client, sessions: list[Session]) -> None:
    """Commit the offsets of delivered records every half second."""
    start = client.start
    line = coordinator_line(client)
    while not client.stop.wait(COMMIT_S):
        offsets = {item.partition: item.committable() for item in sessions if item.next_offset}
        if not offsets:
            continue
        wire.commit(line, start.group, start.topic, offsets)
        for partition, offset in offsets.items():
            client.reports.committed(partition, offset)
