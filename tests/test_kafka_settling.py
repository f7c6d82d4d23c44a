"""A real cluster as it began: internal partitions that went to other brokers come back to where no disk breaks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from probe.catalogue.brokers import real_brokers
from probe.cli.real import kafka_engine
from probe.engines.kafka import Kafka
from probe.engines.kafka_ports import OFFSETS_TOPIC
from probe.tools import ToolError

pytestmark = pytest.mark.real

LINE, NODE, PARTITION = "4.3", 1, 1
LOOKS, LOOK_S = 200, 0.1


def test_an_internal_partition_that_comes_back_lies_where_bystanders_do() -> None:
    try:
        engine = kafka_engine({LINE: real_brokers()[LINE].version}, lambda _: None)
    except ToolError as error:
        pytest.skip(str(error))
    assert asyncio.run(move_and_settle(engine)) == ["d1"]


async def move_and_settle(engine: Kafka) -> list[str]:
    """Return in which log dirs of the broker the partition lies after it was moved away and all was settled."""
    async with engine, engine.cohort(LINE, 1) as (seat,):
        cluster = seat._cluster
        log_dirs = cluster.brokers[NODE].log_dirs
        others = sorted(cluster.brokers.keys() - {NODE})
        await cluster.admin.reassign({(OFFSETS_TOPIC, PARTITION): others})
        await cluster.admin.settled({(OFFSETS_TOPIC, PARTITION): others})
        for _ in range(LOOKS):
            if not where(log_dirs):
                break
            await asyncio.sleep(LOOK_S)
        assert not where(log_dirs)
        await cluster.settle()
        found = where(log_dirs)
        seat.leave()
    return found


def where(log_dirs: Sequence[Path]) -> list[str]:
    return [log_dir.name for log_dir in log_dirs if (log_dir / f"{OFFSETS_TOPIC}-{PARTITION}").exists()]
