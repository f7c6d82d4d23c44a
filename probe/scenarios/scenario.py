"""What a scenario is: data that plan, runner and verdict read; nothing here does anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from probe.model import Engine, Expectation, Outcome, Reaction, Role, Symptom, Trigger
from probe.scenarios.cluster_spec import DEFAULT_CLUSTER, ClusterSpec
from probe.scenarios.steps.partitions import Step

CONFORMS: dict[Reaction, tuple[Outcome, ...]] = {
    Reaction.NOTHING: (Outcome.CLEAN,),
    Reaction.DISCOVER: (Outcome.REFRESHES, Outcome.HINTED, Outcome.CLEAN),
    Reaction.RETRY: (Outcome.RIDES,),
    Reaction.SURFACE: (Outcome.SURFACES,),
}
"""Outcomes that conform, by what is expected (SEMANTICS 3)."""

CAUSES: dict[Symptom, tuple[Trigger, ...]] = {
    Symptom.ANSWER: (Trigger.ERROR,),
    Symptom.CHANGE: (Trigger.ERROR,),
    Symptom.CONNECTION: (Trigger.ERROR, Trigger.DISCONNECT),
    Symptom.SILENCE: (Trigger.ERROR, Trigger.DISCONNECT),
    Symptom.NONE: (),
}
"""Triggers that count as "because of the fault", by kind (SEMANTICS 2)."""

BOTH = (Engine.EMBEDDED, Engine.KAFKA)
CLIENT_ROLES = (Role.PRODUCER, Role.CONSUMER, Role.GROUP)


class Bootstrap(StrEnum):
    """Which addresses the client is given."""

    ALL = "all"
    """Those of all brokers."""
    FAILING_FIRST = "failing-first"
    """That of the broker that fails, and that of another."""
    FIXED = "fixed"
    """One that leads to some broker and never moves, as a load balancer's does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleVariant:
    """A scenario as played for some roles."""

    roles: tuple[Role, ...]
    expectation: Expectation
    steps: tuple[Step, ...] = ()
    heal_after_ms: int | None = None
    """The fault is mended so long after it came, inside the watch; None = after the watch."""
    watch_least_ms: int = 0
    """More comes for so long: a client that is well before then is watched on."""
    whole_broker: bool = False
    """The whole broker is hit: the bystander's partition has no replica there."""
    offsets: bool = False
    """Transactions carry offsets of a group, which is what is hit."""
    acks_all: bool = False
    """Only a client that writes with acks=all can meet it; to others it is impossible."""
    by_session: bool = False
    """The election takes as long as the broker line needs to miss a broker (`probe.scenarios.session_timeouts`)."""
    prompt_beyond_own_ms: int | None = None
    """Prompt is the client's own limit and so much more, instead of the play's: nobody sees a silence sooner."""
    bootstrap: Bootstrap = Bootstrap.ALL
    at_start: bool = False
    """The fault is put on before the client starts; the broker that fails leads and coordinates nothing."""
    second_instance: bool = False
    """A second instance starts while the fault stands, and is the one that is judged."""
    long_read: bool = False
    """Readers have read more before the fault than is written after it, as in any topic that has been in use."""
    cluster: ClusterSpec = DEFAULT_CLUSTER
    """How the cluster of real brokers is built."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A fault state under a name."""

    name: str
    story: str
    """The docstring of its file: what the brokers do, what a good client does, source, what is not covered."""
    variants: tuple[RoleVariant, ...]
    engines: tuple[Engine, ...] = BOTH
    real: tuple[RoleVariant, ...] = ()
    """How real brokers play it, where the way to the same state is another one there; empty = as `parts` say."""
    real_since: str = ""
    """Oldest Kafka line on which real brokers can be brought into this state."""
    real_until: str = ""
    """The newest such line."""
    real_reason: str = ""
    """What others do."""
    asked: bool = False
    """It runs only where a pattern asks for it that does not begin with a wildcard: it is long, or a whole story."""

    @property
    def summary(self) -> str:
        """Return the first line of the story."""
        return self.story.strip().splitlines()[0]

    @property
    def roles(self) -> tuple[Role, ...]:
        """Return the roles in which it means something."""
        return tuple(role for role in Role if self.variant(role) is not None)

    def variant(self, role: Role, engine: Engine = Engine.EMBEDDED) -> RoleVariant | None:
        """Return how it is played for a role; None where it means nothing there."""
        parts = self.real if self.real and engine is Engine.KAFKA else self.variants
        return next((part for part in parts if role in part.roles), None)


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
    """Build a play with the causes and conforming outcomes that follow from its kind and expectation."""
    return Expectation(
        kind=kind,
        expects=expects,
        codes=tuple(codes),
        apis=tuple(apis),
        causes=CAUSES[kind] if causes is None else tuple(causes),
        conforms=() if informative else CONFORMS[expects],
        **more,  # type: ignore[arg-type]  # the remaining fields of Play, checked by its constructor
    )
