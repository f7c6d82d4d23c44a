"""The fault of a scenario in the words of small fake brokers: error answers, a move, closed or silent connections.

A fake of a bundle has three brokers, one topic with one partition, and one group. What it cannot play is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from probe.errors import ProbeError
from probe.model import Reaction, Role, Target
from probe.model.roles import ROLES
from probe.protocol import apis
from probe.protocol.names import api_name
from probe.scenarios.own_profiles import rack_of, security_of
from probe.scenarios.scenario import RoleVariant, Scenario
from probe.scenarios.steps.brokers import Blackhole, Evacuate, HangBroker, RefuseConnections, StopBroker
from probe.scenarios.steps.coordinators import MoveCoordinator, Rejoin
from probe.scenarios.steps.partitions import AnswerError, BreakLogDir, CutConnections, Held, MoveLeader
from probe.scenarios.steps.step import Step

SERVED_ROLES = (Role.PRODUCER, Role.CONSUMER, Role.GROUP)
"""The roles that the fakes serve."""
SESSION_MS = 9000
"""Time until a cluster of today takes a broker for failed (KRaft, broker.session.timeout.ms)."""
KAFKA_STORAGE_ERROR, REBALANCE_IN_PROGRESS = 56, 27
SERVED = frozenset(
    {
        apis.PRODUCE,
        apis.FETCH,
        apis.LIST_OFFSETS,
        apis.METADATA,
        apis.OFFSET_COMMIT,
        apis.OFFSET_FETCH,
        apis.FIND_COORDINATOR,
        apis.JOIN_GROUP,
        apis.HEARTBEAT,
        apis.SYNC_GROUP,
    }
)
"""API keys that every fake serves, and answers errors in."""


class UnbundledError(ProbeError):
    """A cell cannot be played by small fake brokers."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"no bundle: {reason}; `probe run` and `probe verify` play it here")
        self.reason = reason


class Network(StrEnum):
    """The fate of the connections of the failing broker."""

    NONE = ""
    CUT = "cut"
    """Those that stand are closed once."""
    HOLD = "hold"
    """Nothing is answered over them; new ones are accepted."""
    GONE = "gone"
    """They are closed, and new ones are refused."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An error that the failing broker answers; any broker in Metadata and FindCoordinator."""

    api: int
    code: int
    times: int = 0
    """Number of answers; 0 = any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The fault of a bundle."""

    answers: tuple[Answer, ...] = ()
    moves_ms: int | None = None
    """Time until another broker leads or coordinates what the failing one did; None = never."""
    heals_ms: int | None = None
    """Time until no error is answered any more; None = never."""
    network: Network = Network.NONE
    coordinator: bool = False
    """The failing broker coordinates the group; otherwise it leads the partition."""


Part = Callable[[Fault, Step, RoleVariant], Fault]


def fault_of(scenario: Scenario, role: Role) -> Fault:
    """Return the fault of a scenario in a role. UnbundledError with the reason if the fakes cannot play it."""
    try:
        return _fault(scenario, role)
    except UnbundledError as error:
        raise UnbundledError(f"{role} {scenario.name}: {error.reason}") from None


def _fault(scenario: Scenario, role: Role) -> Fault:
    variant = scenario.variant(role)
    if role not in SERVED_ROLES or variant is None:
        raise UnbundledError(f"fakes of bundles serve the roles {', '.join(SERVED_ROLES)}")
    if reason := _lacking(scenario.name) or _beyond(variant):
        raise UnbundledError(reason)
    found = Fault(coordinator=ROLES[role].member and _about_coordinator(variant), heals_ms=variant.heal_after_ms)
    for step in variant.steps:
        if type(step) not in PARTS:
            raise UnbundledError(f"the fakes cannot do {type(step).__name__}")
        found = PARTS[type(step)](found, step, variant)
    for one in found.answers:
        if one.api not in SERVED:
            raise UnbundledError(f"no fake serves {api_name(one.api)}")
    return found


def _about_coordinator(variant: RoleVariant) -> bool:
    """Return whether the failing broker is the coordinator, with the partition at another one."""
    return variant.expectation.target is Target.COORDINATOR


def _lacking(name: str) -> str:
    """Return what a scenario needs of its brokers that the fakes have not got; empty = nothing."""
    if rack_of(name):
        return "no follower of a fake serves readers"
    return "the fakes have no secured listeners" if security_of(name) else ""


def _beyond(variant: RoleVariant) -> str:
    """Return what a variant has beyond its steps that no fake can play; empty = nothing."""
    wishes = {
        "the client starts under the fault": variant.at_start or variant.second_instance,
        "the application is absent or idle": variant.absence is not None or variant.idle_ms > 0,
        "its group has a second member": variant.member is not None,
        "the application closes the client": variant.expectation.closes,
        "transactions carry offsets": variant.offsets,
        "it has no fault": not variant.steps,
        "an error must reach the application": variant.expectation.expects is Reaction.SURFACE,
    }
    return next((text for text, is_so in wishes.items() if is_so), "")


def _answered(found: Fault, *answers: Answer) -> Fault:
    return replace(found, answers=(*found.answers, *answers))


def _break_log_dir(found: Fault, step: Step, variant: RoleVariant) -> Fault:
    if not isinstance(step, BreakLogDir) or step.holds is not Held.LEADER or step.full:
        raise UnbundledError("this disk needs real brokers")
    broken = tuple(Answer(api, KAFKA_STORAGE_ERROR) for api in (apis.PRODUCE, apis.FETCH, apis.LIST_OFFSETS))
    return replace(_answered(found, *broken), moves_ms=variant.expectation.election_ms)


def _move_leader(found: Fault, step: Step, variant: RoleVariant) -> Fault:
    elected = isinstance(step, MoveLeader) and step.elected
    return replace(found, moves_ms=variant.expectation.election_ms if elected else 0)


def _answer(found: Fault, step: Step, variant: RoleVariant) -> Fault:
    if not isinstance(step, AnswerError) or step.applied or step.with_node or step.min_version > 0:
        raise UnbundledError("no fake answers this error as brokers do")
    moves_ms = variant.expectation.election_ms if step.moved else found.moves_ms
    return replace(_answered(found, Answer(step.api, step.code, step.times)), moves_ms=moves_ms)


def _move_coordinator(found: Fault, _: Step, __: RoleVariant) -> Fault:
    return replace(found, moves_ms=0, coordinator=True)


def _rejoin(found: Fault, _: Step, __: RoleVariant) -> Fault:
    return _answered(found, Answer(apis.HEARTBEAT, REBALANCE_IN_PROGRESS, 1))


def _evacuate(found: Fault, step: Step, variant: RoleVariant) -> Fault:
    elected = isinstance(step, Evacuate) and step.when.elected
    election = SESSION_MS if variant.by_session else variant.expectation.election_ms
    return replace(found, moves_ms=election if elected else 0)


def _network(kind: Network) -> Part:
    return lambda found, _, __: replace(found, network=kind)


PARTS: Mapping[type[Step], Part] = {
    BreakLogDir: _break_log_dir,
    MoveLeader: _move_leader,
    AnswerError: _answer,
    MoveCoordinator: _move_coordinator,
    Rejoin: _rejoin,
    Evacuate: _evacuate,
    CutConnections: _network(Network.CUT),
    HangBroker: _network(Network.HOLD),
    Blackhole: _network(Network.HOLD),
    RefuseConnections: _network(Network.GONE),
    StopBroker: _network(Network.GONE),
}
"""Steps that the fakes can play."""
