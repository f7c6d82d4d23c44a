"""A ZooKeeper ensemble whose leader closes the connection of a follower, which follows again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from probe.engines.kafka.ports import Scene
from probe.engines.kafka.zookeeper.ports import ZooKeeperSays
from probe.errors import EngineError
from probe.model import EngineKind
from probe.scenarios.steps.real import DropFollower

REJOINS_S = 15.0
LOOK_S = 0.005
LEADER, FOLLOWER = "leader", "follower"


def roles(said: Mapping[int, ZooKeeperSays]) -> tuple[int, int]:
    """Return the leader, and the follower that serves most sessions. EngineError if there are no such two."""
    leaders = [node for node, one in said.items() if one.mode == LEADER]
    followers = sorted(
        (node for node, one in said.items() if one.mode == FOLLOWER), key=lambda node: said[node].sessions
    )
    if len(leaders) != 1 or not followers:
        raise EngineError(f"an ensemble with a leader and followers was expected, not {_told(said)}")
    return leaders[0], followers[-1]


async def drop_follower(_: DropFollower, scene: Scene) -> None:
    """Close a follower's connection to its leader, and wait until it follows again. EngineError if it was not hit."""
    doors, tell = scene.cluster.doors, scene.cluster.tell
    leader, follower = roles(before := await doors.served())
    before_it_left = doors.passed[follower]
    tell(EngineKind.NOTE, text=f"before: {_told(before)}")
    begin = time.monotonic()
    if not doors.slam(follower, leader):
        raise EngineError(f"zookeeper {follower} follows {leader} and has no connection to it")
    scene.strike()
    tell(EngineKind.NOTE, text=f"zookeeper {leader} leads; zookeeper {follower} lost its connection to it")
    async with asyncio.timeout(REJOINS_S):
        await _rejoined(scene, follower, before_it_left)
    after_ms = round((time.monotonic() - begin) * 1000)
    tell(EngineKind.NOTE, text=f"zookeeper {follower} serves again after {after_ms} ms")
    tell(EngineKind.NOTE, text=f"after: {_told(await doors.served())}")


async def _rejoined(scene: Scene, follower: int, before: int) -> None:
    """Return when it was let in by a leader again, and says itself that it follows (or leads)."""
    doors = scene.cluster.doors
    while True:
        if doors.passed[follower] > before:
            said = (await doors.served()).get(follower)
            if said is not None and said.mode:
                return
        await asyncio.sleep(LOOK_S)


def _told(said: Mapping[int, ZooKeeperSays]) -> str:
    return ", ".join(f"zookeeper {node} {one.mode or 'serves nobody'} ({one.sessions})" for node, one in said.items())
