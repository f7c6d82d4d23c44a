"""Administration of brokers of every release line, by requests or, where brokers do not know them, ZooKeeper nodes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from probe.engines.kafka.admin import requests as ask
from probe.engines.kafka.admin.quota_requests import alter_quotas
from probe.engines.kafka.admin.requests import BrokerError, Metadata, Partition
from probe.engines.kafka.admin.scram_users import ScramUser, alter_scram_user
from probe.engines.kafka.admin.wire import Line, line_to
from probe.engines.kafka.deadlines import IN_SYNC_S
from probe.engines.kafka.ports import BrokerProcess, Placement, Replicas
from probe.engines.kafka.zookeeper.admin import ZooKeeper
from probe.errors import EngineError
from probe.model.endpoint import Endpoint
from probe.model.release_lines import Since, has

Answer = TypeVar("Answer")
ASK_S = 45.0
"""Deadline of requests to the controller, which may be busy with many topics that lost replicas."""
LOOK_S = 5.0
"""Deadline of requests that a healthy broker answers at once."""
EXISTS_S = 3.0
POLL_S = 0.1
NOT_CONTROLLER = 41
CONTROLLERLESS = (7, 13, 14, NOT_CONTROLLER)
"""Error codes of a cluster without a controller at the moment."""


class KafkaAdmin:
    """Administration of a cluster; implements `probe.engines.kafka.ports.Admin`."""

    def __init__(self, version: str, brokers: Mapping[int, BrokerProcess], zookeeper: ZooKeeper | None) -> None:
        self._version, self._old = version, ask.is_old(version)
        self._brokers, self._zookeeper = brokers, zookeeper

    async def metadata(self, topics: Sequence[str] | None, *, at: int | None = None) -> Metadata:
        """Ask broker `at`, or any that runs, for Metadata (topics None = all). EngineError or OSError."""
        nodes = self._running() if at is None else [at]
        failure: OSError | EngineError = EngineError("no broker runs")
        for node in nodes:
            try:
                async with line_to(self._brokers[node].internal, LOOK_S) as line:
                    return await ask.metadata(line, topics, old=self._old)
            except (OSError, EngineError) as error:
                failure = error
        raise failure

    async def placements(self, topics: Sequence[str], *, at: int | None = None) -> Mapping[Partition, Placement]:
        """Return where the partitions of topics lie, as broker `at`, or any that runs, reports."""
        return (await self.metadata(topics, at=at)).placements

    async def brokers(self, *, at: int | None = None) -> Mapping[int, Endpoint]:
        """Return the brokers that Metadata lists."""
        return (await self.metadata(["none-of-this-name"], at=at)).brokers

    async def controller(self, *, at: int | None = None) -> int:
        """Return the active controller as broker `at`, or any that runs, reports it; -1 if it is not known."""
        if self._old:
            return await self._nodes().controller()
        return (await self.metadata(["none-of-this-name"], at=at)).controller

    async def resign_controller(self, deadline_s: float = IN_SYNC_S) -> int:
        """Let the brokers of a cluster with ZooKeeper elect a controller again, and return it. TimeoutError."""
        await self._nodes().delete_controller()
        end = time.monotonic() + deadline_s
        while (elected := await self._nodes().controller()) < 0:
            if time.monotonic() > end:
                raise TimeoutError(f"no controller was elected within {deadline_s:.0f} s")
            await asyncio.sleep(POLL_S)
        return elected

    async def coordinator(self, key_type: int, key: str, *, at: int) -> int:
        """Return the coordinator of a key as broker `at` reports; -1 if it does not know."""
        async with line_to(self._brokers[at].internal, LOOK_S) as line:
            return await ask.coordinator(line, key_type, key)

    async def create_topic(self, topic: str, replicas: Replicas, config: Mapping[str, str] | None = None) -> None:
        """Create a topic and wait until every running broker names its leaders and all replicas are in sync."""
        await self.create_topics({topic: replicas}, config)

    async def create_topics(self, topics: Mapping[str, Replicas], config: Mapping[str, str] | None = None) -> None:
        """Create topics and wait until every running broker names their leaders and all replicas are in sync."""
        wanted = {
            (topic, partition): nodes for topic, replicas in topics.items() for partition, nodes in replicas.items()
        }
        end = time.monotonic() + IN_SYNC_S
        while True:
            fresh = await self._create(topics, config or {})
            try:
                return await self.settled(wanted, deadline_s=IN_SYNC_S if fresh else EXISTS_S)
            except TimeoutError:  # an existing topic may be about to go: it was deleted a moment ago
                if fresh or time.monotonic() > end:
                    raise

    async def _create(self, topics: Mapping[str, Replicas], config: Mapping[str, str]) -> bool:
        """Create topics; return False if one of them exists already."""
        if not has(self._version, Since.CREATION):
            await self._nodes().create_topics(topics, config)
            return True
        version = 2 if has(self._version, Since.THROTTLED_CREATION) else 1
        return not await self._at_controller(lambda line: ask.create_topics(line, topics, config, version=version))

    async def settled(self, wanted: Mapping[Partition, Sequence[int]], *, deadline_s: float = IN_SYNC_S) -> None:
        """Wait until every running broker reports all these replicas in sync and the first one as leader."""
        topics = sorted({topic for topic, _ in wanted})
        end = time.monotonic() + deadline_s
        for node in self._running():
            while missing := await self._missing(wanted, topics, node):
                if time.monotonic() > end:
                    raise TimeoutError(f"broker {node} does not see {missing} in sync within {deadline_s:.0f} s")
                await asyncio.sleep(POLL_S)

    async def _missing(self, wanted: Mapping[Partition, Sequence[int]], topics: Sequence[str], node: int) -> str:
        try:
            return _missing(wanted, await self.placements(topics, at=node))
        except (OSError, EngineError) as error:  # 0.9 drops requests that arrive with one that it does not know
            return str(error)

    async def delete_topics(self, topics: Sequence[str]) -> None:
        """Delete topics and wait until no running broker knows them."""
        if not has(self._version, Since.CREATION):
            await self._nodes().delete_topics(topics)
        else:
            version = 1 if has(self._version, Since.THROTTLED_CREATION) else 0
            await self._at_controller(lambda line: ask.delete_topics(line, topics, version=version))
        end = time.monotonic() + IN_SYNC_S
        for node in self._running():
            while await self.placements(topics, at=node):
                if time.monotonic() > end:
                    raise TimeoutError(f"broker {node} still knows deleted topics after {IN_SYNC_S:.0f} s")
                await asyncio.sleep(POLL_S)
        if self._zookeeper is not None:
            await self._zookeeper.until_deleted(topics)

    async def grow_topic(self, topic: str, replicas: Replicas) -> None:
        """Add the partitions that are new in `replicas`, which names all partitions."""
        if not has(self._version, Since.GROWTH):
            await self._nodes().grow_topic(topic, replicas)
            return
        known = await self.placements([topic])
        added = [list(replicas[partition]) for partition in sorted(replicas) if (topic, partition) not in known]
        await self._at_controller(lambda line: ask.create_partitions(line, topic, added, len(replicas)))

    async def configure_topic(self, topic: str, config: Mapping[str, str]) -> None:
        """Set a topic's configuration; properties that are not named return to their defaults."""
        if not has(self._version, Since.THROTTLED_CREATION):
            await self._nodes().configure_topic(topic, config)
        else:
            await self._at_controller(lambda line: ask.alter_config(line, topic, config))

    async def set_quota(self, clients: Sequence[str], key: str, value: float | None) -> None:
        """Set a quota of client ids, or remove it (None). EngineError before 2.6, or if brokers refuse."""
        if not has(self._version, Since.QUOTAS):
            raise EngineError("brokers before 2.6 take no client quotas on request")
        await self._at_controller(lambda line: alter_quotas(line, clients, key, value))

    async def set_scram_users(self, users: Sequence[ScramUser]) -> None:
        """Set passwords of users of SCRAM. EngineError if brokers refuse."""
        for user in users:
            if self._zookeeper is not None:
                await self._zookeeper.configure_user(user.name, {str(user.mechanism): user.kept})
            else:
                await self._at_controller(partial(alter_scram_user, user=user))

    async def reassign(self, moves: Mapping[Partition, Sequence[int]]) -> None:
        """Start to move partitions to other replicas, preferred leader first. Return without waiting for the move."""
        if not has(self._version, Since.REASSIGNMENT):
            await self._nodes().reassign(moves)
        else:
            await self._at_controller(lambda line: ask.reassign(line, moves))

    async def misplaced(self, wanted: Mapping[Partition, Sequence[int]]) -> dict[Partition, Sequence[int]]:
        """Return the partitions of `wanted` that have other replicas, or the same ones in another order."""
        seen = await self.placements(sorted({topic for topic, _ in wanted}))
        order = tuple if has(self._version, Since.PREFERENCE) else sorted
        return {key: to for key, to in wanted.items() if key not in seen or order(seen[key].replicas) != order(to)}

    async def placed(self, wanted: Mapping[Partition, Sequence[int]]) -> None:
        """Wait until a broker reports these replicas. TimeoutError."""
        end = time.monotonic() + IN_SYNC_S
        while missing := await self.misplaced(wanted):
            if time.monotonic() > end:
                topic, partition = next(iter(missing))
                raise TimeoutError(f"{topic}-{partition} was not reassigned within {IN_SYNC_S:.0f} s")
            await asyncio.sleep(POLL_S)

    async def elect_preferred(self, partitions: Sequence[Partition]) -> None:
        """Elect the first replica of each partition as its leader, if it is in sync."""
        if not has(self._version, Since.ELECTIONS):
            await self._nodes().elect_preferred(partitions)
        else:
            await self._elect(partitions, ask.PREFERRED)

    async def elect_unclean(self, partitions: Sequence[Partition]) -> None:
        """Elect a leader that is not in sync. EngineError before 2.4."""
        if not has(self._version, Since.UNCLEAN_ELECTIONS):
            raise EngineError("brokers before 2.4 know no unclean election on request")
        await self._elect(partitions, ask.UNCLEAN)

    async def prefer_log_dir(self, node: int, log_dir: str, partitions: Sequence[Partition]) -> bool:
        """Choose the log dir of replicas that a broker does not have yet; return False if it does not support that."""
        if not has(self._version, Since.CHOSEN_LOG_DIRS):
            return False
        async with line_to(self._brokers[node].internal, ASK_S) as line:
            version = 1 if has(self._version, Since.LOG_DIRS_QUICKLY) else 0
            await ask.prefer_log_dir(line, log_dir, partitions, version=version)
        return True

    async def _elect(self, partitions: Sequence[Partition], kind: int) -> None:
        version = 1 if has(self._version, Since.UNCLEAN_ELECTIONS) else 0
        await self._at_controller(lambda line: ask.elect(line, partitions, kind, version=version))

    async def _at_controller(self, question: Callable[[Line], Awaitable[Answer]]) -> Answer:
        """Ask the active controller. Retry while the cluster reports that there is none."""
        end = time.monotonic() + ASK_S
        while True:
            named, running = await self.controller(), self._running()
            node = named if named in running else running[0]
            try:
                async with line_to(self._brokers[node].internal, ASK_S) as line:
                    return await question(line)
            except BrokerError as error:
                if error.code not in CONTROLLERLESS or time.monotonic() > end:
                    raise
            await asyncio.sleep(POLL_S)

    def _running(self) -> list[int]:
        nodes = [node for node, broker in self._brokers.items() if broker.pid is not None and not broker.paused]
        if not nodes:
            raise EngineError("no broker runs")
        return nodes

    def _nodes(self) -> ZooKeeper:
        if self._zookeeper is None:
            raise EngineError("this cluster has no ZooKeeper")
        return self._zookeeper


def _missing(wanted: Mapping[Partition, Sequence[int]], seen: Mapping[Partition, Placement]) -> str:
    for key, replicas in wanted.items():
        found = seen.get(key)
        if found is None or found.leader != replicas[0] or set(found.in_sync) != set(replicas):
            return f"{key[0]}-{key[1]} ({found})"
    return ""
