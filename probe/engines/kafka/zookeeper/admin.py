"""Administration of brokers before 2.4 by ZooKeeper nodes, as by Kafka's own tools of that time."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from probe.engines.kafka.ports import Replicas
from probe.errors import EngineError
from probe.model.endpoint import Endpoint, as_text

Answer = TypeVar("Answer")
CONNECT_S = 10.0
DELETED_S, TURN_S, POLL_S = 30.0, 15.0, 0.1
TOPICS, DELETED, CONFIG = "/brokers/topics", "/admin/delete_topics", "/config"
REASSIGNED, ELECTED = "/admin/reassign_partitions", "/admin/preferred_replica_election"


class ZooKeeper:
    """Administration with one ZooKeeper session per call: calls are few, and the fault may hit the ensemble."""

    def __init__(self, addresses: Sequence[Endpoint]) -> None:
        self._addresses = as_text(addresses)

    async def controller(self) -> int:
        """Return the active controller; -1 if there is none."""

        def look(session: Any) -> int:
            if not session.exists("/controller"):
                return -1
            return int(json.loads(session.get("/controller")[0])["brokerid"])

        return await self._do(look)

    async def delete_controller(self) -> None:
        """Delete the node of the active controller, so that brokers elect one."""
        await self._do(lambda session: session.delete("/controller"))

    async def create_topics(self, topics: Mapping[str, Replicas], config: Mapping[str, str]) -> None:
        """Create topics with these replicas."""

        def create(session: Any) -> None:
            for topic, replicas in topics.items():
                session.ensure_path(f"{CONFIG}/topics/{topic}")
                session.set(f"{CONFIG}/topics/{topic}", _json(config=dict(config)))
                session.create(f"{TOPICS}/{topic}", _json(partitions=_by_text(replicas)))

        await self._do(create)

    async def delete_topics(self, topics: Sequence[str]) -> None:
        """Ask the controller to delete topics; return at once."""

        def delete(session: Any) -> None:
            for topic in topics:
                if session.exists(f"{TOPICS}/{topic}"):
                    session.ensure_path(f"{DELETED}/{topic}")

        await self._do(delete)

    async def until_deleted(self, topics: Sequence[str]) -> None:
        """Wait until the controller has deleted these topics: brokers stop listing them earlier. TimeoutError."""

        def wait(session: Any) -> None:
            paths = [f"{folder}/{topic}" for topic in topics for folder in (TOPICS, DELETED)]
            end = time.monotonic() + DELETED_S
            while any(map(session.exists, paths)):
                if time.monotonic() > end:
                    raise TimeoutError(f"topics are still being deleted after {DELETED_S:.0f} s")
                time.sleep(POLL_S)

        await self._do(wait)

    async def grow_topic(self, topic: str, replicas: Replicas) -> None:
        """Add partitions to a topic; `replicas` names all partitions."""
        await self._do(lambda session: session.set(f"{TOPICS}/{topic}", _json(partitions=_by_text(replicas))))

    async def configure_topic(self, topic: str, config: Mapping[str, str]) -> None:
        """Set a topic's configuration and notify the brokers."""
        await self._do(lambda session: _configure(session, f"topics/{topic}", config))

    async def configure_user(self, user: str, config: Mapping[str, str]) -> None:
        """Set a user's configuration, such as credentials of SCRAM, and notify the brokers (from 0.10.1 on)."""
        await self._do(lambda session: _configure(session, f"users/{user}", config))

    async def reassign(self, moves: Mapping[tuple[str, int], Sequence[int]]) -> None:
        """Start to move partitions to other replicas."""
        listed = [
            {"topic": topic, "partition": partition, "replicas": list(replicas)}
            for (topic, partition), replicas in moves.items()
        ]
        await self._do(lambda session: _create_in_turn(session, REASSIGNED, _json(partitions=listed)))

    async def elect_preferred(self, partitions: Sequence[tuple[str, int]]) -> None:
        """Elect the first replicas as leaders."""
        listed = [{"topic": topic, "partition": partition} for topic, partition in partitions]
        await self._do(lambda session: _create_in_turn(session, ELECTED, _json(partitions=listed)))

    async def _do(self, work: Callable[[Any], Answer]) -> Answer:
        return await asyncio.to_thread(self._with_session, work)

    def _with_session(self, work: Callable[[Any], Answer]) -> Answer:
        """Run `work` in a session of its own. EngineError if ZooKeeper does not answer or refuses."""
        try:
            kazoo = importlib.import_module("kazoo.client")  # needed for old brokers only
        except ImportError:
            raise EngineError("kazoo is not installed; run `python3 run.py setup`") from None
        logging.getLogger("kazoo").setLevel(logging.CRITICAL)
        session = kazoo.KazooClient(hosts=self._addresses, timeout=CONNECT_S)
        try:
            session.start(timeout=CONNECT_S)
            return work(session)
        except (kazoo.KazooException, session.handler.timeout_exception) as error:
            raise EngineError(f"ZooKeeper: {type(error).__name__} {error}".strip()) from None
        finally:
            session.stop()
            session.close()


def _configure(session: Any, entity: str, config: Mapping[str, str]) -> None:
    session.ensure_path(f"{CONFIG}/{entity}")
    session.set(f"{CONFIG}/{entity}", _json(config=dict(config)))
    session.ensure_path(f"{CONFIG}/changes")
    notice = json.dumps({"version": 2, "entity_path": entity}).encode()
    session.create(f"{CONFIG}/changes/config_change_", notice, sequence=True)


def _create_in_turn(session: Any, path: str, content: bytes) -> None:
    """Create a node after the controller has processed and deleted the previous one."""
    end = time.monotonic() + TURN_S
    while session.exists(path) and time.monotonic() < end:
        time.sleep(POLL_S)
    session.create(path, content)


def _by_text(replicas: Replicas) -> dict[str, list[int]]:
    return {str(partition): list(nodes) for partition, nodes in replicas.items()}


def _json(**content: object) -> bytes:
    return json.dumps({"version": 1, **content}).encode()
