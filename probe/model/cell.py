"""The question: client, role, profile, scenario, engine and broker release line make a cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Self

CONTROL = "steady"
"""The scenario without a fault. Every other cell of the same client, role, profile, engine and line needs it."""


def control_first(scenario: str) -> tuple[bool, str]:
    """Return a sort key that orders scenarios by name, with the control first."""
    return scenario != CONTROL, scenario


class Role(StrEnum):
    """The work of the client for its application."""

    PRODUCER = "producer"
    CONSUMER = "consumer"
    """Reads an assigned partition, without a group."""
    GROUP = "group"
    """A subscribed member of a consumer group that commits."""
    TRANSACTIONAL = "transactional"
    ADMIN = "admin"
    """Asks for offsets, whether topics can be created, and for the cluster and a group."""
    SHARE = "share"
    """A member of a share group (KIP-932), which accepts each record that it was given."""


class Workload(StrEnum):
    """The work of the application while it is observed."""

    CONTINUOUS = "continuous"
    """One small operation per interval and partition, and each partition by its number."""
    PIPELINED = "pipelined"
    """Bursts of many records: the library waits to fill batches, and has several requests in flight per broker. Readers
    are fed in bursts and receive many records at a time."""
    KEYED = "keyed"
    """Records with keys, at the pace of `continuous`: the library chooses the partition of each."""


class Engine(StrEnum):
    """The program that plays the brokers."""

    EMBEDDED = "embedded"
    KAFKA = "kafka"


class Reality(StrEnum):
    """Whether a real broker of this release line can give this answer here."""

    EFFECTIVE = "effective"
    RAW = "raw"


class Outcome(StrEnum):
    """The result of a cell.

    The verdict table in `probe.verdict` decides it, and `probe.model.outcomes` describes it. The order matters: it is
    that of the verdict table. Where several outcomes of a cell have the same number of trials, the first one listed
    here stands for the cell (`spark.encoding`, `spark.measures`).
    """

    BROKEN = "broken"
    UNSUPPORTED = "unsupported"
    NOT_RUN = "not_run"
    """Cell level only: the client was not available or could not be started on this machine."""
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
    """The version that the library itself reports, such as `1.43.3`."""

    def __str__(self) -> str:
        return f"{self.family}@{self.version}"


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One question of the matrix. Its fields are its identity."""

    family: str
    version: str
    role: Role
    profile: str
    """The whole profile as `str(Profile)` writes it. `Profile.parse` reads it."""
    scenario: str
    engine: Engine
    broker: str
    """The Kafka release line, such as `3.9`. It has three parts before 1.0: `0.10.2`."""
    workload: Workload = Workload.CONTINUOUS

    @property
    def client(self) -> Client:
        """Return the client of this cell."""
        return Client(self.family, self.version)

    def columns(self) -> dict[str, str]:
        """Return the identity as columns, in their order."""
        return {name: str(getattr(self, name)) for name in _NAMES}

    def words(self) -> tuple[str, ...]:
        """Return the identity as text, for names and digests: the workload only where it is not `continuous`."""
        words = (self.family, self.version, self.role, self.profile, self.scenario, self.engine, self.broker)
        more = () if self.workload is Workload.CONTINUOUS else (self.workload,)
        return tuple(map(str, words + more))

    @property
    def place(self) -> str:
        """Return where and how it is measured, as text: engine, release line, and a workload that is not usual."""
        return " ".join(self.words()[5:])

    @property
    def unusual(self) -> str:
        """Return the workload as text that follows other words; empty for `continuous`."""
        return "" if self.workload is Workload.CONTINUOUS else f" {self.workload}"

    @classmethod
    def of(cls, columns: Mapping[str, str]) -> Self:
        """Build a cell from identity columns. A file that is older than workloads has none: its cells are `continuous`.

        Raises KeyError or ValueError if the columns are not complete.
        """
        return cls(
            family=columns["family"],
            version=columns["version"],
            role=Role(columns["role"]),
            profile=columns["profile"],
            scenario=columns["scenario"],
            engine=Engine(columns["engine"]),
            broker=columns["broker"],
            workload=Workload(columns.get("workload") or Workload.CONTINUOUS),
        )

    def __str__(self) -> str:
        return " ".join([str(self.client), *self.words()[2:]])


_NAMES = tuple(field.name for field in fields(Cell))
