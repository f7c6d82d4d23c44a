"""A scenario's steps as rules and changes of the fake cluster. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from probe.engines.embedded import broker_rules, controller_rules, logins, transaction_rules
from probe.engines.embedded.broker_rules import FakePart
from probe.engines.embedded.nodes import NODES
from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.model import Subject
from probe.protocol import apis
from probe.protocol.api_table import CoordinatorKind
from probe.scenarios.steps.coordinators import LoadCoordinator, LoseCoordinator, MoveCoordinator, Rejoin
from probe.scenarios.steps.logins import RevokePermissions
from probe.scenarios.steps.partitions import (
    AnswerError,
    BreakLogDir,
    Held,
    HoldFollowerBack,
    LagMetadata,
    LoseAllLeaders,
    LoseLeader,
    MoveLeader,
    RollBack,
)
from probe.scenarios.steps.step import Step
from probe.scenarios.steps.topics import (
    DeleteTopic,
    ForgetProducers,
    ForgetTopic,
    GrowTopic,
    GrowWhileAssigning,
    HidePartition,
    RecreateTopic,
    ReplaceTopic,
)

KAFKA_STORAGE_ERROR, UNKNOWN_TOPIC, REBALANCE_IN_PROGRESS, FENCED_MEMBER_EPOCH = 56, 3, 27, 110
ALL = 0
"""Instead of a node id: all brokers."""
UNTIL_HEALED_MS = 3_600_000
"""Duration of changes that only Heal ends."""
LEAVES_ISR_MS = 500
"""Time after which the controller takes a follower whose log dir failed out of the ISR (3.9.2; `disk/follower`)."""
LED_ANEW_MS = 100
"""Time from the return of a topic to the move of its leader."""


def fault_rules(steps: Sequence[Step], subject: Subject, election_ms: int) -> pb.Fault:
    """Translate the steps that the cluster plays; steps that the relay plays add nothing."""
    message = pb.Fault()
    for step in steps:
        if translate := RULES.get(type(step)):
            rules, changes = translate(step, subject, election_ms)
            message.rules.extend(rules)
            message.changes.extend(changes)
    return message


def key_of(subject: Subject) -> tuple[int, str]:
    """Return type and name of the key whose coordinator the fault affects."""
    return _key(subject, CoordinatorKind.TRANSACTION if subject.transactional_id else CoordinatorKind.GROUP)


def _key(subject: Subject, kind: CoordinatorKind) -> tuple[int, str]:
    return kind, subject.transactional_id if kind is CoordinatorKind.TRANSACTION else subject.group


BY_HEARTBEAT = frozenset(
    {apis.HEARTBEAT, apis.JOIN_GROUP, apis.SYNC_GROUP, apis.OFFSET_FETCH, apis.CONSUMER_GROUP_HEARTBEAT}
)
UNTIL_BEAT_MS = 8000
"""Longest time for which a move of the coordinator waits for the hit: members send heartbeats every 3 s, those of the
new group protocol every 5 s, and join again once a heartbeat was answered with an error."""


def _break_log_dir(step: BreakLogDir, subject: Subject, election_ms: int) -> FakePart:
    rule = _about_partition(subject, pb.Rule(id="log-dir", apis=apis.LOG_APIS, code=KAFKA_STORAGE_ERROR))
    if step.holds is Held.SERVING_FOLLOWER:
        return [rule], [pb.Timed(change=_fail_replica(subject), from_start=True, after_ms=LEAVES_ISR_MS)]
    return [rule], [pb.Timed(change=_move(subject), after_ms=election_ms)]


def _hold_follower_back(_: HoldFollowerBack, subject: Subject, __: int) -> FakePart:
    return [], [pb.Timed(change=_fail_replica(subject, lags=True), from_start=True)]


def _fail_replica(subject: Subject, *, lags: bool = False) -> pb.Change:
    failed = pb.FailReplica(topic=subject.topic, partition=subject.affected, broker=subject.old, lags=lags)
    return pb.Change(fail_replica=failed)


def _answer(step: AnswerError, subject: Subject, election_ms: int) -> FakePart:
    rule = pb.Rule(
        id=f"answer-{step.api}-{step.code}",
        apis=[step.api],
        action=pb.APPLY if step.applied else pb.ANSWER,
        code=step.code,
        count=step.times,
        only_acks_all=step.acks_all,
        with_epoch=step.with_epoch or step.with_node,
        min_version=step.min_version,
        known_only=step.known_only,
    )
    coordinated = step.api in apis.COORDINATOR_APIS
    about = ABOUT.get(step.api, _about_key if coordinated else _about_partition)
    move = _coordinate(subject, key=_key_of_api(subject, step.api)) if coordinated else _move(subject)
    move = controller_rules.moved(subject) if step.api in apis.CONTROLLER_APIS else move
    moves = [pb.Timed(change=move, after_ms=election_ms, latest_ms=UNTIL_BEAT_MS if step.api in BY_HEARTBEAT else 0)]
    rule = about(subject, rule)
    if step.whole_topic:
        rule.ClearField("partitions")
    if step.moved and coordinated and not rule.brokers:
        rule.brokers.append(subject.old)  # the next coordinator serves
    return [rule], moves if step.moved else []


def _about_partition(subject: Subject, rule: pb.Rule) -> pb.Rule:
    rule.MergeFrom(pb.Rule(brokers=[subject.old], topic=subject.topic, partitions=[subject.affected]))
    return rule


def _about_connection(subject: Subject, rule: pb.Rule) -> pb.Rule:
    rule.brokers.append(subject.old)
    return rule


def _about_row(subject: Subject, rule: pb.Rule) -> pb.Rule:
    """Add the partition to a rule for all brokers: any of them answers Metadata."""
    rule.MergeFrom(pb.Rule(topic=subject.topic, partitions=[subject.affected]))
    return rule


def _about_key(subject: Subject, rule: pb.Rule) -> pb.Rule:
    rule.MergeFrom(pb.Rule(brokers=[subject.old], key=_key_of_api(subject, rule.apis[0])[1]))
    return rule


def _key_of_api(subject: Subject, api: int) -> tuple[int, str]:
    return _key(subject, CoordinatorKind.TRANSACTION if api in apis.TXN_APIS else CoordinatorKind.GROUP)


def _about_search(subject: Subject, rule: pb.Rule) -> pb.Rule:
    """Add the key to a rule for all brokers: any of them answers FindCoordinator."""
    rule.MergeFrom(pb.Rule(key=key_of(subject)[1]))
    return rule


ABOUT: Mapping[int, Callable[[Subject, pb.Rule], pb.Rule]] = {
    apis.API_VERSIONS: _about_connection,
    apis.METADATA: _about_row,
    apis.OFFSET_FOR_LEADER_EPOCH: _about_row,
    apis.FIND_COORDINATOR: _about_search,
    apis.INIT_PRODUCER_ID: _about_search,
    apis.CREATE_TOPICS: controller_rules.at_controller,
}
"""APIs about no object, that come first, or that any broker or the controller answers; others: the failing broker."""


def _rejoin(_: Rejoin, subject: Subject, __: int) -> FakePart:
    """Let a member join again: one of the new group protocol does so once its epoch is fenced."""
    answers = ((apis.HEARTBEAT, REBALANCE_IN_PROGRESS), (apis.CONSUMER_GROUP_HEARTBEAT, FENCED_MEMBER_EPOCH))
    rules = [
        pb.Rule(id=f"rejoin-{api}", apis=[api], code=code, count=1, key=subject.group, prelude=True)
        for api, code in answers
    ]
    return rules, []


def _move_leader(step: MoveLeader, subject: Subject, election_ms: int) -> FakePart:
    change = _move(subject, drop_old=step.drop_replica)
    return [], [pb.Timed(change=change, from_start=True, after_ms=election_ms if step.elected else 0)]


def _lose_leader(step: LoseLeader, subject: Subject, _: int) -> FakePart:
    partitions = (subject.affected, subject.bystander) if step.whole_topic else (subject.affected,)
    moves = (pb.MoveLeader(topic=subject.topic, partition=one, to=-1, hinted=step.hinted) for one in partitions)
    changes = [pb.Timed(change=pb.Change(move_leader=move), from_start=True) for move in moves]
    if step.for_ms:
        changes.append(pb.Timed(change=_move(subject), from_start=True, after_ms=step.for_ms))
    return [], changes


def _lose_all_leaders(_: LoseAllLeaders, subject: Subject, __: int) -> FakePart:
    """Keys return to the failing broker, where `Spread.SHARED` places them."""
    partitions = (subject.affected, subject.bystander)
    away = (pb.MoveLeader(topic=subject.topic, partition=partition, to=-1) for partition in partitions)
    changes = [pb.Change(move_leader=move) for move in away]
    keys = ((CoordinatorKind.GROUP, subject.group), (CoordinatorKind.TRANSACTION, subject.transactional_id))
    changes += [_coordinate(subject, key=key, to=subject.old, gone_ms=UNTIL_HEALED_MS) for key in keys if key[1]]
    return [], [pb.Timed(change=change, from_start=True) for change in changes]


def _lag(step: LagMetadata, subject: Subject, __: int) -> FakePart:
    late = NODES.others(NODES.next(subject.old)) if step.but_successor else (ALL,)
    views = (pb.MetadataView(broker=node, lag_ms=step.lag_ms) for node in late)
    return [], [pb.Timed(change=pb.Change(view=view), from_start=True) for view in views]


def _forget(_: ForgetTopic, subject: Subject, __: int) -> FakePart:
    rule = pb.Rule(id="forgotten", apis=apis.LOG_APIS, code=UNKNOWN_TOPIC, brokers=[subject.old], topic=subject.topic)
    view = pb.MetadataView(broker=subject.old, hidden_topics=[subject.topic])
    return [rule], [pb.Timed(change=pb.Change(view=view), from_start=True)]


def _hide(_: HidePartition, subject: Subject, __: int) -> FakePart:
    view = pb.MetadataView(broker=ALL, hidden_topics=[f"{subject.topic}/{subject.bystander}"])
    return [], [pb.Timed(change=pb.Change(view=view), from_start=True)]


def _move_coordinator(step: MoveCoordinator, subject: Subject, _: int) -> FakePart:
    return [], [pb.Timed(change=_coordinate(subject, loading_ms=step.loading_ms), from_start=True)]


def _load(_: LoadCoordinator, subject: Subject, __: int) -> FakePart:
    change = _coordinate(subject, to=subject.old, loading_ms=UNTIL_HEALED_MS)
    return [], [pb.Timed(change=change, from_start=True)]


def _lose_coordinator(_: LoseCoordinator, subject: Subject, __: int) -> FakePart:
    change = _coordinate(subject, to=subject.old, gone_ms=UNTIL_HEALED_MS)
    return [], [pb.Timed(change=change, from_start=True)]


def _delete(_: DeleteTopic, subject: Subject, __: int) -> FakePart:
    return [], [_topic(subject, pb.TopicChange.DELETE)]


def _recreate(_: RecreateTopic, subject: Subject, election_ms: int) -> FakePart:
    again = _topic(subject, pb.TopicChange.RECREATE, after_ms=election_ms // 2)
    return [], [_topic(subject, pb.TopicChange.DELETE), again]


def _forget_producers(step: ForgetProducers, subject: Subject, election_ms: int) -> FakePart:
    """While the topic is away its batches are answered 3."""
    rules = (
        pb.Rule(
            id=f"forgotten-producers-{node}",
            apis=[apis.PRODUCE],
            brokers=[node],
            topic=subject.topic,
            code=step.code,
            count=step.times,
            from_ms=election_ms // 2,
        )
        for node in NODES
    )
    return list(rules), []


def _replace(step: ReplaceTopic, subject: Subject, _: int) -> FakePart:
    again = _topic(subject, pb.TopicChange.RECREATE, longer_by=step.longer_by, after_ms=step.gone_ms)
    move = pb.Timed(change=_move(subject), from_start=True, after_ms=step.gone_ms + LED_ANEW_MS)
    changes = [_topic(subject, pb.TopicChange.DELETE), again]
    return [], changes if step.same_leader else [*changes, move]


def _grow(step: GrowTopic, subject: Subject, _: int) -> FakePart:
    return [], [_topic(subject, pb.TopicChange.GROW, total=step.partitions)]


def _grow_while_assigning(step: GrowWhileAssigning, subject: Subject, _: int) -> FakePart:
    rule = pb.Rule(id="assigning", apis=[apis.SYNC_GROUP], action=pb.HOLD, hold_ms=step.held_ms, key=subject.group)
    grown = _topic(subject, pb.TopicChange.GROW, total=step.partitions)
    return [rule], [pb.Timed(change=grown.change, after_ms=step.held_ms // 6, latest_ms=UNTIL_BEAT_MS)]


def _topic(
    subject: Subject, what: pb.TopicChange.What.ValueType, *, total: int = 0, longer_by: int = 0, after_ms: int = 0
) -> pb.Timed:
    change = pb.TopicChange(topic=subject.topic, what=what, partitions=total, longer_by=longer_by)
    return pb.Timed(change=pb.Change(topic=change), from_start=True, after_ms=after_ms)


def _roll_back(step: RollBack, subject: Subject, _: int) -> FakePart:
    change = pb.Change(roll_back=pb.RollBack(broker=subject.old, line=step.line))
    return [], [pb.Timed(change=change, from_start=True)]


def _move(subject: Subject, *, drop_old: bool = False) -> pb.Change:
    return pb.Change(
        move_leader=pb.MoveLeader(
            topic=subject.topic, partition=subject.affected, to=NODES.next(subject.old), drop_old=drop_old
        )
    )


def _coordinate(
    subject: Subject, *, key: tuple[int, str] | None = None, to: int = 0, loading_ms: int = 0, gone_ms: int = 0
) -> pb.Change:
    key_type, name = key or key_of(subject)
    move = pb.MoveCoordinator(
        key_type=key_type, key=name, to=to or NODES.next(subject.old), loading_ms=loading_ms, gone_ms=gone_ms
    )
    return pb.Change(move_coordinator=move)


RULES: Mapping[type, Callable[..., FakePart]] = {
    BreakLogDir: _break_log_dir,
    HoldFollowerBack: _hold_follower_back,
    AnswerError: _answer,
    Rejoin: _rejoin,
    RollBack: _roll_back,
    MoveLeader: _move_leader,
    LoseLeader: _lose_leader,
    LoseAllLeaders: _lose_all_leaders,
    LagMetadata: _lag,
    ForgetTopic: _forget,
    HidePartition: _hide,
    MoveCoordinator: _move_coordinator,
    LoadCoordinator: _load,
    LoseCoordinator: _lose_coordinator,
    DeleteTopic: _delete,
    RecreateTopic: _recreate,
    ReplaceTopic: _replace,
    ForgetProducers: _forget_producers,
    GrowTopic: _grow,
    GrowWhileAssigning: _grow_while_assigning,
    **broker_rules.RULES,
    **controller_rules.RULES,
    **transaction_rules.RULES,
    RevokePermissions: logins.revoked,
}
