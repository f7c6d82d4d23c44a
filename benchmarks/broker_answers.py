"""Answers of real brokers to every version of every API that they advertise, for the test of the fake cluster.

    python benchmarks/broker_answers.py 2.6 3.9 4.4

Each line's cluster is started by the project's own engine and asked by `go_shim/cmd/api-survey`. The
answers are written to `go_shim/cmd/fake-cluster/testdata/answers-LINE.json`; brokers answer some empty requests of each
other by closing the connection, too.

`versions-3.json` and `versions-4.json` beside the answers are the version ranges of Kafka's message definitions, as the
embedded engine writes them into `versions/` of the cache.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from probe.catalogue.brokers import real_brokers
from probe.cli.wiring.composition import Relays
from probe.cli.wiring.kafka_engine import kafka_engine
from probe.engines.kafka.cluster.cluster import running
from probe.engines.kafka.disks.choice import choose
from probe.protocol.schemas import Schemas
from probe.toolchain.maven_jars import schema_jars
from probe.toolchain.tools import cache_root

SHIM = Path(__file__).resolve().parents[1] / "go_shim"
DATA = SHIM / "cmd" / "fake-cluster" / "testdata"
BROKER = 2


async def record(line: str) -> None:
    """Start a cluster of a release line, survey one of its brokers, and write what it did."""
    engine = kafka_engine({line: real_brokers()[line].version}, print)
    opening = Relays(schemas=Schemas(schema_jars(cache_root())))
    async with running(engine.releases[line], opening, choose("")) as cluster:
        address = str(cluster.relay.address(BROKER))
        asked = ["go", "run", "./cmd/api-survey", address]
        found = await asyncio.to_thread(subprocess.run, asked, cwd=SHIM, check=True, capture_output=True)
    DATA.mkdir(exist_ok=True)
    (DATA / f"answers-{line}.json").write_bytes(found.stdout)
    sys.stdout.write(f"{line}: {len(found.stdout.splitlines())} lines\n")


if __name__ == "__main__":
    for line in sys.argv[1:]:
        asyncio.run(record(line))
