"""The history of a fake cluster: what it is asked for, and what it states. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from probe.engines.embedded.nodes import NODES
from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.model import Subject
from probe.model.cluster_history import ClusterHistory, HistoryPlan


def asked_history(plan: HistoryPlan, subject: Subject, *, unused_id: bool = False) -> pb.ClusterHistory:
    """Return the history of the cluster apart from the topic's own."""
    used = () if unused_id else subject.transactional_ids
    offsets = dict.fromkeys((subject.affected, subject.bystander), plan.committed)
    return pb.ClusterHistory(
        topics=[pb.OtherTopic(topic=name, partitions=count) for name, count in plan.topics.items()],
        producer_ids=plan.producer_ids,
        commits=[pb.Commit(group=group, offsets=offsets) for group in subject.groups],
        transactional_ids=[pb.UsedId(transactional_id=name, producers=plan.transactions) for name in used],
        controller=NODES.next(subject.old) if plan.controller_changes else 0,
    )


def stated_history(
    plan: HistoryPlan, past: pb.ClusterHistory, partitions: Sequence[pb.PartitionState]
) -> ClusterHistory:
    """Return the history as the cluster states it."""
    states = dict(enumerate(partitions))
    return ClusterHistory(
        epochs={number: state.epoch for number, state in states.items()} if any(plan.elections) else {},
        starts={number: state.start for number, state in states.items()},
        ends={number: state.end for number, state in states.items()},
        committed=dict(past.commits[0].offsets) if past.commits else {},
        producer_ids=plan.producer_ids,
        transactions=plan.transactions if past.transactional_ids else 0,
        topics=len(past.topics),
        partitions=sum(topic.partitions for topic in past.topics),
        controller_changes=plan.controller_changes,
    )
