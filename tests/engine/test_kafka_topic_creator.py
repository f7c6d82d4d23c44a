"""The topic creator: topics of a cohort are created in batches, each in its log dir, and a batch fails as a whole."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from probe.engines.kafka.cohort import topic_creator
from probe.engines.kafka.cohort.topic_creator import Aging, TopicCreator, WantedTopic, no_history
from probe.errors import EngineError
from probe.model import ClusterHistory
from probe.model.cluster import Nodes

REPLICAS = {0: [1, 2, 3], 1: [2, 3]}
PLACES = {0: 0, 1: 1}


class Admin:
    """An admin client that creates folders as brokers do and records its requests."""

    def __init__(self, brokers: Mapping[int, Any], *, fails: int = 0, slow: bool = False) -> None:
        self.brokers, self.fails, self.slow = brokers, fails, slow
        self.asked: list[tuple[str, int]] = []
        self.preferred: dict[tuple[int, str, int], str] = {}

    async def prefer_log_dir(self, node: int, log_dir: str, partitions: Sequence[tuple[str, int]]) -> bool:
        self.asked.append(("prefer", len(partitions)))
        self.preferred |= {(node, *partition): log_dir for partition in partitions}
        return True

    async def create_topics(self, topics: Mapping[str, Mapping[int, Sequence[int]]]) -> None:
        self.asked.append(("create", len(topics)))
        if self.fails:
            self.fails -= 1
            raise EngineError("the controller refuses")
        for topic, replicas in topics.items():
            assert len({len(nodes) for nodes in replicas.values()}) == 1  # brokers reject different replication factors
            for partition, nodes in replicas.items():
                for node in nodes:
                    log_dir = self.preferred.get((node, topic, partition), self.brokers[node].log_dirs[0])
                    if not self.slow:
                        (Path(log_dir) / f"{topic}-{partition}").mkdir(parents=True)

    async def reassign(self, moves: Mapping[tuple[str, int], Sequence[int]]) -> None:
        self.asked.append(("reassign", len(moves)))

    async def settled(self, wanted: Mapping[tuple[str, int], Sequence[int]]) -> None:
        self.asked.append(("settled", len(wanted)))

    async def placed(self, wanted: Mapping[tuple[str, int], Sequence[int]]) -> None:
        self.asked.append(("placed", len(wanted)))


def maker(folder: Path, version: str = "3.9.2", *, age: Aging = no_history, **more: Any) -> tuple[TopicCreator, Admin]:
    brokers = {node: SimpleNamespace(log_dirs=[folder / f"{node}-{n}" for n in "ab"]) for node in (1, 2, 3)}
    admin = Admin(brokers, **more)
    cluster: Any = SimpleNamespace(admin=admin, brokers=brokers, version=version, nodes=Nodes(tuple(brokers)))
    return TopicCreator(cluster, age), admin


async def make(one: TopicCreator, count: int) -> list[BaseException | None]:
    """Create topics, and return why each could not be created."""
    asked = (one.create(WantedTopic(f"t{number}", REPLICAS, PLACES)) for number in range(count))
    found = await asyncio.gather(*asked, return_exceptions=True)
    return [one if isinstance(one, BaseException) else None for one in found]


def test_concurrent_topics_are_created_in_one_batch(tmp_path: Path) -> None:
    one, admin = maker(tmp_path)
    assert asyncio.run(make(one, 20)) == [None] * 20
    # five replicas per topic: the affected partition on three brokers, the bystander on two
    assert admin.asked == [("prefer", 20)] * 5 + [("create", 20), ("reassign", 20), ("settled", 20)]
    assert (tmp_path / "2-a" / "t7-0").is_dir()
    assert (tmp_path / "2-b" / "t7-1").is_dir()


def test_topics_of_applications_get_their_log_dir_before_they_exist(tmp_path: Path) -> None:
    one, admin = maker(tmp_path)
    asyncio.run(one.choose_dir(["g-changelog"], [0, 1], 1))
    asyncio.run(admin.create_topics({"g-changelog": {0: [1, 2, 3], 1: [2, 3, 1]}}))
    folders = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.glob("*/g-changelog-*"))
    assert folders == [f"{node}-b/g-changelog-{partition}" for node in (1, 2, 3) for partition in (0, 1)]


def test_applications_without_topics_cause_no_request(tmp_path: Path) -> None:
    one, admin = maker(tmp_path)
    asyncio.run(one.choose_dir([], [0, 1], 1))
    assert not admin.asked


def test_old_brokers_get_no_log_dir_request(tmp_path: Path) -> None:
    one, admin = maker(tmp_path, "1.0.0")
    assert asyncio.run(make(one, 2)) == [None, None]
    assert admin.asked == [("create", 2), ("reassign", 2), ("settled", 2)]


def test_a_failure_fails_one_batch_only(tmp_path: Path) -> None:
    one, _ = maker(tmp_path, fails=1)

    async def play() -> tuple[list[BaseException | None], list[BaseException | None]]:
        return await make(one, 3), await make(one, 3)

    first, second = asyncio.run(play())
    assert [str(error) for error in first] == ["the controller refuses"] * 3
    assert second == [None] * 3


def test_a_missing_partition_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topic_creator, "MADE_S", 0.2)
    one, _ = maker(tmp_path, slow=True)
    (error,) = asyncio.run(make(one, 1))
    assert str(error) == "broker 1 did not make t0-0 in 1-a"


def test_a_waiting_caller_gets_an_error_at_the_end(tmp_path: Path) -> None:
    one, _ = maker(tmp_path)

    async def play() -> object:
        waiting = asyncio.create_task(one.create(WantedTopic("t", REPLICAS, PLACES)))
        await asyncio.sleep(0)
        await one.close()
        (error,) = await asyncio.gather(waiting, return_exceptions=True)
        return error

    assert str(asyncio.run(play())) == "the cohort was given up"


def test_topics_of_a_batch_get_their_histories_together(tmp_path: Path) -> None:
    asked: list[tuple[int, Mapping[int, int]]] = []

    async def age(
        topics: Mapping[str, Mapping[int, Sequence[int]]], elections: Mapping[int, int]
    ) -> Mapping[str, ClusterHistory]:
        asked.append((len(topics), elections))
        return {topic: ClusterHistory(producer_ids=int(topic[1:])) for topic in topics}

    one, _ = maker(tmp_path, age=age)

    async def go() -> list[ClusterHistory]:
        wanted = (WantedTopic(f"t{number}", REPLICAS, PLACES, {0: 8, 1: 4}) for number in range(5))
        return list(await asyncio.gather(*map(one.create, wanted)))

    assert [found.producer_ids for found in asyncio.run(go())] == [0, 1, 2, 3, 4]
    assert asked == [(5, {0: 8, 1: 4})]


def test_replicas_are_left_in_the_order_of_the_harmless_election_once_they_have_their_history(tmp_path: Path) -> None:
    async def age(
        topics: Mapping[str, Mapping[int, Sequence[int]]], _: Mapping[int, int]
    ) -> Mapping[str, ClusterHistory]:
        admin.asked.append(("history", len(topics)))
        return dict.fromkeys(topics, ClusterHistory())

    one, admin = maker(tmp_path, age=age)
    replicas = {0: [3, 1, 2], 1: [1, 2, 3]}
    asyncio.run(one.create(WantedTopic("t", replicas, PLACES, {0: 8, 1: 4}, {0: [1, 2, 3]})))
    assert admin.asked[-3:] == [("history", 1), ("reassign", 1), ("placed", 1)]
