"""What is asked: client, role, profile, scenario, engine and broker line make a cell."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Self

MINUTE_MS = 60_000


class Role(StrEnum):
    """What the client does for its application."""

    PRODUCER = "producer"
    CONSUMER = "consumer"
    """Reads an assigned partition; no group."""
    GROUP = "group"
    """A subscribed member of a consumer group that commits."""
    TRANSACTIONAL = "transactional"
    ADMIN = "admin"
    """ListOffsets and committed offsets."""

    @property
    def reads(self) -> bool:
        """Say whether it is given records that others write."""
        return self in {Role.CONSUMER, Role.GROUP}


class Engine(StrEnum):
    """Who plays the brokers."""

    EMBEDDED = "embedded"
    KAFKA = "kafka"

    @property
    def beat_ms(self) -> int:
        """Return how often an instance begins an operation, or is fed a record, per partition.

        Dozens of cells share real brokers, and two cores with them: at ten operations a second each, and at four, the
        brokers were what was slow, and not the clients.
        """
        return BEAT_MS[self]


BEAT_MS = {Engine.EMBEDDED: 100, Engine.KAFKA: 400}


class Reality(StrEnum):
    """Whether a real broker of this line can answer so, here."""

    EFFECTIVE = "effective"
    RAW = "raw"


class Outcome(StrEnum):
    """What became of a cell; the verdict table in `probe.verdict` decides which, `probe.model.outcomes` describes each.

    The order counts: it is that of the verdict table, and of a cell's outcomes with equally many trials the one that is
    listed first stands for the cell (`spark.numbered`, `spark.measured`).
    """

    BROKEN = "broken"
    UNSUPPORTED = "unsupported"
    NOT_RUN = "not_run"
    """Cell level only: the client could not be had or started on this machine."""
    NOT_PROVOKED = "not_provoked"
    FATAL = "fatal"
    VIOLATES = "violates"
    WAITING = "waiting"
    STUCK = "stuck"
    STORMS = "storms"
    CLEAN = "clean"
    SURFACES = "surfaces"
    RIDES = "rides"
    LATE = "late"
    HINTED = "hinted"
    REFRESHES = "refreshes"
    FLAKY = "flaky"
    """Cell level only: judged trials disagree."""


@dataclass(frozen=True, slots=True, order=True)
class Client:
    """A client library in one version."""

    family: str
    version: str
    """What the library itself reports, such as `1.43.3`."""

    def __str__(self) -> str:
        return f"{self.family}@{self.version}"


@dataclass(frozen=True, slots=True, order=True)
class Election:
    """How the embedded engine elects a leader, where the user sets it: what real brokers took, in milliseconds."""

    ms: int
    """From the first hit to the new leader in office."""
    shown_ms: int = 0
    """From there until the last broker names it; the new leader does at once."""

    def __str__(self) -> str:
        return f"{self.ms},{self.shown_ms}" if self.shown_ms else str(self.ms)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `MS` or `MS,MS`; ValueError for anything else, and for more than a minute.

        >>> Election.parse("6772,400")
        Election(ms=6772, shown_ms=400)
        """
        found = cls(*(int(part) for part in text.split(",", 1)))
        if not (0 <= found.ms <= MINUTE_MS and 0 <= found.shown_ms <= MINUTE_MS):
            raise ValueError(f"{text} is not within a minute")
        return found


@dataclass(frozen=True, slots=True, order=True)
class Profile:
    """A named client configuration, with what the command line added to it."""

    name: str
    properties: tuple[tuple[str, str], ...] = ()
    """The library's own keys and values, sorted by key."""
    election: Election | None = None
    """The embedded engine's, if the user set it."""

    def __str__(self) -> str:
        """Write it as the matrix does: `isolated+election=1000+linger.ms=5`."""
        parts = dict(self.properties)
        if self.election is not None:
            parts["election"] = str(self.election)
        return "+".join([self.name, *(f"{key}={parts[key]}" for key in sorted(parts))])


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One question of the matrix. Identity is these seven columns."""

    family: str
    version: str
    role: Role
    profile: str
    """The whole profile as `str(Profile)` writes it."""
    scenario: str
    engine: Engine
    broker: str
    """The Kafka line, `3.9`; three parts before 1.0: `0.10.2`."""

    @property
    def client(self) -> Client:
        """Return the client of this cell."""
        return Client(self.family, self.version)

    def columns(self) -> dict[str, str]:
        """Return the identity as the matrix's first columns."""
        return {field.name: str(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def of(cls, columns: dict[str, str]) -> Self:
        """Build a cell from identity columns; KeyError or ValueError when they are not whole."""
        return cls(
            family=columns["family"],
            version=columns["version"],
            role=Role(columns["role"]),
            profile=columns["profile"],
            scenario=columns["scenario"],
            engine=Engine(columns["engine"]),
            broker=columns["broker"],
        )

    def __str__(self) -> str:
        return f"{self.client} {self.role} {self.profile} {self.scenario} {self.engine} {self.broker}"
