"""The ways in which the client misbehaves, each by one change to how it behaves well."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.support.misbehaving import wire
from tests.support.misbehaving.session import NOT_LEADER, Client, Session, SurfacedError

OFTEN_S = 0.02
EACH = 7
"""Every so many records, one is treated badly."""
REFRESH_S = 2.0
LATE_S = 4.0
"""Longer than any scenario here calls prompt."""
SKIPPED = 5
AHEAD = 20


class Waits(Session):
    """Has a moment until which it does something else than ask."""

    asks_after_s = float("inf")

    def trouble(self, error: Exception) -> None:
        if time.monotonic() - self.client.trouble_at < self.asks_after_s:
            self.instead()
        else:
            super().trouble(error)

    def instead(self) -> None:
        self.stop.wait(self.back_off_s)


class AsksLate(Waits):
    asks_after_s = LATE_S


class AsksAndStays(Waits):
    def instead(self) -> None:
        super().instead()
        self.client.look()


class AsksOften(Waits):
    asks_after_s = 2.0

    def instead(self) -> None:
        self.stop.wait(OFTEN_S)
        self.client.look()


class TriesWithoutPause(Waits):
    asks_after_s = 2.5
    back_off_s = OFTEN_S / 2


class ReconnectsOften(Waits):
    asks_after_s = 1.5
    back_off_s = OFTEN_S

    def instead(self) -> None:
        self.hang_up()
        super().instead()


class TriesEachBroker(Waits):
    """Asks nobody; goes from broker to broker."""

    def instead(self) -> None:
        super().instead()
        nodes = sorted(self.client.view.brokers)
        self.node = nodes[(nodes.index(self.node) + 1) % len(nodes)]


class AsksForSix(Session):
    """Knows NOT_LEADER_OR_FOLLOWER and no other error as a reason to ask, as sarama did for long."""

    def trouble(self, error: Exception) -> None:
        if isinstance(error, wire.RefusedError) and error.code == NOT_LEADER:
            super().trouble(error)
        else:
            self.stop.wait(self.back_off_s)


class AsksOn(Session):
    """Goes on asking when all is well again."""

    every_s = OFTEN_S

    def recovered(self) -> None:
        self.client.behind(self.client.look, self.every_s)


class AsksOnSlowly(AsksOn):
    every_s = 0.4


class ReconnectsOn(Session):
    """Opens and closes connections when all is well again."""

    def recovered(self) -> None:
        address = self.client.view.brokers[self.node]
        self.client.behind(lambda: wire.Line(address, self.client.start.client_id).close(), OFTEN_S)


class AsksAtTicks(Session):
    """Learns of the new leader from its periodic refresh only."""

    def trouble(self, error: Exception) -> None:
        self.stop.wait(self.back_off_s)
        self.node = self.client.view.leaders[self.partition]


class Ticks(Client):
    def begin(self) -> None:
        self.behind(self.adopt, REFRESH_S)


class NeverReconnects(Session):
    def trouble(self, error: Exception) -> None:
        if isinstance(error, wire.GoneError):
            self.stop.wait_until_asked()
        else:
            super().trouble(error)


class Surfaces(Session):
    """Deals with the error well, and tells the application of it all the same."""

    def trouble(self, error: Exception) -> None:
        super().trouble(error)
        raise SurfacedError from error


class Beside(Session):
    """Treats the partition badly that has no trouble."""

    def before(self) -> None:
        if self.client.in_trouble not in {None, self.partition}:
            self.suffer()

    def suffer(self) -> None:
        """Do it."""


class StopsBystander(Beside):
    def suffer(self) -> None:
        self.stop.wait(max(0.0, self.client.trouble_at + LATE_S - time.monotonic()))


class FailsBystander(Beside):
    failed = False

    def suffer(self) -> None:
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


class Duplicates(Session):
    def write(self, sequence: int, clock: int) -> None:
        if sequence % EACH == EACH - 1:
            self.store(sequence, clock)
        super().write(sequence, clock)


class Reorders(Session):
    """Writes one record after the next."""

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
    """Goes on elsewhere once it works again, when the records between are there."""

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
        self.behind(self.look, OFTEN_S)


@dataclass(frozen=True)
class Way:
    session: type[Session] = Session
    client: type[Client] = Client
    settings: Mapping[str, str] = field(default_factory=dict)


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
    "duplicates": Way(Duplicates),
    "reorders": Way(Reorders),
    "skips": Way(Skips),
    "repeats": Way(Repeats),
    "commits-ahead": Way(CommitsAhead),
    "closes-slowly": Way(client=ClosesSlowly),
    "dies": Way(Dies),
    "dies-early": Way(DiesEarly),
    "leaves": Way(Leaves),
    "exits": Way(Exits),
}
"""By the value of property `misbehave`."""
