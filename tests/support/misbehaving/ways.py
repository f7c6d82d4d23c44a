"""The ways in which the client misbehaves. Each is one change to the well-behaved client."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from driver_runtime.library import Stopping
from driver_runtime.reports import Reports

from probe.driver_contract import driver_pb2 as pb
from tests.support.misbehaving import share_session, wire
from tests.support.misbehaving.session import NOT_LEADER, Client, Session, SurfacedError

OFTEN_S = 0.02
EACH = 7
"""One in this number of records is treated wrongly."""
REFRESH_S = 4.0
TICK_LATE_S = 0.15
"""A tick for which a busy machine wakes the client later than this is left out. With the longest stall of a harness in
a valid trial (250 ms), it is the tenth of the interval by which a tick may be late (docs/verdicts.md#trigger)."""
LATE_S = 4.0
"""Longer than the prompt limit of every scenario in these tests."""
INVENTED = 1_000_000
LIMIT_MS = 1000
SKIPPED = 5
AHEAD = 20


class Waits(Session):
    """Does not request metadata until some time after the error."""

    asks_after_s = float("inf")

    def trouble(self, error: Exception) -> None:
        if time.monotonic() - self.client.trouble_at < self.asks_after_s:
            self.act_before_asking()
        else:
            super().trouble(error)

    def act_before_asking(self) -> None:
        self.stop.wait(self.back_off_s)


class AsksLate(Waits):
    asks_after_s = LATE_S


class AsksAndStays(Waits):
    def act_before_asking(self) -> None:
        super().act_before_asking()
        self.client.look()


class AsksOften(Waits):
    asks_after_s = 2.0

    def act_before_asking(self) -> None:
        self.stop.wait(OFTEN_S)
        self.client.look()


class TriesWithoutPause(Waits):
    asks_after_s = 2.5
    back_off_s = OFTEN_S / 2


class ReconnectsOften(Waits):
    asks_after_s = 1.5
    back_off_s = OFTEN_S

    def act_before_asking(self) -> None:
        self.hang_up()
        super().act_before_asking()


class TriesEachBroker(Waits):
    """Requests no metadata, but tries one broker after the other."""

    def act_before_asking(self) -> None:
        super().act_before_asking()
        nodes = sorted(self.client.view.brokers)
        self.node = nodes[(nodes.index(self.node) + 1) % len(nodes)]


class AsksForSix(Session):
    """Requests metadata only after NOT_LEADER_OR_FOLLOWER, as older versions of sarama do."""

    def trouble(self, error: Exception) -> None:
        if isinstance(error, wire.RefusedError) and error.code == NOT_LEADER:
            super().trouble(error)
        else:
            self.stop.wait(self.back_off_s)


class AsksOn(Session):
    """Continues to request metadata after the recovery."""

    every_s = OFTEN_S

    def recovered(self) -> None:
        self.client.in_background(self.client.look, self.every_s)


class AsksOnSlowly(AsksOn):
    every_s = 0.4


class ReconnectsOn(Session):
    """Opens and closes connections after the recovery."""

    def recovered(self) -> None:
        address = self.client.view.brokers[self.node]
        self.client.in_background(lambda: wire.Line(address, self.client.start.client_id).close(), OFTEN_S)


class AsksAtTicks(Session):
    """Learns about the new leader only from the periodic refresh."""

    def trouble(self, error: Exception) -> None:
        self.stop.wait(self.back_off_s)
        self.node = self.client.view.leaders[self.partition]


class Ticks(Client):
    """Requests metadata at ticks of a grid that its first request began, and at no other time."""

    def __init__(self, start: pb.Start, reports: Reports, stop: Stopping) -> None:
        self._due = time.monotonic()
        super().__init__(start, reports, stop)

    def begin(self) -> None:
        threading.Thread(target=self._tick, daemon=True).start()

    def _tick(self) -> None:
        while not self.stop.asked:
            self._due += REFRESH_S
            self.stop.wait(max(0.0, self._due - time.monotonic()))
            if time.monotonic() - self._due <= TICK_LATE_S:
                with suppress(wire.GoneError):
                    self.adopt()


class NeverReconnects(Session):
    def trouble(self, error: Exception) -> None:
        if isinstance(error, wire.GoneError):
            self.stop.wait_until_asked()
        else:
            super().trouble(error)


class Surfaces(Session):
    """Reacts to the error correctly, and reports it to the application in addition."""

    def trouble(self, error: Exception) -> None:
        super().trouble(error)
        raise SurfacedError from error


class HarmsBystander(Session):
    """Treats the partition without an error wrongly."""

    def before(self) -> None:
        if self.client.in_trouble not in {None, self.partition}:
            self.harm()

    def harm(self) -> None:
        """Treat this partition wrongly."""


class StopsBystander(HarmsBystander):
    def harm(self) -> None:
        self.stop.wait(max(0.0, self.client.trouble_at + LATE_S - time.monotonic()))


class FailsBystander(HarmsBystander):
    failed = False

    def harm(self) -> None:
        if not self.failed:
            self.failed = self.failing = True

    failing = False

    def write(self, sequence: int, clock: int) -> None:
        if self.failing:
            self.failing = False
            raise SurfacedError("because of another partition")
        super().write(sequence, clock)


class DropsAcked(Session):
    def write(self, sequence: int, clock: int) -> None:
        if sequence % EACH == EACH - 1:
            self.reports.acked(self.partition, sequence, -1)
        else:
            super().write(sequence, clock)


class NeverReports(Session):
    """Stores one record in `EACH` without telling the application."""

    def write(self, sequence: int, clock: int) -> None:
        if sequence % EACH == EACH - 1:
            self.store(sequence, clock)
        else:
            super().write(sequence, clock)


class Invents(Session):
    """Stores a record that the application never handed over."""

    def write(self, sequence: int, clock: int) -> None:
        if sequence % EACH == EACH - 1:
            self.store(sequence + INVENTED, clock)
        super().write(sequence, clock)


class Duplicates(Session):
    def write(self, sequence: int, clock: int) -> None:
        if sequence % EACH == EACH - 1:
            self.store(sequence, clock)
        super().write(sequence, clock)


class Reorders(Session):
    """Writes one record after its successor."""

    kept: tuple[int, int] | None = None

    def write(self, sequence: int, clock: int) -> None:
        if sequence % EACH == EACH - 1:
            self.kept = (sequence, clock)
            return
        super().write(sequence, clock)
        if self.kept is not None:
            super().write(*self.kept)
            self.kept = None


class Skips(Session):
    """Continues at another offset after the recovery, once the records in between exist."""

    by = SKIPPED
    jumps = False

    def recovered(self) -> None:
        self.jumps = True

    def before(self) -> None:
        if self.jumps:
            self.stop.wait(1.0)
            self.next_offset += self.by
            self.jumps = False


class Repeats(Skips):
    by = -SKIPPED


class CommitsAhead(Session):
    def committable(self) -> int:
        return self.next_offset + AHEAD


class ClosesSlowly(Client):
    def close(self) -> None:
        time.sleep(2.0)


class Dies(Session):
    def trouble(self, error: Exception) -> None:
        self.client.end(RuntimeError("cannot be used any more"))
        self.stop.wait(self.back_off_s)


class DiesEarly(Session):
    def before(self) -> None:
        self.client.end(RuntimeError("cannot be used any more"))


class Leaves(Session):
    def trouble(self, error: Exception) -> None:
        self.client.end(None)
        self.stop.wait(self.back_off_s)


class Exits(Session):
    def trouble(self, error: Exception) -> None:
        os._exit(3)


class AsksAlways(Client):
    def begin(self) -> None:
        self.in_background(self.look, OFTEN_S)


@dataclass(frozen=True)
class Way:
    session: type[Session] = Session
    client: type[Client] = Client
    settings: Mapping[str, str] = field(default_factory=dict)
    sharing: type[Session] = share_session.ShareSession


WAYS: Mapping[str, Way] = {
    "no": Way(),
    "never-asks": Way(Waits),
    "asks-late": Way(AsksLate),
    "asks-and-stays": Way(AsksAndStays),
    "asks-for-six": Way(AsksForSix),
    "asks-often": Way(AsksOften),
    "asks-on": Way(AsksOn),
    "asks-on-slowly": Way(AsksOnSlowly),
    "asks-at-ticks": Way(AsksAtTicks, Ticks, {"refresh_ms": str(int(REFRESH_S * 1000))}),
    "asks-always": Way(client=AsksAlways),
    "tries-without-pause": Way(TriesWithoutPause),
    "tries-each-broker": Way(TriesEachBroker),
    "reconnects-often": Way(ReconnectsOften),
    "reconnects-on": Way(ReconnectsOn),
    "never-reconnects": Way(NeverReconnects),
    "surfaces": Way(Surfaces),
    "stops-bystander": Way(StopsBystander),
    "fails-bystander": Way(FailsBystander),
    "drops-acked": Way(DropsAcked),
    "never-reports": Way(NeverReports, settings={"delivery_timeout_ms": str(LIMIT_MS)}),
    "never-reports-unlimited": Way(NeverReports),
    "invents": Way(Invents),
    "duplicates": Way(Duplicates),
    "reorders": Way(Reorders),
    "skips": Way(Skips),
    "repeats": Way(Repeats),
    "commits-ahead": Way(CommitsAhead),
    "accepts-unseen": Way(sharing=share_session.AcceptsUnseen),
    "hides-redelivery": Way(sharing=share_session.HidesRedelivery),
    "accepts-twice": Way(sharing=share_session.AcceptsTwice),
    "delivers-again": Way(sharing=share_session.DeliversAgain),
    "closes-slowly": Way(client=ClosesSlowly),
    "dies": Way(Dies),
    "dies-early": Way(DiesEarly),
    "leaves": Way(Leaves),
    "exits": Way(Exits),
}
"""The ways, by the value of property `misbehave`."""
