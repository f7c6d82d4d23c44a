"""Steps of other producers than the client's. Each engine plays these producers itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class UseTransactionalId:
    """Another producer starts with the affected transactional id, which fences the client."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveTransactionOpen:
    """A producer writes to the affected partition in a transaction, and is never heard of again.

    Its records have a writer of their own (`probe.model.cluster_history.LEFT`).
    """

    records: int
    timeout_ms: int
    """transaction.timeout.ms of that producer: the coordinator aborts the transaction when it is over."""


TransactionStep = UseTransactionalId | LeaveTransactionOpen
