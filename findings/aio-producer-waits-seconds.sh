#!/usr/bin/env bash
# confluent-kafka 2.16.1: awaiting a record of AIOProducer takes 1 to 2 s by default, also with batch_size=1.
#
# AIOProducer keeps records in a buffer of its own and looks at it by a timer of `buffer_timeout` (1 s); the result of a
# record is then awaited in a second round. `batch_size=1` ends the wait in the buffer, not the second round. A handler
# that awaits each record is thereby limited to one record per second or two; a small `buffer_timeout` helps.
# The plain Producer of the same package delivers the same record in some 20 ms.
#
# Seen 2026-11-27 with confluent-kafka 2.16.1 (librdkafka 2.16.0) on its own mock cluster, Python 3.11, seconds for each
# of five records:
#   default                                  2.04 2.01 2.03 1.03 2.01
#   batch_size=1                             1.01 1.01 1.01 1.02 1.01
#   buffer_timeout=0.01, batch_size=1        0.11 0.11 0.11 0.10 0.10
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check confluent-kafka==2.16.1

cat > "$folder/try.py" <<'PYTHON'
import asyncio
import statistics
import time

from confluent_kafka import Producer
from confluent_kafka.aio import AIOProducer

mock = Producer({"test.mock.num.brokers": 1, "log_level": 0})
broker = next(iter(mock.list_topics(timeout=10).brokers.values()))


async def seconds(**settings: float) -> list[float]:
    producer = AIOProducer({"bootstrap.servers": f"{broker.host}:{broker.port}", "log_level": 0}, **settings)
    taken = []
    for _ in range(5):
        began = time.monotonic()
        await (await producer.produce("topic", b"value"))
        taken.append(time.monotonic() - began)
    await producer.close()
    return taken


async def main() -> None:
    for settings, least, most in (
        ({}, 0.9, 3.0),
        ({"batch_size": 1}, 0.9, 1.9),
        ({"buffer_timeout": 0.01, "batch_size": 1}, 0.0, 0.6),
    ):
        taken = await seconds(**settings)
        name = ", ".join(f"{key}={value}" for key, value in settings.items()) or "default"
        print(f"{name:<40} {' '.join(f'{one:.2f}' for one in taken)}", flush=True)
        if not least <= statistics.median(taken) <= most:
            raise SystemExit(f"changed: expected a median of {least} to {most} s")


asyncio.run(main())
PYTHON
timeout 120 "$folder/venv/bin/python" "$folder/try.py" 2> "$folder/log" || { tail -n 1 "$folder/log" >&2; exit 1; }
