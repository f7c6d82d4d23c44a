"""Requests that only the history of a cluster needs, one function per API; `wire` has the encoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from probe.engines.kafka.admin.requests import Partition, by_topic, check
from probe.engines.kafka.admin.wire import Line, Reader, Writer
from probe.protocol import apis

ANSWER_MS = 10_000
"""Time that brokers may take for a change which their followers must have."""
TIMEOUT_MS = 60_000
NOT_A_MEMBER = -1
"""Generation of a commit by a client that is no member of the group."""


@dataclass(frozen=True, slots=True)
class ProducerId:
    """The identity of an idempotent producer."""

    id: int
    epoch: int


async def init_producer_id(line: Line, transactional_id: str | None) -> ProducerId:
    """Start a producer. BrokerError with the code."""
    body = Writer().string(transactional_id).pack("i", TIMEOUT_MS)
    answer = await line.ask(apis.INIT_PRODUCER_ID, 0, body)
    answer.number("i")
    check(f"starting a producer with id {transactional_id}", answer.number("h"))
    return ProducerId(answer.number("q"), answer.number("h"))


async def commit(line: Line, group: str, topic: str, offsets: Mapping[int, int]) -> None:
    """Commit a group's offsets as a client that is no member. BrokerError with the first code."""
    body = Writer().string(group).pack("i", NOT_A_MEMBER).string("").pack("q", -1)
    body.pack("i", 1).string(topic)
    body.array(sorted(offsets.items()), lambda w, item: w.pack("iq", *item).string(""))
    answer = await line.ask(apis.OFFSET_COMMIT, 2, body)
    for _ in range(answer.number("i")):
        answer.string()
        for _ in range(answer.number("i")):
            partition, code = answer.number("i"), answer.number("h")
            check(f"committing {topic}-{partition} for {group}", code)


async def delete_records(line: Line, partitions: Sequence[Partition], before: int) -> dict[Partition, int]:
    """Delete all records before an offset at the partitions' leader, and return the log start offsets.

    The leader answers when all replicas have deleted them. BrokerError with the first code.
    """
    body = Writer().array(
        by_topic(partitions),
        lambda w, item: w.string(item[0]).array(item[1], lambda each, number: each.pack("iq", number, before)),
    )
    answer = await line.ask(apis.DELETE_RECORDS, 0, body.pack("i", ANSWER_MS))
    answer.number("i")
    found: dict[Partition, int] = {}
    for _ in range(answer.number("i")):
        topic = answer.string()
        for _ in range(answer.number("i")):
            partition, start, code = answer.number("i"), answer.number("q"), answer.number("h")
            check(f"deleting records of {topic}-{partition}", code)
            found[topic, partition] = start
    return found


async def leader_epochs(line: Line, topics: Sequence[str]) -> dict[Partition, int]:
    """Return the leader epochs of topics. Brokers before 2.1 do not state them."""
    body = Writer().array(topics, Writer.string).pack("b", 0)
    answer = await line.ask(apis.METADATA, 7, body)
    answer.number("i")
    answer.array(_broker)
    answer.string()
    answer.number("i")
    found: dict[Partition, int] = {}
    for _ in range(answer.number("i")):
        answer.number("h")
        topic = answer.string()
        answer.number("b")
        for _ in range(answer.number("i")):
            answer.number("h")
            partition, _leader, epoch = answer.number("i"), answer.number("i"), answer.number("i")
            for _ in range(3):
                answer.ints()
            found[topic, partition] = epoch
    return found


def _broker(answer: Reader) -> None:
    answer.number("i")
    answer.string()
    answer.number("i")
    answer.string()
