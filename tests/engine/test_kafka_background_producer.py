"""The background producer: record formats, and one request per broker for all topics."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.record import MemoryRecords

from probe.engines.kafka.admin.records import batch, message_set, produce_version
from probe.engines.kafka.admin.wire import Reader, Writer
from probe.engines.kafka.cohort.background_producer import BackgroundProducer
from probe.model.endpoint import Endpoint
from tests.support.deadlines import LONGEST_S

NOT_LEADER = 6
INTERVAL_MS = 20
VALUES = st.lists(st.binary(min_size=1, max_size=200), min_size=1, max_size=12)


def decode(whole: bytes) -> list[tuple[int, bytes, int]]:
    """Read records with kafka-python; return format, value and timestamp."""
    found = []
    records = MemoryRecords(whole)
    while (one := records.next_batch()) is not None:
        assert one.validate_crc()
        found += [(one.magic, record.value, record.timestamp) for record in one]
    return found


@given(VALUES)
def test_an_independent_decoder_reads_every_record_format(values: list[bytes]) -> None:
    assert decode(batch(values, 1_700_000_000_123)) == [(2, value, 1_700_000_000_123) for value in values]
    assert decode(message_set(values, 1_700_000_000_123)) == [(1, value, 1_700_000_000_123) for value in values]
    assert [found[:2] for found in decode(message_set(values, None))] == [(0, value) for value in values]


@pytest.mark.parametrize(("line", "version"), [("0.9.0.1", 1), ("0.10.2.2", 2), ("1.1.1", 3), ("4.3.1", 3)])
def test_every_release_line_gets_a_version_that_it_supports(line: str, version: int) -> None:
    assert produce_version(line) == version


@dataclass
class FakeBroker:
    """A broker that reports leaders, stores records and refuses partitions that it does not lead."""

    node: int
    brokers_by_id: dict[int, FakeBroker]
    leaders: dict[tuple[str, int], int]
    address: Endpoint | None = None
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    requests: int = 0
    written: list[tuple[str, int, bytes]] = field(default_factory=list)
    refusals: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError), contextlib.closing(writer):
            while True:
                (size,) = struct.unpack(">i", await reader.readexactly(4))
                asked = Reader(await reader.readexactly(size))
                api, version, correlation = asked.number("h"), asked.number("h"), asked.number("i")
                asked.string()
                await self.may_answer.wait()
                answer = Writer().pack("i", correlation)
                body = self.metadata(asked, answer) if api == 3 else self.produce(asked, answer)
                assert (api, version) in {(3, 1), (0, 3)}
                writer.write(struct.pack(">i", len(body.data)) + body.data)

    def metadata(self, asked: Reader, answer: Writer) -> Writer:
        topics = [asked.string() for _ in range(asked.number("i"))]
        answer.pack("i", len(self.brokers_by_id))
        for node, other in self.brokers_by_id.items():
            assert other.address is not None
            answer.pack("i", node).string(other.address.host).pack("i", other.address.port).string(None)
        answer.pack("ii", 1, len(topics))
        for topic in topics:
            rows = sorted((number, leader) for (name, number), leader in self.leaders.items() if name == topic)
            answer.pack("h", 0).string(topic).pack("bi", 0, len(rows))
            for number, leader in rows:
                answer.pack("hii", 0, number, leader).ints([leader]).ints([leader])
        return answer

    def produce(self, asked: Reader, answer: Writer) -> Writer:
        self.requests += 1
        asked.string()
        assert (asked.number("h"), asked.number("i")) == (1, 1000)
        answer.pack("i", topics := asked.number("i"))
        for _ in range(topics):
            topic = asked.string()
            answer.string(topic).pack("i", partitions := asked.number("i"))
            for _ in range(partitions):
                number, size = asked.number("i"), asked.number("i")
                values = [value for _, value, _ in decode(asked.data[asked.at : asked.at + size])]
                asked.at += size
                leads = self.leaders[topic, number] == self.node
                offset = sum((name, place) == (topic, number) for name, place, _ in self.written) if leads else -1
                self.written += [(topic, number, value) for value in values if leads]
                self.refusals += not leads
                answer.pack("ihqq", number, 0 if leads else NOT_LEADER, offset, -1)
        return answer.pack("i", 0)


@contextlib.asynccontextmanager
async def fake_brokers(
    leaders: dict[tuple[str, int], int], nodes: Sequence[int] = (1, 2)
) -> AsyncIterator[list[FakeBroker]]:
    brokers_by_id: dict[int, FakeBroker] = {}
    async with contextlib.AsyncExitStack() as stack:
        for node in nodes:
            one = brokers_by_id[node] = FakeBroker(node, brokers_by_id, leaders)
            server = await stack.enter_async_context(await asyncio.start_server(one.serve, "127.0.0.1", 0))
            one.address = Endpoint(host="127.0.0.1", port=server.sockets[0].getsockname()[1])
            one.may_answer.set()
        yield list(brokers_by_id.values())


def feeder(brokers: Sequence[FakeBroker]) -> BackgroundProducer:
    return BackgroundProducer({one.node: one.address for one in brokers}, "3.9.2", INTERVAL_MS)


@contextlib.asynccontextmanager
async def two_topics() -> AsyncIterator[tuple[FakeBroker, BackgroundProducer]]:
    """Feed `a` and `b` on one broker; both have records at the beginning of the block."""
    async with fake_brokers({("a", 0): 1, ("b", 0): 1}, [1]) as (only,):
        fed = feeder([only])
        for topic in ("a", "b"):
            fed.start(topic, [0], INTERVAL_MS)
        await until(lambda: sequences(only, "a", 0) and sequences(only, "b", 0))
        yield only, fed
        await fed.close()


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(LONGEST_S):
        while not condition():  # noqa: ASYNC110  # counters are polled, there is no event
            await asyncio.sleep(0.005)


def sequences(one: FakeBroker, topic: str, partition: int) -> list[int]:
    return [int(value.split()[2]) for name, number, value in one.written if (name, number) == (topic, partition)]


def test_topics_share_requests_and_sequences_have_no_gaps() -> None:
    async def play() -> None:
        topics = [f"t{number}" for number in range(20)]
        leaders = {(topic, partition): partition + 1 for topic in topics for partition in (0, 1)}
        async with fake_brokers(leaders) as (first, second):
            fed = feeder([first, second])
            for topic in topics:
                fed.start(topic, [0, 1], INTERVAL_MS)
            await until(lambda: len(sequences(first, "t0", 0)) > 10 and len(sequences(second, "t19", 1)) > 10)
            await fed.close()
            for one in (first, second):
                assert one.requests < len(one.written) / 10
                for topic in topics:
                    found = sequences(one, topic, one.node - 1)
                    assert found == list(range(found[0], found[0] + len(found)))

    asyncio.run(play())


def test_a_former_leader_is_left_and_refused_records_are_dropped() -> None:
    async def play() -> None:
        leaders = {("t", 0): 1, ("t", 1): 1}
        async with fake_brokers(leaders) as (first, second):
            fed = feeder([first, second])
            fed.start("t", [0, 1], INTERVAL_MS)
            await until(lambda: len(first.written) > 10)
            leaders["t", 0] = 2
            await until(lambda: len(second.written) > 10)
            await until(
                lambda: fed.written(("t", 0)) == len(sequences(second, "t", 0)) - 1
            )  # the last record is acknowledged
            assert fed.written(("t", 2)) == -1
            await fed.close()
            assert fed.written(("t", 0)) == -1
            assert first.refusals
            assert not set(sequences(first, "t", 0)) & set(sequences(second, "t", 0))
            assert max(Counter(sequences(first, "t", 1)).values()) == 1

    asyncio.run(play())


def test_a_silent_broker_delays_no_other_and_is_used_again() -> None:
    async def play() -> None:
        async with fake_brokers({("t", 0): 1, ("t", 1): 2}) as (first, second):
            fed = feeder([first, second])
            fed.start("t", [0, 1], INTERVAL_MS)
            await until(lambda: first.written and second.written)
            first.may_answer.clear()
            count = len(second.written)
            await until(lambda: len(second.written) > count + 60)  # longer than the timeout of one request
            first.may_answer.set()
            before = len(first.written)
            await until(lambda: len(first.written) > before + 10)
            await fed.close()

    asyncio.run(play())


def test_a_stopped_topic_gets_no_records_and_others_do() -> None:
    async def play() -> None:
        async with two_topics() as (only, fed):
            await fed.stop("a")
            count = len(sequences(only, "a", 0))
            more = len(sequences(only, "b", 0)) + 10
            await until(lambda: len(sequences(only, "b", 0)) > more)
            assert len(sequences(only, "a", 0)) == count

    asyncio.run(play())


def test_the_interval_of_a_topic_can_change() -> None:
    async def play() -> None:
        async with two_topics() as (only, fed):
            fed.set_interval("b", 4 * INTERVAL_MS)
            began = len(sequences(only, "a", 0)), len(sequences(only, "b", 0))
            await until(lambda: len(sequences(only, "a", 0)) >= began[0] + 40)
            slow = sequences(only, "b", 0)
            assert 8 <= len(slow) - began[1] <= 14
            assert slow == list(range(slow[0], slow[0] + len(slow)))
            fed.set_interval("b", INTERVAL_MS)
            await until(lambda: len(sequences(only, "b", 0)) > len(slow) + 10)
            fed.set_interval("nobody", INTERVAL_MS)

    asyncio.run(play())


def test_a_partition_with_a_longer_interval_gets_every_sequence() -> None:
    async def play() -> None:
        async with fake_brokers({("a", 0): 1, ("a", 1): 1}, [1]) as (only,):
            fed = feeder([only])
            fed.start("a", [0, 1], INTERVAL_MS, {1: 4 * INTERVAL_MS})
            await until(lambda: len(sequences(only, "a", 0)) >= 40)
            seldom = sequences(only, "a", 1)
            assert 8 <= len(seldom) <= 14
            assert seldom == list(range(seldom[0], seldom[0] + len(seldom)))
            fed.set_interval("a", 8 * INTERVAL_MS)
            before = [len(sequences(only, "a", partition)) for partition in (0, 1)]
            await until(lambda: len(sequences(only, "a", 0)) >= before[0] + 8)
            assert 7 <= len(sequences(only, "a", 1)) - before[1] <= 9
            await fed.close()

    asyncio.run(play())
