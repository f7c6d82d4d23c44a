"""A whole trial as a value: the question and all observations. It can be judged again without a broker."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from probe.model.cell import Cell, Outcome
from probe.model.cluster_history import ClusterHistory
from probe.model.conditions import FIRST
from probe.model.events import Event
from probe.model.expectation import Expectation, Limits
from probe.model.handshake import Handshake

VALUE = re.compile(r"(?<![\w.-])([\w.-]+) -?\d+ (\d+) \d+")
"""`<instance> <partition> <sequence> <clock>`, as specified in proto/driver.proto."""

FAILING_FROM = 1000
"""First trial number of failed attempts, so that a trial's own number stays free for the attempt that counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The objects that a trial is about."""

    topic: str
    affected: int
    """The partition that the fault hits."""
    bystander: int
    """The partition that the fault does not hit."""
    instance: str
    client_id: str
    group: str = ""
    transactional_id: str = ""
    old: int = -1
    """The failing broker: leader (or coordinator) of the affected object at the start."""
    bootstrap: tuple[int, ...] = ()
    """Brokers whose addresses the client got as bootstrap servers."""
    bystander_instance: str = ""
    """The bystander where a coordinator is hit: a second instance (and client id) of this client, with another group
    or transactional id at the same broker. Empty = the bystander is a partition."""
    bystander_key: str = ""
    """Group or transactional id of that instance."""
    successor: str = ""
    """Second member (and client id) of the client's group, where there is one: for the whole trial, from the fault on,
    or while the client's application is absent."""
    shares: bool = False
    """Its group is a share group, which has no committed offsets."""
    history: ClusterHistory = field(default_factory=ClusterHistory)
    """Events on these objects and their cluster before the client started."""

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the groups of all instances of the trial that have committed offsets."""
        if self.shares:
            return ()
        beside = "" if self.transactional_id else self.bystander_key
        return tuple(filter(None, (self.group, beside)))

    @property
    def transactional_ids(self) -> tuple[str, ...]:
        """Return the transactional ids of all instances of the trial."""
        beside = self.bystander_key if self.transactional_id else ""
        return tuple(filter(None, (self.transactional_id, beside)))


@dataclass(frozen=True, slots=True)
class Stored:
    """One record found by the read-back."""

    partition: int
    offset: int
    instance: str
    """The writer: the client's instance, or `feed`."""
    sequence: int

    @classmethod
    def of(cls, partition: int, offset: int, value: str) -> Stored:
        """Read writer and number from a record's value. The number is -1 where the value does not have our form.

        An application may wrap the value (Telegraf writes `probe value="..." 1700000000`), so the value is searched for
        it.
        """
        found = VALUE.search(value)
        return cls(partition, offset, found[1], int(found[2])) if found else cls(partition, offset, value[:40], -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """All parts of a history other than its events."""

    cell: Cell
    trial: int
    seed: int
    play: Expectation
    limits: Limits
    subject: Subject
    settings: Mapping[str, str] = field(default_factory=dict)
    """Effective settings of the client, as its driver reported them in `ready`."""
    steady: Outcome | None = None
    """Outcome of the `steady` cell of the same client, role, profile, engine, broker. None = unknown, or this is that
    cell."""
    steady_trials: int = 1
    """Number of trials of that cell that agree on this outcome."""
    unserved: str = ""
    """Control cell: what a client that connected, and never served in warm-up, was answered. Empty = it served, or the
    harness failed."""
    conditions: int = FIRST
    """Number of the conditions of the laboratory (docs/verdicts.md#numbers-of-the-conditions)."""
    beat_ms: int = 0
    """Interval between operations, or between records written, per partition, until a mark `paced`. 0 = not stored."""
    batch: int = 1
    """Operations, or records written, that begin together per interval and partition."""
    keys: int = 0
    """Number of keys in use: record number n has key n modulo this. 0 = records have no keys."""
    watched_ms: int = 0
    """Time from the fault to the end of the observation."""
    shortened: bool = False
    """`--watch` made the observation shorter than the scenario declares."""
    sweep: str = ""
    """The sweep that the trial is part of, as `--over` names it. Such trials do not enter the matrix. Empty = none."""
    phase: float | None = None
    """Share of an interval of the client's that the fault waited for (docs/verdicts.md#phases). None = not chosen."""
    problems: tuple[str, ...] = ()
    """Failures of the harness. Any failure makes the trial broken."""
    impossible: str = ""
    """Why the driver or the engine declared the cell impossible."""
    clock_error_us: int = 0
    """Bound of the driver's clock offset error."""
    loop_lag_ms: int = 0
    """Longest stall of the orchestrator's loop inside the trial's window."""
    stored: tuple[Stored, ...] = ()
    """The read-back, read_committed, by partition and offset."""
    committed: Mapping[int, int] = field(default_factory=dict)
    """Group: committed offset per partition at the end."""
    released: str = ""
    """ISO date on which this client version was released, if known."""
    mirrors: str = ""
    artifact: str = ""
    """Source of the client, with its digest."""
    judged_by: str = ""
    """`wire`: the application reports no delivery, so only the relay and the read-back judge. Empty = it reports
    deliveries."""
    handshakes: tuple[Handshake, ...] = ()
    """First requests of the judged instance, once per set of purposes of a connection. Empty also in older files."""


@dataclass(frozen=True, slots=True)
class History:
    """A header and its events, ordered by time."""

    header: Header
    events: tuple[Event, ...]
