"""What is asked: client, role, profile, scenario, engine and broker line make a cell."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Self

CONTROL = "steady"
"""The scenario that changes nothing: every other cell of the same client, role, profile, engine and line needs it."""


def control_first(scenario: str) -> tuple[bool, str]:
    """Return what orders scenarios by name, the control first."""
    return scenario != CONTROL, scenario


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
    listed first stands for the cell (`spark.encoding`, `spark.measures`).
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
class Cell:
    """One question of the matrix. Identity is these seven columns."""

    family: str
    version: str
    role: Role
    profile: str
    """The whole profile as `str(Profile)` writes it; `Profile.parse` reads it."""
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
