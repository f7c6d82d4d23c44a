"""Events of relay and brokers in a trial of cost, sorted by client."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from probe.model import EngineEvent, EngineKind, Event, Mark, Opened, Request
from probe.model.clock import now_us
from probe.runner.cost.client_record import ClientRecord, Wire
from probe.runner.cost.fault_course import FaultCourse


class Tally:
    """The sink of a cluster with many clients.

    A connection belongs to the client whose id its first request has.
    """

    def __init__(self) -> None:
        """Begin without clients."""
        self.records: dict[str, ClientRecord] = {}
        """By client id."""
        self.engine: list[EngineEvent] = []
        self.moved: dict[int, int] = {}
        """When the leader of a partition moved, in microseconds, from the fault on."""
        self.fault_at = 0
        self.over_at: int | None = 0
        """The last planned change of the fault, in microseconds, None while it is not known: what works before it may
        fail again."""
        self.healed_at: int | None = None
        """When brokers returned, or else the fault was reverted, in microseconds."""
        self._heals = False
        """It is reverted within the observation, and nothing works for good before."""
        self._owners: dict[int, ClientRecord] = {}
        self._nameless: dict[int, Opened] = {}

    def add(self, event: Event) -> None:
        """Record an event of the wire or of the brokers. It is a `Sink`."""
        if isinstance(event, EngineEvent):
            self._add_engine(event)
        elif not isinstance(event, Mark) and isinstance(event, Wire):
            self._add_wire(event)

    def new_record(self, record: ClientRecord) -> ClientRecord:
        """Add a client before it starts."""
        self.records[record.name] = record
        return record

    def begin(self, course: FaultCourse, failing: int) -> int:
        """Note that the fault of a broker has begun; return its last planned change, in microseconds."""
        self._heals = course.heals_ms is not None
        self.fault_at = self.fault_at or now_us()
        self.over_at = self.fault_at + course.over_ms * 1000
        for record in self.records.values():
            record.silent = failing if course.is_unread else None
        return self.over_at

    def works_at(self, record: ClientRecord, partition: int) -> int | None:
        """Return when a partition of a client worked again; None while it does not, or its leader has not moved.

        Where the fault heals by itself the former leader may lead again.
        """
        since = self.healed_at if self._heals else self.moved.get(partition)
        return None if since is None or self.over_at is None else record.works_at(partition, max(since, self.over_at))

    def all_work(self, partitions: Iterable[int]) -> bool:
        """Return whether all of these partitions work again for all clients."""
        numbers = tuple(partitions)
        return all(self.works_at(record, number) is not None for record in self.records.values() for number in numbers)

    def differences(self, counted: Mapping[tuple[str, int, int], int]) -> Iterator[str]:
        """Yield where the relay read another number of requests than the brokers; `counted` as of the cluster.

        Brokers may lack those that were under way on a connection when it ended.
        """
        for name, record in self.records.items():
            passed = record.requests()
            seen = dict.fromkeys(passed, 0)
            for (client, _, api), number in counted.items():
                if client == name:
                    seen[api] = seen.get(api, 0) + number
            for api, number in sorted(seen.items()):
                if not passed[api] - record.unread[api] <= number <= passed[api]:
                    yield f"{name}, API {api}: {passed[api]} at the relay, {number} at the brokers"

    def _add_wire(self, event: Wire) -> None:
        if isinstance(event, Opened):
            self._nameless[event.conn] = event
            return
        owner = self._owners.get(event.conn)
        if owner is None and isinstance(event, Request):
            owner = self.records.get(event.client_id)
            if owner is not None:
                self._owners[event.conn] = owner
                if (opened := self._nameless.pop(event.conn, None)) is not None:
                    owner.add_wire(opened)
        if owner is not None:
            owner.add_wire(event)

    def _add_engine(self, event: EngineEvent) -> None:
        self.engine.append(event)
        if event.kind is EngineKind.FAULT_ON:
            self.fault_at = event.at
        elif event.kind is EngineKind.RETURNED:
            self.healed_at = event.at
        elif event.kind is EngineKind.HEALED:
            self.healed_at = self.healed_at or event.at
        elif event.kind is EngineKind.MOVED and event.partition >= 0 and event.broker > 0:
            self.moved.setdefault(event.partition, event.at)
