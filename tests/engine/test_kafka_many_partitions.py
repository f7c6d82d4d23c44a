"""A trial of cost on real brokers: many partitions of one topic, and requests that are counted for it alone."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from probe.engines.kafka.cluster.event_router import EventRouter
from probe.engines.kafka.cluster.nodes import NODES
from probe.engines.kafka.cohort.member import AFFECTED_DIR, BYSTANDERS_DIR, CohortMember
from probe.engines.kafka.cohort.topic_creator import WantedTopic
from probe.model import ClusterHistory, Subject
from probe.model.cluster_history import history_plan
from probe.model.placement import TopicPlan
from probe.scenarios.cluster_spec import ClusterSpec

SUBJECT = Subject(topic="probe-me", affected=0, bystander=3, instance="me", client_id="me", old=1)
PLAN = TopicPlan(feed_ms=0, bystander_ms=0, moving=3)


class Engine:
    """Cluster and cohort as a member needs them."""

    def __init__(self) -> None:
        self.wanted: list[WantedTopic] = []
        self.counts: dict[tuple[str, int, int], int] = {("me-0001", 1, 3): 5}
        self.cluster = SimpleNamespace(
            nodes=NODES, version="3.9.2", router=EventRouter(), spec=ClusterSpec(counts_requests=True), idle_since=None,
            history=SimpleNamespace(plan=history_plan("3.9.2"), of_keys=self.of_keys),
            request_counts=SimpleNamespace(so_far=self.so_far),
        )  # fmt: skip
        creator = SimpleNamespace(create=self.create, choose_dir=self.choose_dir)
        self.cohort: Any = SimpleNamespace(
            cluster=self.cluster, old=2, topic_creator=creator, leave_election=lambda _: None
        )

    async def create(self, wanted: WantedTopic) -> ClusterHistory:
        self.wanted.append(wanted)
        return ClusterHistory()

    async def choose_dir(self, *_: object) -> None:
        pass

    async def of_keys(self, _: Subject, made: ClusterHistory) -> ClusterHistory:
        return made

    async def so_far(self) -> dict[tuple[str, int, int], int]:
        return dict(self.counts)


def prepared(engine: Engine, subject: Subject = SUBJECT, plan: TopicPlan = PLAN) -> CohortMember:
    member = CohortMember(engine.cohort, 0)
    asyncio.run(member.prepare(subject, plan))
    return member


def test_all_partitions_lie_as_the_affected_one_does() -> None:
    engine = Engine()
    member = prepared(engine)
    (wanted,) = engine.wanted
    assert set(wanted.replicas) == {0, 1, 2, 3}
    assert {wanted.replicas[number] for number in (0, 1, 2)} == {(2, 1, 3)}
    assert wanted.places == {0: AFFECTED_DIR, 1: AFFECTED_DIR, 2: AFFECTED_DIR, 3: BYSTANDERS_DIR}
    assert wanted.elections[0] == wanted.elections[2] != wanted.elections[3]
    assert [one.affected for one in member.subjects] == [0, 1, 2]
    assert {one.old for one in member.subjects} == {2}


def test_a_usual_trial_has_one_subject() -> None:
    engine = Engine()
    member = prepared(engine, replace(SUBJECT, bystander=1), replace(PLAN, moving=1))
    assert list(member.subjects) == [member.subject]
    assert set(engine.wanted[0].replicas) == {0, 1}


def test_requests_of_an_earlier_trial_do_not_count() -> None:
    engine = Engine()
    member = prepared(engine)
    engine.counts |= {("me-0001", 1, 3): 7, ("me-0002", 2, 0): 1}
    assert asyncio.run(member.counted()) == {("me-0001", 1, 3): 2, ("me-0002", 2, 0): 1}


def test_the_fault_is_over_when_its_later_work_is_done() -> None:
    engine = Engine()
    member = prepared(engine)
    assert member.over_at(5) is None
    engine.cluster.idle_since = 9
    assert member.over_at(5) == 9
