"""A plain client's view of a cluster's history: one list of checks for every engine.

The client is the engine's own encoding of requests, past every library. It is given the addresses of three brokers and
a trial's subject, whose history the engine states.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from probe.engines.kafka.admin import history_requests, requests
from probe.engines.kafka.admin.wire import Line, Reader, Writer, line_to
from probe.engines.kafka.cluster.nodes import NODES
from probe.model import Subject
from probe.model.cluster_history import history_plan
from probe.model.endpoint import Endpoint
from probe.model.versions import version_key
from probe.protocol import apis

ASK_S = 10.0
EARLIEST, LATEST = -2, -1


@dataclass(frozen=True)
class Looked:
    """A cluster with a prepared trial."""

    addresses: Mapping[int, Endpoint]
    subject: Subject
    line: str

    async def ask(self, node: int, question: Callable[[Line], Awaitable[object]]) -> object:
        async with line_to(self.addresses[node], ASK_S) as line:
            return await question(line)

    @property
    def partitions(self) -> Sequence[int]:
        return sorted((self.subject.affected, self.subject.bystander))

    async def leaders(self) -> dict[int, int]:
        async with line_to(self.addresses[1], ASK_S) as line:
            found = await requests.metadata(line, [self.subject.topic], old=False)
        return {number: one.leader for (_, number), one in found.placements.items()}

    async def offset(self, partition: int, when: int) -> int:
        """Return an end of a partition's log (ListOffsets v1)."""
        body = Writer().pack("i", -1).pack("i", 1).string(self.subject.topic).pack("iiq", 1, partition, when)
        async with line_to(self.addresses[(await self.leaders())[partition]], ASK_S) as line:
            answer = await line.ask(apis.LIST_OFFSETS, 1, body)
        answer.number("i")
        answer.string()
        assert answer.number("i") == 1
        assert (answer.number("i"), answer.number("h")) == (partition, 0)
        answer.number("q")
        return answer.number("q")

    async def coordinator(self, kind: int, key: str) -> Endpoint:
        async with line_to(self.addresses[1], ASK_S) as line:
            return self.addresses[await requests.coordinator(line, kind, key)]


async def epochs_are_high_and_differ(at: Looked) -> None:
    async with line_to(at.addresses[1], ASK_S) as line:
        found = await history_requests.leader_epochs(line, [at.subject.topic])
    seen = {number: epoch for (_, number), epoch in found.items()}
    assert seen == at.subject.history.epochs
    assert min(seen.values()) >= 4
    assert len(set(seen.values())) == len(seen)


async def logs_do_not_start_at_zero(at: Looked) -> None:
    for partition in at.partitions:
        assert await at.offset(partition, EARLIEST) == at.subject.history.starts[partition] > 0


async def logs_hold_older_records(at: Looked) -> None:
    for partition in at.partitions:
        end, start = at.subject.history.ends[partition], at.subject.history.starts[partition]
        assert await at.offset(partition, LATEST) >= end > start


async def groups_are_at_neither_end(at: Looked) -> None:
    body = Writer().string(at.subject.group).pack("i", 1).string(at.subject.topic).ints(at.partitions)
    async with line_to(await at.coordinator(0, at.subject.group), ASK_S) as line:
        answer = await line.ask(apis.OFFSET_FETCH, 1, body)
    assert _committed(answer) == at.subject.history.committed
    for partition, offset in at.subject.history.committed.items():
        assert at.subject.history.starts[partition] < offset < at.subject.history.ends[partition]


def _committed(answer: Reader) -> dict[int, int]:
    assert answer.number("i") == 1
    answer.string()
    found = {}
    for _ in range(answer.number("i")):
        partition, offset = answer.number("i"), answer.number("q")
        answer.string()
        assert answer.number("h") == 0
        found[partition] = offset
    return found


async def transactional_ids_were_used(at: Looked) -> None:
    name = at.subject.transactional_id
    async with line_to(await at.coordinator(1, name), ASK_S) as line:
        found = await history_requests.init_producer_id(line, name)
    assert found.epoch == at.subject.history.transactions > 0


async def producer_ids_were_used(at: Looked) -> None:
    async with line_to(at.addresses[1], ASK_S) as line:
        found = await history_requests.init_producer_id(line, None)
    assert found.id > 0
    assert at.subject.history.producer_ids >= history_plan(at.line).producer_ids > 0


async def there_are_other_topics(at: Looked) -> None:
    async with line_to(at.addresses[2], ASK_S) as line:
        found = (await requests.metadata(line, None, old=False)).placements
    others = {key: one for key, one in found.items() if key[0] in history_plan(at.line).topics}
    assert len({topic for topic, _ in others}) == at.subject.history.topics == 20
    assert len(others) == at.subject.history.partitions == 100
    assert {one.leader for one in others.values()} == set(NODES)


async def there_is_a_controller(at: Looked) -> None:
    async with line_to(at.addresses[3], ASK_S) as line:
        assert (await requests.metadata(line, [], old=False)).controller in NODES
    assert at.subject.history.controller_changes == 1


Check = Callable[[Looked], Awaitable[None]]
CHECKS: Mapping[Check, str] = {
    epochs_are_high_and_differ: "2.1",
    logs_do_not_start_at_zero: "0.11",
    logs_hold_older_records: "0.9",
    groups_are_at_neither_end: "0.9",
    transactional_ids_were_used: "0.11",
    producer_ids_were_used: "0.11",
    there_are_other_topics: "0.9",
    there_is_a_controller: "0.9",
}
"""Every check, with the first release line whose brokers support that part of a history."""


def checks(line: str) -> list[Check]:
    """Return the checks of a release line. Transactional ids, which a group has none of, come last."""
    return [check for check, since in CHECKS.items() if version_key(line) >= version_key(since)]
