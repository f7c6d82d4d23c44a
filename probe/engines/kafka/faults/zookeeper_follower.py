"""A ZooKeeper ensemble whose leader closes the connection of a follower, which follows again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from probe.engines.kafka.ports import FaultTarget
from probe.engines.kafka.zookeeper.ports import ZooKeeperStatus
from probe.errors import EngineError
from probe.model import EngineKind
from probe.scenarios.steps.real import DropFollower

REJOINS_S = 15.0
LOOK_S = 0.005
LEADER, FOLLOWER = "leader", "follower"


def roles(said: Mapping[int, ZooKeeperStatus]) -> tuple[int, int]:
    """Return the leader, and the follower that serves most sessions. EngineError if there are no such two."""
    leaders = [node for node, one in said.items() if one.mode == LEADER]
    followers = sorted(
        (node for node, one in said.items() if one.mode == FOLLOWER), key=lambda node: said[node].sessions
    )
    if len(leaders) != 1 or not followers:
        raise EngineError(f"an ensemble with a leader and followers was expected, not {_told(said)}")
    return leaders[0], followers[-1]


async def drop_follower(_: DropFollower, target: FaultTarget) -> None:
    """Close a follower's connection to its leader, and wait until it follows again. EngineError if it was not hit."""
    doors, tell = target.cluster.quorum_proxies, target.cluster.emit
    leader, follower = roles(before := await doors.statuses())
    before_it_left = doors.passed[follower]
    tell(EngineKind.NOTE, text=f"before: {_told(before)}")
    begin = time.monotonic()
    if not doors.close_connections(follower, leader):
        raise EngineError(f"zookeeper {follower} follows {leader} and has no connection to it")
    target.mark_fault_on()
    tell(EngineKind.NOTE, text=f"zookeeper {leader} leads; zookeeper {follower} lost its connection to it")
    async with asyncio.timeout(REJOINS_S):
        await _rejoined(target, follower, before_it_left)
    after_ms = round((time.monotonic() - begin) * 1000)
    tell(EngineKind.NOTE, text=f"zookeeper {follower} serves again after {after_ms} ms")
    tell(EngineKind.NOTE, text=f"after: {_told(await doors.statuses())}")


async def _rejoined(target: FaultTarget, follower: int, before: int) -> None:
    """Return when it was let in by a leader again, and says itself that it follows (or leads)."""
    doors = target.cluster.quorum_proxies
    while True:
        if doors.passed[follower] > before:
            said = (await doors.statuses()).get(follower)
            if said is not None and said.mode:
                return
        await asyncio.sleep(LOOK_S)


def _told(said: Mapping[int, ZooKeeperStatus]) -> str:
    return ", ".join(f"zookeeper {node} {one.mode or 'serves nobody'} ({one.sessions})" for node, one in said.items())
