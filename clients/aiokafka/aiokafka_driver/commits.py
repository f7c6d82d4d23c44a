"""Commits of delivered records, and rebalances."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aiokafka import ConsumerRebalanceListener, TopicPartition
from driver_runtime.deliveries import Deliveries
from driver_runtime.library import Stopping
from driver_runtime.reports import Reports

from aiokafka_driver.errors import error_of


class Commits(ConsumerRebalanceListener):  # type: ignore[misc]  # the library has no types
    """Commits what was delivered. It is also the rebalance listener; aiokafka awaits its methods."""

    def __init__(self, client: Any, reports: Reports, stop: Stopping, *, by_library: bool) -> None:
        self._client = client
        self._reports = reports
        self._stop = stop
        self._by_library = by_library
        self._deliveries = Deliveries(reports)

    def note(self, partition: TopicPartition, offset: int) -> None:
        """Keep the next offset of a partition."""
        self._deliveries.note(partition, offset)

    async def commit_if_due(self) -> None:
        """Commit new records once per commit interval."""
        if self._deliveries.is_due():
            await self._commit()
            self._deliveries.schedule()

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Report partitions assigned to this member. A member that left for its poll interval gets no revocation."""
        gained = list(assigned)
        self._deliveries.begin(gained)
        self._reports.assigned([item.partition for item in gained])

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """Commit before another member takes over. While closing, a lost coordinator would delay the close."""
        gone = list(revoked)
        if not self._stop.asked:
            await self._commit()
        self._deliveries.forget(gone)

    async def _commit(self) -> None:
        if self._by_library or not (new := self._deliveries.uncommitted()):
            return
        try:
            await self._client.commit(new)
        except Exception as error:  # noqa: BLE001  # the application gets any exception of commit()
            self._reports.commit_error(error_of(error))
        else:
            self._deliveries.committed(new)
