"""Deadlines of real brokers: a machine that is far too busy for its cores loses no trial, and a hang has a name."""

from __future__ import annotations

import asyncio
import time
from unittest import mock

import pytest

from probe.engines.kafka.admin.admin import KafkaAdmin
from probe.engines.kafka.cluster.cluster import KafkaCluster
from tests.support import virtual_time

SLOW_S = 110.0
"""More than the 30 s that were not enough on two cores with fifty times as much to do."""


def test_replicas_may_take_minutes_to_be_in_sync() -> None:
    async def go() -> None:
        began = time.monotonic()

        async def missing(*_: object) -> str:
            return "t-0" if time.monotonic() < began + SLOW_S else ""

        admin = KafkaAdmin("3.9.2", {}, None)
        with mock.patch.multiple(admin, _missing=missing, _running=lambda: [1]):
            await admin.settled({("t", 0): [1]})

    virtual_time.run(go())


def test_a_cluster_that_does_not_get_its_topics_says_so() -> None:
    async def go() -> None:
        cluster = KafkaCluster.__new__(KafkaCluster)
        with (
            mock.patch.multiple(cluster, _serve=mock.AsyncMock(), _make_internal_topics=asyncio.Event().wait),
            pytest.raises(TimeoutError, match="internal topics and a history were not made"),
        ):
            await cluster.start()

    virtual_time.run(go())
