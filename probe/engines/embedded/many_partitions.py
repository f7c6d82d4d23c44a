"""A fault that hits many partitions at once: what it does to the affected one, it does to all of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from probe.engines.embedded.nodes import NODES
from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.model import Subject
from probe.model.cluster_history import HistoryPlan
from probe.model.placement import Places, TopicPlan


def assignments(plan: TopicPlan, history: HistoryPlan, places: Places, subject: Subject) -> list[pb.Assignment]:
    """Return the partitions of the trial's topic by number: those that the fault hits, and the bystander."""
    first = plan.first_leader(places.affected, NODES.next(subject.old))
    elections = history.elections if plan.elected else (0, 0)

    def one(leader: int, replicas: Sequence[int], count: int) -> pb.Assignment:
        return pb.Assignment(
            leader=leader, replicas=replicas, elections=count, records=history.records, deleted=history.deleted
        )

    found = [one(first, places.affected, elections[0])] * plan.moving
    found.insert(subject.bystander, one(places.bystander[0], places.bystander, elections[1]))
    return found


def widened(fault: pb.Fault, subject: Subject, partitions: Sequence[int]) -> pb.Fault:
    """Return a fault that does to all of these partitions what `fault` does to the affected one.

    Their leaders move in one step.
    """
    others = [number for number in partitions if number != subject.affected]
    wide = pb.Fault()
    wide.CopyFrom(fault)
    if not others:
        return wide
    for rule in wide.rules:
        if subject.affected in rule.partitions:
            rule.partitions.extend(others)
    for timed in wide.changes:
        move = timed.change.move_leader
        if timed.change.WhichOneof("change") == "move_leader" and move.partition == subject.affected:
            move.also.extend(others)
    return wide
