"""A fault of a ZooKeeper ensemble: the leader closes the connection of a follower, which then rejoins."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from probe.engines.kafka.ports import FaultTarget
from probe.engines.kafka.zookeeper_ports import ZooKeeperStatus
from probe.errors import EngineError
from probe.model import EngineKind
from probe.scenarios.steps.real_brokers import DropFollower

REJOINS_S = 15.0
LOOK_S = 0.005
LEADER, FOLLOWER = "leader", "follower"


def roles(statuses: Mapping[int, ZooKeeperStatus]) -> tuple[int, int]:
    """Return the leader, and the follower with the most sessions. EngineError if one of them is missing."""
    leaders = [node for node, one in statuses.items() if one.mode == LEADER]
    followers = sorted(
        (node for node, one in statuses.items() if one.mode == FOLLOWER), key=lambda node: statuses[node].sessions
    )
    if len(leaders) != 1 or not followers:
        raise EngineError(f"an ensemble with a leader and followers was expected, not {_described(statuses)}")
    return leaders[0], followers[-1]


async def drop_follower(_: DropFollower, target: FaultTarget) -> None:
    """Close a follower's connection to its leader, and wait until it follows again. EngineError if it has none."""
    proxies, emit = target.cluster.quorum_proxies, target.cluster.emit
    leader, follower = roles(before := await proxies.statuses())
    before_it_left = proxies.passed[follower]
    emit(EngineKind.NOTE, text=f"before: {_described(before)}")
    begin = time.monotonic()
    if not proxies.close_connections(follower, leader):
        raise EngineError(f"zookeeper {follower} follows {leader} and has no connection to it")
    target.mark_fault_on()
    emit(EngineKind.NOTE, text=f"zookeeper {leader} leads; zookeeper {follower} lost its connection to it")
    async with asyncio.timeout(REJOINS_S):
        await _rejoined(target, follower, before_it_left)
    after_ms = round((time.monotonic() - begin) * 1000)
    emit(EngineKind.NOTE, text=f"zookeeper {follower} serves again after {after_ms} ms")
    emit(EngineKind.NOTE, text=f"after: {_described(await proxies.statuses())}")


async def _rejoined(target: FaultTarget, follower: int, before: int) -> None:
    """Wait until the follower has connected to a leader again and reports that it follows or leads."""
    proxies = target.cluster.quorum_proxies
    while True:
        if proxies.passed[follower] > before:
            status = (await proxies.statuses()).get(follower)
            if status is not None and status.mode:
                return
        await asyncio.sleep(LOOK_S)


def _described(statuses: Mapping[int, ZooKeeperStatus]) -> str:
    return ", ".join(
        f"zookeeper {node} {one.mode or 'serves nobody'} ({one.sessions})" for node, one in statuses.items()
    )
