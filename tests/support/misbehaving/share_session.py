"""The share consumer among the misbehaving clients: the well-behaved one, and what it may do wrong."""

from __future__ import annotations

from contextlib import closing

from tests.support.misbehaving import share_wire, wire
from tests.support.misbehaving.session import Session, coordinator_line, error_of
from tests.support.misbehaving.share_wire import ACCEPT, RELEASE

BEAT_S = 3.0
EACH = 7
"""One in this number of records is treated wrongly."""
RELEASED_AFTER_S = 0.2
"""Time between a delivery and the request that releases the record, in s. A verdict tells deliveries of a record apart
only if they lie further apart than the clocks of driver and probe are known: some ms, more on a busy machine."""


class ShareSession(Session):
    """A member of a share group for each partition: every fetch accepts what the one before it gave."""

    def begin(self) -> None:
        """Join the group, and keep the membership in the background."""
        self._epoch = self._membership = 0
        self._topic = b""
        self._opened_on: wire.Line | None = None
        self.given: list[tuple[int, int]] = []
        """(offset, type) to acknowledge with the next fetch."""
        self._tell()
        while not self._topic and not self.stop.wait(self.back_off_s):
            self._tell()
        self.client.in_background(self._tell, BEAT_S)

    def _tell(self) -> None:
        start = self.client.start
        with closing(coordinator_line(self.client)) as line:
            said = share_wire.heartbeat(line, start.group, self._member, self._membership, start.topic)
        self._membership = said.epoch
        self._topic = next(iter(said.topics), self._topic)

    @property
    def _member(self) -> str:
        return f"{self.client.start.instance[-20:]}-{self.partition}"

    def read(self) -> None:
        """Fetch once and deliver the records."""
        for offset, value in self.persist(self._fetch) or ():
            self.given.append((offset, ACCEPT))
            self.deliver(offset, value)

    def trouble(self, error: Exception) -> None:
        """Give up what was not accepted, and begin a session with the leader."""
        self._refused(error)
        self.hang_up()
        super().trouble(error)

    def _fetch(self, line: wire.Line) -> list[tuple[int, str]]:
        if line is not self._opened_on:  # a session ends with its connection
            self._epoch, self._opened_on = 0, line
        who = (self.client.start.group, self._member)
        given = share_wire.share_fetch(line, who, self._epoch, self._topic, self.partition, self.given)
        self._epoch += 1
        if given.refused:
            self._refused(wire.RefusedError(given.refused))
        for offset, kind in self.given:
            if kind == ACCEPT:
                self.accepted(offset)
        self.given = []
        return given.records

    def _refused(self, error: Exception) -> None:
        for offset, _ in self.given:
            self.reports.commit_error(error_of(error), self.partition, offset)
        self.given = []

    def accepted(self, offset: int) -> None:
        """Report a confirmed acceptance."""
        self.reports.committed(self.partition, offset)

    def deliver(self, offset: int, value: str) -> None:
        self.reports.received(self.partition, offset, value)


class AcceptsUnseen(ShareSession):
    """Accepts records that the application was not given."""

    def deliver(self, offset: int, value: str) -> None:
        if offset % EACH:
            super().deliver(offset, value)


class AcceptsTwice(ShareSession):
    """Confirms one acceptance to the application two times."""

    def accepted(self, offset: int) -> None:
        super().accepted(offset)
        if offset % EACH == 0:
            super().accepted(offset)


class DeliversAgain(ShareSession):
    """Gives a record again after its acceptance was confirmed."""

    def accepted(self, offset: int) -> None:
        super().accepted(offset)
        if offset % EACH == 0:
            self.reports.received(self.partition, offset, f"feed {self.partition} {offset} 1")


class HidesRedelivery(ShareSession):
    """Releases records after their delivery, and accepts them when they come again without telling the application."""

    def begin(self) -> None:
        self._released: set[int] = set()
        super().begin()

    def deliver(self, offset: int, value: str) -> None:
        if offset in self._released:
            return
        super().deliver(offset, value)
        if offset % EACH == 0:
            self._released.add(offset)
            self.given[-1] = (offset, RELEASE)
            self.stop.wait(RELEASED_AFTER_S)
