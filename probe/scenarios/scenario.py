"""Scenarios as data, read by plan, runner and verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from probe.model import Engine, Expectation, Outcome, Reaction, Role, Symptom, Trigger
from probe.model.engines import DEFAULT_ENGINE, ENGINES
from probe.model.group_settings import GroupProtocol
from probe.scenarios.cluster_spec import DEFAULT_CLUSTER, ClusterSpec

if TYPE_CHECKING:  # the modules of all steps; a scenario loads those of its own steps
    from probe.scenarios.steps.step import Step

CONFORMS: dict[Reaction, tuple[Outcome, ...]] = {
    Reaction.NOTHING: (Outcome.CLEAN,),
    Reaction.DISCOVER: (Outcome.REFRESHES, Outcome.HINTED, Outcome.CLEAN),
    Reaction.RETRY: (Outcome.RIDES,),
    Reaction.SURFACE: (Outcome.SURFACES,),
}
"""Outcomes that conform, by required reaction (docs/verdicts.md)."""

CAUSES: dict[Symptom, tuple[Trigger, ...]] = {
    Symptom.ANSWER: (Trigger.ERROR,),
    Symptom.CHANGE: (Trigger.ERROR,),
    Symptom.CONNECTION: (Trigger.ERROR, Trigger.DISCONNECT),
    Symptom.SILENCE: (Trigger.ERROR, Trigger.DISCONNECT),
    Symptom.ABSENCE: (),
    Symptom.MEMBERSHIP: (),
    Symptom.NONE: (),
}
"""Triggers that count as "because of the fault", by symptom (docs/verdicts.md)."""

BOTH = tuple(ENGINES)
CLIENT_ROLES = (Role.PRODUCER, Role.CONSUMER, Role.GROUP)


class Bootstrap(StrEnum):
    """Bootstrap addresses in the client's configuration."""

    ALL = "all"
    """The addresses of all brokers."""
    FAILING_FIRST = "failing-first"
    """The address of the failing broker, then that of another."""
    FAILING = "failing"
    """The address of the failing broker."""
    FIXED = "fixed"
    """One address that leads to some broker and never moves, like that of a load balancer."""


class Member(StrEnum):
    """The change in a group of two members. The second one has a process of its own."""

    KILLED = "killed"
    """The second member works before the fault, and is killed (SIGKILL)."""
    PAUSED = "paused"
    """The second member works throughout. The process of the first one is stopped (SIGSTOP, SIGCONT)."""
    JOINS = "joins"
    """The second member starts under the fault, and stays."""
    JOINS_CLASSIC = "joins-classic"
    """The same, in the classic group protocol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """The client's application does not work from the fault on, while the brokers serve."""

    short_ms: int
    """Its length in the profile `short-limits`."""
    long_ms: int
    """Its length in any other profile: beyond the limits that libraries have by default."""
    busy: bool = False
    """The application handles one record, or keeps a transaction open, for that time; otherwise its process is stopped
    (SIGSTOP, SIGCONT)."""
    successor: bool = False
    """A second member of its group is there meanwhile, and takes its partitions over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleVariant:
    """A scenario as it applies to some roles: steps, expectation, limits."""

    roles: tuple[Role, ...]
    expectation: Expectation
    steps: tuple[Step, ...] = ()
    heal_after_ms: int | None = None
    """Time from injection until the fault is reverted, within the observation; None = after the observation."""
    watch_least_ms: int = 0
    """Shortest observation, for faults with later steps: a client that has recovered is still observed until then."""
    whole_broker: bool = False
    """The fault hits the whole broker, so the bystander's partition has no replica there."""
    follows: bool = False
    """The failing broker leads nothing: it follows the affected partition, and has no part of the bystander."""
    offsets: bool = False
    """Transactions carry offsets of a group, and the fault hits those."""
    acks_all: bool = False
    """Only a client that writes with acks=all can meet the fault; for others the cell is skipped."""
    by_session: bool = False
    """The election takes the session timeout of the release line (`probe.scenarios.session_timeouts`)."""
    prompt_beyond_own_ms: int | None = None
    """If set, prompt is the client's own timeout plus this, since a silence cannot be noticed sooner."""
    bootstrap: Bootstrap = Bootstrap.ALL
    at_start: bool = False
    """The fault is injected before the client starts; the failing broker leads and coordinates nothing."""
    second_instance: bool = False
    """A second instance starts under the fault, and is the one that is judged."""
    idle_ms: int = 0
    """For this time from the fault on the application begins no operation, and readers are written nothing. Then it
    works in a burst. 0 = it works throughout."""
    busy: bool = False
    """It works at the short interval throughout: the fault depends on its load, or its later steps may lose records."""
    absence: Absence | None = None
    """The application is absent; `heal_after_ms` is then its length in the cell's profile."""
    member: Member | None = None
    """The client's group has a second member, and the two are judged as one group (docs/verdicts.md#groups-of-two)."""
    long_read: bool = False
    """Consumers have read more before the fault than is written after it, as in any topic in use."""
    unelected: bool = False
    """The topic's partitions had no leader election before the client started: their leader epoch is the first one."""
    committed_only: bool = False
    """Readers are given committed records only, by the library's own setting, unless a property says otherwise."""
    cluster: ClusterSpec = DEFAULT_CLUSTER
    """The form of the cluster of real brokers."""
    by_name: bool = False
    """Brokers advertise names, which clients look up at a name server of the run's own."""
    token_ms: int = 0
    """Lifetime of tokens, where clients log in by them, in ms; 0 = beyond the trial."""
    group_protocol: GroupProtocol | None = None
    """The only group protocol in which the fault exists, where its APIs do not say so (`api_table.protocol_of`)."""

    @property
    def alone(self) -> bool:
        """Whether the client needs a process of its own."""
        return self.absence is not None or self.member is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A named fault state."""

    name: str
    story: str
    """The docstring of the scenario's file, with the parts of docs/scenarios.md."""
    variants: tuple[RoleVariant, ...]
    engines: tuple[Engine, ...] = BOTH
    real: tuple[RoleVariant, ...] = ()
    """Variants for real brokers, where the steps to the same state differ there; empty = `variants`."""
    since: str = ""
    """Oldest release line whose brokers can be in this state, on either engine; empty = no limit."""
    since_reason: str = ""
    """Why older release lines are excluded."""
    until: str = ""
    """Newest release line whose brokers can be in this state, on either engine; empty = no limit."""
    until_reason: str = ""
    """Why newer release lines are excluded."""
    real_since: str = ""
    """Oldest release line of real brokers that can be brought into this state; empty = no limit."""
    real_until: str = ""
    """Newest such release line; empty = no limit."""
    real_reason: str = ""
    """Why other release lines are excluded."""
    asked: bool = False
    """Runs only if a pattern without a leading wildcard selects it, because it takes long."""
    profile: str = ""
    """Profile that roles and families which have it are run with, unless the user names one; empty = the usual one."""
    security: str = ""
    """Security of the listener that it is run with, unless the user names one: it is about log-ins; empty = none."""

    @property
    def summary(self) -> str:
        """Return the first line of the story."""
        return self.story.strip().splitlines()[0]

    @property
    def roles(self) -> tuple[Role, ...]:
        """Return the roles that the scenario applies to."""
        return tuple(role for role in Role if self.variant(role) is not None)

    def variant(self, role: Role, engine: Engine = DEFAULT_ENGINE) -> RoleVariant | None:
        """Return the variant of a role, or None if the scenario does not apply to it."""
        variants = self.real if self.real and ENGINES[engine].real else self.variants
        return next((variant for variant in variants if role in variant.roles), None)


def expect(
    kind: Symptom,
    expects: Reaction,
    *,
    codes: Sequence[int] = (),
    apis: Sequence[int] = (),
    causes: Sequence[Trigger] | None = None,
    informative: bool = False,
    **more: object,
) -> Expectation:
    """Build an expectation with the causes and conforming outcomes that follow from its symptom and reaction."""
    return Expectation(
        kind=kind,
        expects=expects,
        codes=tuple(codes),
        apis=tuple(apis),
        causes=CAUSES[kind] if causes is None else tuple(causes),
        conforms=() if informative else CONFORMS[expects],
        **more,  # type: ignore[arg-type]  # the remaining fields of Expectation, checked by its constructor
    )
