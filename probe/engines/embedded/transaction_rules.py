"""Steps of other producers, as changes of the fake cluster. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.model import Subject
from probe.model.cluster_history import left_id
from probe.scenarios.steps.transactions import LeaveTransactionOpen, UseTransactionalId

EPOCHS = 2
"""A coordinator raises the epoch to abort the open transaction, and again for the producer that starts
(TransactionCoordinator.handleInitProducerId); the state machine raises it once per producer."""

FakePart = tuple[Sequence[pb.Rule], Sequence[pb.Timed]]


def _use(_: UseTransactionalId, subject: Subject, __: int) -> FakePart:
    used = pb.UsedId(transactional_id=subject.transactional_id, producers=EPOCHS)
    return [], [pb.Timed(change=pb.Change(use_id=used), from_start=True)]


def _leave_open(step: LeaveTransactionOpen, subject: Subject, _: int) -> FakePart:
    left = pb.OpenTransaction(
        transactional_id=left_id(subject.topic),
        topic=subject.topic,
        partition=subject.affected,
        records=step.records,
        timeout_ms=step.timeout_ms,
    )
    return [], [pb.Timed(change=pb.Change(open_transaction=left), from_start=True)]


RULES: Mapping[type, Callable[..., FakePart]] = {UseTransactionalId: _use, LeaveTransactionOpen: _leave_open}
