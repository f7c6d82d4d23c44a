"""A scenario's steps as rules and changes of the fake cluster. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from probe.engines.rpc import cluster_pb2 as pb
from probe.model import Subject
from probe.scenarios.steps import AnswerError, BreakLogDir, MoveCoordinator, MoveLeader, Step

KAFKA_STORAGE_ERROR = 56
LOG_APIS = (0, 1, 2, 23)
"""Produce, Fetch, ListOffsets, OffsetForLeaderEpoch: what reads or writes the partition's log."""

Part = tuple[Sequence[pb.Rule], Sequence[pb.Timed]]


def fault(steps: Sequence[Step], subject: Subject, election_ms: int) -> pb.Fault:
    """Translate the steps that the cluster plays; steps of the relay add nothing."""
    message = pb.Fault()
    for step in steps:
        if translate := TRANSLATIONS.get(type(step)):
            rules, changes = translate(step, subject, election_ms)
            message.rules.extend(rules)
            message.changes.extend(changes)
    return message


def successor(subject: Subject) -> int:
    """Return the broker that takes over: the next one after the old."""
    return subject.old % 3 + 1


def _break_log_dir(_: BreakLogDir, subject: Subject, election_ms: int) -> Part:
    rule = _rule(subject, apis=LOG_APIS, code=KAFKA_STORAGE_ERROR)
    return [rule], [pb.Timed(change=_move(subject), after_ms=election_ms)]


def _answer(step: AnswerError, subject: Subject, election_ms: int) -> Part:
    rule = _rule(subject, apis=(step.api,), code=step.code, count=step.times)
    return [rule], [pb.Timed(change=_move(subject), after_ms=election_ms)] if step.moved else []


def _move_leader(step: MoveLeader, subject: Subject, _: int) -> Part:
    change = _move(subject, drop_old=step.drop_replica, hints=step.hints)
    return [], [pb.Timed(change=change, from_start=True)]


def _move_coordinator(step: MoveCoordinator, subject: Subject, _: int) -> Part:
    key_type, key = (1, subject.transactional_id) if subject.transactional_id else (0, subject.group)
    move = pb.MoveCoordinator(key_type=key_type, key=key, to=successor(subject), loading_ms=step.loading_ms)
    return [], [pb.Timed(change=pb.Change(move_coordinator=move), from_start=True)]


def _rule(subject: Subject, *, apis: Sequence[int], code: int, count: int = 0) -> pb.Rule:
    return pb.Rule(
        id=f"answer-{code}",
        apis=apis,
        brokers=[subject.old],
        topic=subject.topic,
        partitions=[subject.affected],
        action=pb.ANSWER,
        code=code,
        count=count,
    )


def _move(subject: Subject, *, drop_old: bool = False, hints: bool = False) -> pb.Change:
    return pb.Change(
        move_leader=pb.MoveLeader(
            topic=subject.topic, partition=subject.affected, to=successor(subject), drop_old=drop_old, hints=hints
        )
    )


TRANSLATIONS: Mapping[type, Callable[..., Part]] = {
    BreakLogDir: _break_log_dir,
    AnswerError: _answer,
    MoveLeader: _move_leader,
    MoveCoordinator: _move_coordinator,
}
