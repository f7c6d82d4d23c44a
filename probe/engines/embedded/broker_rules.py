"""Steps in which a whole broker fails, as rules and changes of the fake cluster. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from probe.engines.embedded.nodes import NODES
from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.model import Subject
from probe.model.placement import Places
from probe.protocol import apis
from probe.protocol.api_table import CoordinatorKind
from probe.scenarios.steps.brokers import (
    ChangeAddress,
    Evacuate,
    HangBroker,
    HideBrokers,
    LimitVersions,
    LoseAnswers,
    Resign,
    ReturnBroker,
    StopBroker,
    SwapAddresses,
    Throttle,
    When,
)
from probe.scenarios.steps.coordinators import NameWrongCoordinator

LATEST_MS = 2000
"""Time after the fault at which a change that waits for the first hit happens without one."""
NOT_LEADER, NOT_COORDINATOR = 6, 16
LOADING_MS = 300
"""Time for which a coordinator that is back answers COORDINATOR_LOAD_IN_PROGRESS."""

FakePart = tuple[Sequence[pb.Rule], Sequence[pb.Timed]]


def whose_turn(subject: Subject, turn: int) -> int:
    """Return the broker of a turn: the failing broker first, then the others by number."""
    return NODES.turns(subject.old)[turn]


def timed(change: pb.Change, when: When, election_ms: int) -> pb.Timed:
    """Return a change with its time."""
    after_ms = when.due_ms(election_ms)
    if when.from_hit:
        return pb.Timed(change=change, after_ms=after_ms, latest_ms=LATEST_MS + after_ms)
    return pb.Timed(change=change, after_ms=after_ms, from_start=True)


def _stop(step: StopBroker, subject: Subject, election_ms: int) -> FakePart:
    broker = whose_turn(subject, step.turn)
    state = pb.BrokerState(broker=broker, state=pb.BrokerState.STOPPED, announced=not step.listed)
    return [], [timed(pb.Change(broker=state), step.when, election_ms)]


def _hang(step: HangBroker, subject: Subject, election_ms: int) -> FakePart:
    state = pb.BrokerState(broker=whose_turn(subject, step.turn), state=pb.BrokerState.HUNG)
    return [], [timed(pb.Change(broker=state), step.when, election_ms)]


def _return(step: ReturnBroker, subject: Subject, election_ms: int) -> FakePart:
    state = pb.BrokerState(broker=whose_turn(subject, step.turn), state=pb.BrokerState.UP)
    return [], [timed(pb.Change(broker=state), step.when, election_ms)]


def _evacuate(step: Evacuate, subject: Subject, election_ms: int) -> FakePart:
    evacuation = pb.Evacuate(
        broker=whose_turn(subject, step.turn),
        leaves=step.leaves,
        drop_replicas=step.drop_replicas,
        loading_ms=step.loading_ms,
    )
    return [], [timed(pb.Change(evacuate=evacuation), step.when, election_ms)]


def _resign(_: Resign, subject: Subject, __: int) -> FakePart:
    rules = [pb.Rule(id="resigned", apis=apis.LOG_APIS, brokers=[subject.old], topic=subject.topic, code=NOT_LEADER)]
    return [*rules, *_coordinates_nothing(subject)], []


def _name_wrong_coordinator(_: NameWrongCoordinator, subject: Subject, __: int) -> FakePart:
    return _coordinates_nothing(subject), []


def _coordinates_nothing(subject: Subject) -> list[pb.Rule]:
    """Return the rules by which the failing broker denies to coordinate the affected keys."""
    return [
        pb.Rule(id=f"resigned-{key}", apis=apis.COORDINATOR_APIS, brokers=[subject.old], key=key, code=NOT_COORDINATOR)
        for key in (subject.group, subject.transactional_id)
        if key
    ]


def _change_address(step: ChangeAddress, subject: Subject, _: int) -> FakePart:
    gone = pb.BrokerState.HUNG if step.silent else pb.BrokerState.STOPPED
    state = pb.BrokerState(broker=subject.old, state=gone, announced=True)
    return [], [pb.Timed(change=pb.Change(broker=state), from_start=True)]


def _swap_addresses(step: SwapAddresses, subject: Subject, _: int) -> FakePart:
    nodes = (subject.old, whose_turn(subject, step.turn))
    gone = (pb.BrokerState(broker=node, state=pb.BrokerState.STOPPED) for node in nodes)
    return [], [pb.Timed(change=pb.Change(broker=state), from_start=True) for state in gone]


def back_in_office(subject: Subject, places: Places, broker: int) -> list[pb.Change]:
    """Return the changes by which a broker serves again, and leads and coordinates what it did before."""
    changes = [pb.Change(broker=pb.BrokerState(broker=broker, state=pb.BrokerState.UP))]
    if places.affected[0] == broker:
        leader = pb.MoveLeader(topic=subject.topic, partition=subject.affected, to=broker)
        changes.append(pb.Change(move_leader=leader))
    if places.coordinator == broker:
        keys = ((CoordinatorKind.GROUP, subject.group), (CoordinatorKind.TRANSACTION, subject.transactional_id))
        moves = (
            pb.MoveCoordinator(key_type=kind, key=key, to=broker, loading_ms=LOADING_MS) for kind, key in keys if key
        )
        changes += [pb.Change(move_coordinator=move) for move in moves]
    return changes


def _hide(_: HideBrokers, __: Subject, ___: int) -> FakePart:
    states = (pb.BrokerState(broker=broker, state=pb.BrokerState.UP, announced=True) for broker in NODES)
    return [], [pb.Timed(change=pb.Change(broker=state), from_start=True) for state in states]


def _lose(step: LoseAnswers, subject: Subject, _: int) -> FakePart:
    rules = []
    for api in step.apis:
        rule = pb.Rule(id=f"lost-{api}", apis=[api], brokers=[subject.old], action=pb.LOSE, count=step.times)
        if api in apis.COORDINATOR_APIS:
            rule.key = subject.transactional_id or subject.group
        else:
            rule.MergeFrom(pb.Rule(topic=subject.topic, partitions=[subject.affected]))
        rules.append(rule)
    return rules, []


def _throttle(step: Throttle, subject: Subject, election_ms: int) -> FakePart:
    quota = pb.Throttle(broker=subject.old, apis=step.apis, throttle_ms=step.throttle_ms)
    return [], [timed(pb.Change(throttle=quota), step.when, election_ms)]


def _limit_versions(step: LimitVersions, _: Subject, __: int) -> FakePart:
    change = pb.Change(limit_versions=pb.LimitVersions(highest=step.highest, malformed=step.malformed))
    return [], [pb.Timed(change=change, from_start=True)]


RULES: Mapping[type, Callable[..., FakePart]] = {
    StopBroker: _stop,
    HangBroker: _hang,
    ReturnBroker: _return,
    Evacuate: _evacuate,
    Resign: _resign,
    NameWrongCoordinator: _name_wrong_coordinator,
    ChangeAddress: _change_address,
    SwapAddresses: _swap_addresses,
    HideBrokers: _hide,
    LoseAnswers: _lose,
    LimitVersions: _limit_versions,
    Throttle: _throttle,
}
