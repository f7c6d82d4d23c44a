"""A whole trial as a value: what was asked, what was seen. It can be judged again with no broker."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from probe.model.cell import Cell, Outcome, Reality
from probe.model.events import Event
from probe.model.words import Reaction, Symptom, Target, Trigger

VALUE = re.compile(r"(?<![\w.-])([\w.-]+) \d+ (\d+) \d+")
"""`<instance> <partition> <sequence> <clock>`, as proto/driver.proto lays it down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What a scenario does and asks for in one role (SEMANTICS 1)."""

    kind: Symptom
    expects: Reaction
    target: Target
    codes: tuple[int, ...] = ()
    """Error codes that make a hit, kind `answer`; also `change` where the old target answers with an error."""
    apis: tuple[int, ...] = ()
    """API keys the codes count in; empty = any."""
    causes: tuple[Trigger, ...] = ()
    """Triggers that count as "because of the fault"."""
    election_ms: int | None = None
    """First hit to move, of the embedded engine. None where it does not apply."""
    prompt_ms: int = 3000
    """Recovery later than this after `available_at` is late."""
    watch_ms: int = 10000
    conforms: tuple[Outcome, ...] = ()
    """Outcomes that conform; empty = informative."""
    reality: Reality = Reality.EFFECTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is known of a client version beforehand, from client.toml."""

    back_off_ms: int
    """`b` of the storm bound: the version's own back-off between retries or discoveries."""
    min_discovery_age_ms: int = 0
    """The client never asks again sooner than this after an answer."""
    own_limit_ms: int = 0
    """The client's own limit for this kind of fault; patience is 1.2 times it, at least the watch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The objects a trial is about."""

    topic: str
    affected: int
    """The partition that is faulted."""
    bystander: int
    """The partition that never is."""
    instance: str
    client_id: str
    group: str = ""
    transactional_id: str = ""
    old: int = -1
    """The broker that fails: leader (or coordinator) of the affected object at the start."""
    bootstrap: tuple[int, ...] = ()
    """Brokers whose addresses the client was given."""
    bystander_instance: str = ""
    """Where a coordinator is hit: a second instance (and client id) of the same client, with another group or
    transactional id at the same broker. Empty = the bystander is a partition."""
    bystander_key: str = ""
    """Group or transactional id of that instance."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One record found by the read-back."""

    partition: int
    offset: int
    instance: str
    """Who wrote it: the client's instance, or `feed`."""
    sequence: int

    @classmethod
    def of(cls, partition: int, offset: int, value: str) -> Stored:
        """Read writer and number out of a record's value; -1 where it is not of our form.

        An application may wrap what it is given (Telegraf writes `probe value="..." 1700000000`): ours is looked for.
        """
        found = VALUE.search(value)
        return cls(partition, offset, found[1], int(found[2])) if found else cls(partition, offset, value[:40], -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Everything of a history but its events."""

    cell: Cell
    trial: int
    seed: int
    play: Expectation
    limits: Limits
    subject: Subject
    settings: Mapping[str, str] = field(default_factory=dict)
    """Effective settings of the client, as its driver reported them in `ready`."""
    steady: Outcome | None = None
    """Outcome of the `steady` cell of the same client, role, profile, engine, broker. None = unknown, or this is it."""
    beat_ms: int = 0
    """How often an operation began, or a record was fed, per partition, until a mark `paced`. 0 = not noted."""
    watched_ms: int = 0
    """Fault to the end of the watch."""
    shortened: bool = False
    """`--watch` cut the watch below what the scenario declares."""
    problems: tuple[str, ...] = ()
    """Failures of the harness; any makes the trial broken."""
    impossible: str = ""
    """Driver or engine declared the cell impossible: why."""
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
    """Where the client came from, with its digest."""
    judged_by: str = ""
    """`wire`: the application tells of no delivery, so the relay and the read-back alone judge; empty = it tells."""


@dataclass(frozen=True, slots=True)
class History:
    """A header and its events, ordered by time."""

    header: Header
    events: tuple[Event, ...]
