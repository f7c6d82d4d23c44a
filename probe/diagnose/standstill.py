"""Readers that stand still without a sign of trouble at the end: nobody refuses them, and they do not ask for records.

A request log shows no cut connections, and a client may end one itself; what is left is that it fetched a partition
regularly and does no more, while it goes on with something else. An application that pauses looks the same, so that
it takes more to call a client stuck: it looks for the leader, or what it read from is away. A member that was fenced
may read on and commit no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from probe.diagnose.brokers import Brokers
from probe.diagnose.clients import QUESTIONS, ClientState
from probe.diagnose.coverage import Coverage
from probe.diagnose.fetch_pattern import LONG_POLL_US, Reads
from probe.diagnose.findings import ErrorCount, Finding, Status
from probe.diagnose.objects import Item, Kind
from probe.diagnose.observation import Source
from probe.diagnose.spells import ANSWERED_US, JOINING_US, SILENT_US, TRIES
from probe.diagnose.troubles import ItemState
from probe.model import Role

HERE_US = 15_000_000
"""A client takes part as long as its last request is not older."""
UNREAD_US = 20_000_000
"""Time in which a member begins to read what it was given when its group was balanced."""

CoverageOf = Callable[[ClientState], Coverage]


class Standing:
    """The clients at the end of an input."""

    def __init__(self, clients: Sequence[ClientState], brokers: Brokers, coverage_of: CoverageOf, now: int) -> None:
        self.brokers, self.coverage_of, self.now = brokers, coverage_of, now
        self._last: dict[Item, int] = {}
        """When anybody last fetched each partition."""
        self._members: dict[Item, list[ClientState]] = {}
        """Clients that take part in each group, or did."""
        self._read: dict[Item, dict[Item, int]] = {}
        """When some member of a group last fetched each partition that one of them fetched regularly."""
        for client in clients:
            groups = [item for item in client.items if item.kind is Kind.GROUP]
            for item, state in client.items.items():
                if state.reads is not None:
                    self._last[item] = max(self._last.get(item, 0), state.reads.last)
            for group in groups:
                self._members.setdefault(group, []).append(client)
                read = self._read.setdefault(group, {})
                for item, reads in _partitions(client):
                    read[item] = max(read.get(item, 0), reads.last)

    def findings(self, client: ClientState) -> Iterator[Finding]:
        """Yield what a client does no more. Objects with a sign of trouble are judged by the rules of `status`."""
        if self.now - client.last_request > HERE_US and not client.links:
            return
        coverage = self.coverage_of(client)
        for item, at in client.coordinator_named.items():
            if (found := self._silent(client, item, at, coverage)) is not None:
                yield found
        for item, reads in _partitions(client):
            if item not in client.troubled and self.now - client.last_request <= HERE_US:
                found = self._still(client, item, reads, coverage)
                if found is not None:
                    yield found
        for item, state in client.items.items():
            if (found := self._searching(client, item, state, coverage)) is not None:
                yield found
            if (found := self._uncommitted(client, item, state, coverage)) is not None:
                yield found
        yield from self._unread(client, coverage)

    def _uncommitted(self, client: ClientState, item: Item, state: ItemState, coverage: Coverage) -> Finding | None:
        """Return whether a member of the new group protocol reads on after it was fenced, and commits no more."""
        member = None if state.membership is None else state.membership.member()
        if member is None or state.commits is None or self.now - client.records_at > HERE_US:
            return None
        fence = member.fence
        if fence is None or fence.back_at is None or not state.commits.ended(fence.back_at, self.now):
            return None
        seconds = (self.now - fence.back_at) / 1e6
        elsewhere = coverage.missing(item)
        reason = elsewhere or f"it reads on, and has committed nothing in the {seconds:.0f} s since it was in again"
        status = Status.UNKNOWN if elsewhere else Status.STUCK
        met = ErrorCount(
            code=fence.code, api=fence.api, broker=fence.broker, count=fence.times, first=fence.at, last=fence.back_at
        )
        found = _finding(item, status, reason, Role.GROUP, fence.at, fence.broker)
        return replace(found, member=member, errors=(met,), times=0)  # the fence itself is another finding

    def _silent(self, client: ClientState, item: Item, at: int, coverage: Coverage) -> Finding | None:
        """Return whether a member knows its coordinator, and sends it nothing.

        A client that fetches has partitions without the group: librdkafka asks who coordinates for `assign()`, too.
        """
        fetches = any(state.reads is not None for state in client.items.values())
        if item in client.items or client.coordinated or fetches or self.now - at < SILENT_US:
            return None
        seconds = (self.now - at) / 1e6
        elsewhere = coverage.missing(item)
        reason = elsewhere or f"it learned who coordinates, and sent nothing about the group in {seconds:.0f} s"
        open_still = client.source is Source.CAPTURE or self.now - client.last_request <= SILENT_US
        return _finding(item, Status.UNKNOWN if elsewhere or not open_still else Status.STUCK, reason, Role.GROUP, at)

    def _still(self, client: ClientState, item: Item, reads: Reads, coverage: Coverage) -> Finding | None:
        """Return whether a reader fetches a partition no more."""
        idle = self.now - reads.last
        if idle < SILENT_US or client.joined >= reads.last or self._last[item] > reads.last:
            return None
        elsewhere = coverage.missing(item)
        lost = client.source is Source.CAPTURE and reads.conn not in client.links
        away = self.brokers.last_answer(reads.broker) <= reads.last + LONG_POLL_US
        asks = len(client.questions) == QUESTIONS and client.questions[0] > reads.last
        why = (
            f", while it asked who leads {QUESTIONS} times and more" if asks
            else ", since the broker that it read from answers nobody" if away
            else ", since its connection ended" if lost
            else ": paused, or standing still"
        )  # fmt: skip
        stuck = (asks or away or lost) and not elsewhere
        reason = elsewhere or f"it read regularly, and sent no fetch in the last {idle / 1e6:.0f} s{why}"
        role = Role.GROUP if any(one.kind is Kind.GROUP for one in client.items) else Role.CONSUMER
        status = Status.STUCK if stuck else Status.UNKNOWN
        return _finding(item, status, reason, role, reads.last, reads.broker)

    def _searching(self, client: ClientState, item: Item, state: ItemState, coverage: Coverage) -> Finding | None:
        """Return whether a reader begins anew again and again to look for its place in a partition, and never fetches.

        It reads another partition of the topic, so that it is no administrator; a member of a group may ask how far
        others have come.
        """
        found = state.search
        if found is None or found.attempts < TRIES or item in client.troubled:
            return None
        seen = found.last - found.first
        reads = any(one.name == item.name and reads.last >= found.first for one, reads in _partitions(client))
        if not reads or self._last.get(item, 0) >= found.first or self.now - found.last > HERE_US:
            return None
        elsewhere = coverage.missing(item)
        grouped = any(one.kind is Kind.GROUP for one in client.items)
        what = f"it looked for its place {found.attempts} times in {seen / 1e6:.0f} s, and fetched nothing"
        reason = elsewhere or (f"{what}: or it asks how far others have come" if grouped else what)
        status = Status.UNKNOWN if elsewhere or grouped or seen < ANSWERED_US else Status.STUCK
        return _finding(item, status, reason, Role.GROUP if grouped else Role.CONSUMER, found.first)

    def _unread(self, client: ClientState, coverage: Coverage) -> Iterator[Finding]:
        """Yield the partitions of its groups that members read, and that nobody has read since."""
        topics = {item.name for item, reads in _partitions(client) if self.now - reads.last <= HERE_US}
        if not topics:
            return
        for group in [item for item in client.items if item.kind is Kind.GROUP]:
            here = [one for one in self._members[group] if self._takes_part(one, group)]
            if client in here:
                for item, last in self._read[group].items():
                    if item.name in topics and item not in client.troubled and not coverage.missing(item):
                        yield from self._lacks(client, here, item, last)

    def _takes_part(self, client: ClientState, group: Item) -> bool:
        return self.now - (client.items[group].last_request or 0) <= HERE_US

    def _lacks(self, client: ClientState, here: Sequence[ClientState], item: Item, last: int) -> Iterator[Finding]:
        """Yield whether a partition of a group has no reader since its members joined, or since long."""
        balanced = max(one.joined for one in here)
        own = client.items.get(item)
        stands = own is not None and own.reads is not None and balanced < last
        if stands or self.now - max(balanced, last) < (UNREAD_US if balanced > last else JOINING_US):
            return
        reason = f"nobody of its group has read it in the last {(self.now - last) / 1e6:.0f} s"
        if len(here) == 1:
            yield _finding(item, Status.STUCK, reason, Role.GROUP, last)
        else:
            more = f"{reason}: which of {len(here)} members has it is not in the input"
            yield _finding(item, Status.UNKNOWN, more, Role.GROUP, last)


def _partitions(client: ClientState) -> Iterator[tuple[Item, Reads]]:
    """Yield the partitions that a client fetched regularly."""
    for item, state in client.items.items():
        if state.reads is not None and state.reads.regular:
            yield item, state.reads


def _finding(item: Item, status: Status, reason: str, role: Role, since: int, broker: int = -1) -> Finding:
    return Finding(item=item, status=status, reason=reason, role=role, since=since, last=since, broker=broker)
