"""The engine's own requests and their answers, one function per API; `wire` has the encoding."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from probe.engines.kafka.admin.wire import Line, Reader, Writer
from probe.engines.kafka.ports import Placement, Replicas
from probe.errors import EngineError
from probe.model.endpoint import Endpoint
from probe.model.release_lines import Since, has
from probe.protocol import apis

TOPIC_RESOURCE = 2
PREFERRED, UNCLEAN = 0, 1
CONSUMER, LATEST = -1, -1
ELECTION_NOT_NEEDED = 84
TOPIC_EXISTS = 36
ASK_MS = 15_000

Partition = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Metadata:
    """The cluster as one broker reports it."""

    brokers: Mapping[int, Endpoint]
    controller: int
    placements: Mapping[Partition, Placement]


class BrokerError(EngineError):
    """A broker answered with an error code."""

    def __init__(self, what: str, code: int, text: str = "") -> None:
        super().__init__(f"{what}: error {code}{' ' + text if text else ''}")
        self.code = code


def is_old(version: str) -> bool:
    """Return whether brokers of a version know Metadata version 0 only, which does not name the controller."""
    return not has(version, Since.NAMED_CONTROLLER)


async def metadata(line: Line, topics: Sequence[str] | None, *, old: bool) -> Metadata:
    """Ask for topics (None = all); `old` brokers know version 0 only, which does not name the controller."""
    body = Writer()
    if topics is None and not old:
        body.pack("i", -1)
    else:
        body.array(topics or (), Writer.string)
    answer = await line.ask(apis.METADATA, 0 if old else 1, body)
    try:
        return _metadata(answer, old=old)
    except (struct.error, IndexError):
        raise EngineError("an answer to Metadata that makes no sense") from None


def _metadata(answer: Reader, *, old: bool) -> Metadata:
    brokers = {}
    for _ in range(answer.number("i")):
        node = answer.number("i")
        brokers[node] = Endpoint(host=answer.string(), port=answer.number("i"))
        if not old:
            answer.string()
    controller = -1 if old else answer.number("i")
    found: dict[Partition, Placement] = {}
    for _ in range(answer.number("i")):
        answer.number("h")
        topic = answer.string()
        if not old:
            answer.number("b")
        for _ in range(answer.number("i")):
            answer.number("h")
            partition, leader = answer.number("i"), answer.number("i")
            found[topic, partition] = Placement(leader, answer.ints(), answer.ints())
    return Metadata(brokers, controller, found)


async def high_watermarks(line: Line, partitions: Sequence[Partition]) -> dict[Partition, int]:
    """Return the high watermarks that a leader reports; partitions with an error are left out.

    A leader whose followers have not caught up with its epoch answers LEADER_NOT_AVAILABLE to this version (KIP-207).
    """
    body = Writer().pack("i", CONSUMER)
    body.array(by_topic(partitions), lambda w, item: w.string(item[0]).array(item[1], _latest))
    answer = await line.ask(apis.LIST_OFFSETS, 1, body)
    found: dict[Partition, int] = {}
    for _ in range(answer.number("i")):
        topic = answer.string()
        for _ in range(answer.number("i")):
            partition, code = answer.number("i"), answer.number("h")
            answer.number("q")
            offset = answer.number("q")
            if not code:
                found[topic, partition] = offset
    return found


def _latest(body: Writer, partition: int) -> Writer:
    return body.pack("iq", partition, LATEST)


async def coordinator(line: Line, key_type: int, key: str) -> int:
    """Return the coordinator of a key; -1 if it is not known."""
    body = Writer().string(key)
    if key_type:
        body.pack("b", key_type)
    answer = await line.ask(apis.FIND_COORDINATOR, 1 if key_type else 0, body)
    if key_type:
        answer.number("i")
    code = answer.number("h")
    if key_type:
        answer.string()
    node = answer.number("i")
    return -1 if code else node


async def create_topics(
    line: Line, topics: Mapping[str, Replicas], config: Mapping[str, str], *, version: int
) -> Sequence[str]:
    """Create topics with these replicas; return those that exist already. BrokerError with any other code."""

    def one(writer: Writer, item: tuple[str, Replicas]) -> object:
        writer.string(item[0]).pack("ih", -1, -1)
        writer.array(sorted(item[1].items()), lambda w, each: w.pack("i", each[0]).ints(each[1]))
        return writer.array(sorted(config.items()), lambda w, each: w.string(each[0]).string(each[1]))

    existing = []
    body = Writer().array(sorted(topics.items()), one).pack("i", ASK_MS)
    if version:
        body.pack("b", 0)
    answer = await line.ask(apis.CREATE_TOPICS, version, body)
    if version >= 2:
        answer.number("i")
    for _ in range(answer.number("i")):
        topic, code, text = answer.string(), answer.number("h"), answer.string() if version else ""
        if code == TOPIC_EXISTS:
            existing.append(topic)
        else:
            check(f"creating topic {topic}", code, text)
    return existing


async def delete_topics(line: Line, topics: Sequence[str], *, version: int) -> None:
    """Delete topics; a topic that does not exist is no error. BrokerError with any other code."""
    answer = await line.ask(apis.DELETE_TOPICS, version, Writer().array(topics, Writer.string).pack("i", ASK_MS))
    if version:
        answer.number("i")
    for _ in range(answer.number("i")):
        topic, code = answer.string(), answer.number("h")
        if code != 3:
            check(f"deleting topic {topic}", code)


async def create_partitions(line: Line, topic: str, added: Sequence[Sequence[int]], total: int) -> None:
    """Add partitions. BrokerError with the code."""
    body = Writer().pack("i", 1).string(topic).pack("i", total)
    body.array(added, Writer.ints).pack("ib", ASK_MS, 0)
    answer = await line.ask(apis.CREATE_PARTITIONS, 0, body)
    answer.number("i")
    for _ in range(answer.number("i")):
        answer.string()
        check(f"growing topic {topic}", answer.number("h"), answer.string())


async def alter_config(line: Line, topic: str, config: Mapping[str, str]) -> None:
    """Set a topic's configuration. BrokerError with the code."""
    body = Writer().pack("ib", 1, TOPIC_RESOURCE).string(topic)
    body.array(sorted(config.items()), lambda w, item: w.string(item[0]).string(item[1])).pack("b", 0)
    answer = await line.ask(apis.ALTER_CONFIGS, 0, body)
    answer.number("i")
    for _ in range(answer.number("i")):
        check(f"configuring topic {topic}", answer.number("h"), answer.string())
        answer.number("b")
        answer.string()


async def prefer_log_dir(line: Line, log_dir: str, partitions: Sequence[Partition], *, version: int) -> None:
    """Choose the log dir of replicas that a broker does not have yet (KIP-113).

    The broker answers with an error for each, since it does not have them; the choice holds nevertheless.
    """
    body = Writer().pack("i", 1).string(log_dir)
    body.array(by_topic(partitions), lambda w, item: w.string(item[0]).ints(item[1]))
    await line.ask(apis.ALTER_REPLICA_LOG_DIRS, version, body)


async def elect(line: Line, partitions: Sequence[Partition], kind: int, *, version: int) -> None:
    """Elect leaders. BrokerError with the first code other than ELECTION_NOT_NEEDED."""
    body = Writer().pack("b", kind) if version else Writer()
    body.array(by_topic(partitions), lambda w, item: w.string(item[0]).ints(item[1])).pack("i", ASK_MS)
    answer = await line.ask(apis.ELECT_LEADERS, version, body)
    answer.number("i")
    if version:
        check("electing leaders", answer.number("h"))
    for _ in range(answer.number("i")):
        topic = answer.string()
        for _ in range(answer.number("i")):
            partition, code, text = answer.number("i"), answer.number("h"), answer.string()
            if code != ELECTION_NOT_NEEDED:
                check(f"electing a leader of {topic}-{partition}", code, text)


async def reassign(line: Line, moves: Mapping[Partition, Sequence[int]]) -> None:
    """Start to move partitions (KIP-455). BrokerError with the first code."""
    body = Writer().pack("i", ASK_MS).varint(len(moves) + 1)
    for (topic, partition), replicas in sorted(moves.items()):
        body.compact(topic).varint(2).pack("i", partition)
        body.varint(len(replicas) + 1).pack(f"{len(replicas)}i", *replicas).varint(0).varint(0)
    answer = await line.ask(apis.ALTER_PARTITION_REASSIGNMENTS, 0, body.varint(0), flexible=True)
    answer.number("i")
    check("reassigning partitions", answer.number("h"), answer.compact())
    for _ in range(answer.varint() - 1):
        topic = answer.compact()
        for _ in range(answer.varint() - 1):
            partition = answer.number("i")
            check(f"reassigning {topic}-{partition}", answer.number("h"), answer.compact())
            answer.tags()
        answer.tags()


def by_topic(partitions: Sequence[Partition]) -> list[tuple[str, list[int]]]:
    """Return the numbers of partitions by topic, sorted."""
    return [
        (topic, [p for name, p in partitions if name == topic]) for topic in sorted({name for name, _ in partitions})
    ]


def check(what: str, code: int, text: str = "") -> None:
    """Raise BrokerError for an error code."""
    if code:
        raise BrokerError(what, code, text)
