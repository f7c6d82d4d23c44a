#!/usr/bin/env bash
# confluent-kafka 2.16.1: AIOProducer stores records of one partition in another order than they were written in.
#
# AIOProducer keeps records in a buffer of its own, which is sent when it holds `batch_size` (1,000) of them: one batch
# per topic and partition, one after the other in a thread. Other tasks go on writing meanwhile, and what they fill the
# buffer with may be sent by a second thread before the rest of the first. So a task that awaits each produce() before its
# next one may find its own records in the wrong order, as well as `asyncio.gather` of many calls, with
# enable.idempotence, too: the order is lost before librdkafka. The plain Producer of the package keeps it, and so does
# an AIOProducer that writes to one partition only, or has batch_size=1 and is awaited.
#
# Seen 2026-11-28 with confluent-kafka 2.16.1 (librdkafka 2.16.0) on its own mock cluster, Python 3.11; records that were
# stored after a later one of the same task and partition:
#   gather of 4000, three partitions, default                    1998
#   gather of 4000, three partitions, enable.idempotence         1998
#   gather of 4000, one partition                                   0
#   20 tasks, three partitions, batch_size=100            268 to 1073
#   20 tasks, three partitions, batch_size=1                        0
#   plain Producer, three partitions                                0
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check confluent-kafka==2.16.1

cat > "$folder/try.py" <<'PYTHON'
import asyncio
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition
from confluent_kafka.aio import AIOProducer

mock = Producer({"test.mock.num.brokers": 1, "log_level": 0})
broker = next(iter(mock.list_topics(timeout=10).brokers.values()))
CONF = {"bootstrap.servers": f"{broker.host}:{broker.port}", "log_level": 0}
RECORDS = 4000


async def write(topic: str, partitions: int, tasks: int, conf: dict, **arguments: int) -> None:
    """Each task numbers its records and awaits each produce() before the next."""
    producer = AIOProducer({**CONF, **conf}, **arguments)
    futures = []

    async def task(number: int) -> None:
        for place in range(RECORDS // tasks):
            value = f"{number} {place}".encode()
            futures.append(await producer.produce(topic, value, partition=place % partitions))
            await asyncio.sleep(0)

    await asyncio.gather(*map(task, range(tasks)))
    await producer.flush()
    await asyncio.gather(*futures)
    await producer.close()


async def gather(topic: str, partitions: int, conf: dict) -> None:
    producer = AIOProducer({**CONF, **conf})
    calls = (producer.produce(topic, f"0 {place}".encode(), partition=place % partitions) for place in range(RECORDS))
    futures = await asyncio.gather(*calls)
    await producer.flush()
    await asyncio.gather(*futures)
    await producer.close()


def write_plainly(topic: str, partitions: int) -> None:
    producer = Producer(CONF)
    for place in range(RECORDS):
        producer.produce(topic, f"0 {place}".encode(), partition=place % partitions)
    producer.flush()


def misplaced(topic: str, partitions: int) -> int:
    """Return how many records were stored after a later one of the same task and partition."""
    consumer = Consumer({**CONF, "group.id": topic})
    consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in range(partitions)])
    seen, wrong, last, end = 0, 0, {}, time.monotonic() + 20
    while seen < RECORDS and time.monotonic() < end:
        for message in consumer.consume(1000, 0.5):
            if message.error() is None:
                task, place = map(int, message.value().split())
                newest = last.setdefault((message.partition(), task), -1)
                wrong += place < newest
                last[message.partition(), task] = max(place, newest)
                seen += 1
    consumer.close()
    if seen < RECORDS:
        raise SystemExit(f"only {seen} of {RECORDS} records were read in time")
    return wrong


IDEMPOTENT = {"enable.idempotence": True}
for text, expected, run in (
    ("gather of 4000, three partitions, default", True, lambda topic: asyncio.run(gather(topic, 3, {}))),
    ("gather of 4000, three partitions, enable.idempotence", True, lambda topic: asyncio.run(gather(topic, 3, IDEMPOTENT))),
    ("gather of 4000, one partition", False, lambda topic: asyncio.run(gather(topic, 1, {}))),
    ("20 tasks, three partitions, batch_size=100", True, lambda topic: asyncio.run(write(topic, 3, 20, {}, batch_size=100))),
    ("20 tasks, three partitions, batch_size=1", False, lambda topic: asyncio.run(write(topic, 3, 20, {}, batch_size=1))),
    ("plain Producer, three partitions", False, lambda topic: write_plainly(topic, 3)),
):
    topic = text.replace(" ", "-").replace(",", "").replace("=", "-")
    run(topic)
    found = misplaced(topic, 1 if "one partition" in text else 3)
    print(f"{text:<56} {found:>8}", flush=True)
    if (found > 0) is not expected:
        raise SystemExit("changed: expected " + ("some" if expected else "none"))
PYTHON
timeout 180 "$folder/venv/bin/python" "$folder/try.py" 2> "$folder/log" || { tail -n 1 "$folder/log" >&2; exit 1; }
