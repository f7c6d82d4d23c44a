"""Steps in which a whole broker fails, as rules and changes of the fake cluster. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.model import Subject
from probe.model.cluster import BROKERS
from probe.protocol import apis
from probe.scenarios.steps.brokers import (
    Evacuate,
    HangBroker,
    LimitVersions,
    LoseAnswers,
    Resign,
    ReturnBroker,
    StopBroker,
    Throttle,
    When,
)

LATEST_MS = 2000
"""Time after the fault at which a change that waits for the first hit happens without one."""
NOT_LEADER, NOT_COORDINATOR = 6, 16

FakePart = tuple[Sequence[pb.Rule], Sequence[pb.Timed]]


def whose_turn(subject: Subject, turn: int) -> int:
    """Return the broker of a turn: the failing broker first, then the others by number."""
    return (subject.old, *(node for node in BROKERS if node != subject.old))[turn]


def timed(change: pb.Change, when: When, election_ms: int) -> pb.Timed:
    """Return a change with its time."""
    after_ms = when.after_ms + (election_ms if when.elected else 0)
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
    rules += [
        pb.Rule(id=f"resigned-{key}", apis=apis.COORDINATOR_APIS, brokers=[subject.old], key=key, code=NOT_COORDINATOR)
        for key in (subject.group, subject.transactional_id)
        if key
    ]
    return rules, []


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
    LoseAnswers: _lose,
    LimitVersions: _limit_versions,
    Throttle: _throttle,
}
