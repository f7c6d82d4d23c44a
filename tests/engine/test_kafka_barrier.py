"""The barrier of a cohort: one action for all members that arrived, and no wait for members that left."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from probe.engines.kafka.cohort import cohort as module
from probe.engines.kafka.cohort.barrier import SOON, Barrier
from probe.engines.kafka.cohort.cohort import Cohort
from probe.engines.kafka.cohort.member import CohortMember
from probe.engines.kafka.cohort.topic_creator import no_history
from probe.errors import CrowdedError, StragglerError
from probe.model import Subject
from probe.model.clock import now_us
from tests.support import virtual_time

ALL = ("a", "b", "c")
SUBJECT = Subject(topic="t", affected=0, bystander=1, instance="me", client_id="me")


class RecordingAction:
    def __init__(self) -> None:
        self.done: list[set[str]] = []

    async def __call__(self, who: Collection[str]) -> None:
        self.done.append(set(who))


def test_the_action_runs_once_when_all_members_wait() -> None:
    async def go() -> None:
        barrier, action = Barrier(ALL), RecordingAction()
        first = [asyncio.create_task(barrier.wait(one, action)) for one in "ab"]
        await asyncio.sleep(0.02)
        assert action.done == []
        await asyncio.gather(*first, barrier.wait("c", action))
        assert action.done == [set("abc")]

    virtual_time.run(go())


def test_the_barrier_does_not_wait_for_members_that_left() -> None:
    async def go() -> None:
        barrier, action = Barrier(ALL), RecordingAction()
        first = [asyncio.create_task(barrier.wait(one, action)) for one in "ab"]
        await asyncio.sleep(0)
        barrier.leave("c")
        await asyncio.wait_for(asyncio.gather(*first), 1)
        assert action.done == [set("ab")]

    virtual_time.run(go())


def test_a_straggler_gets_an_error() -> None:
    async def go() -> None:
        barrier, action = Barrier(ALL), RecordingAction()
        await asyncio.wait_for(asyncio.gather(*(barrier.wait(one, action, patience_s=0.05) for one in "ab")), 1)
        assert action.done == [set("ab")]
        with pytest.raises(StragglerError):
            await barrier.wait("c", action)

    virtual_time.run(go())


def test_the_wait_is_short_once_most_members_arrived() -> None:
    async def go() -> None:
        many = [str(number) for number in range(20)]
        barrier, action = Barrier(many), RecordingAction()
        came = [asyncio.create_task(barrier.wait(one, action, patience_s=60 / SOON)) for one in many[:10]]
        await asyncio.sleep(0.02)
        assert action.done == []
        came += [asyncio.create_task(barrier.wait(one, action, patience_s=0.05 / SOON)) for one in many[10:19]]
        await asyncio.wait_for(asyncio.gather(*came), 5)
        assert action.done == [set(many[:19])]

    virtual_time.run(go())


def test_an_error_of_the_action_reaches_all_members() -> None:
    async def fail(_: Collection[str]) -> None:
        raise OSError("the action failed")

    async def go() -> None:
        barrier = Barrier(ALL)
        found = await asyncio.gather(*(barrier.wait(one, fail) for one in ALL), return_exceptions=True)
        assert [str(error) for error in found] == ["the action failed"] * 3

    virtual_time.run(go())


def test_a_barrier_can_be_used_again() -> None:
    async def go() -> None:
        barrier, action = Barrier(ALL), RecordingAction()
        await asyncio.gather(*(barrier.wait(one, action) for one in ALL))
        barrier.leave("a")
        await asyncio.gather(*(barrier.wait(one, action) for one in "bc"))
        assert action.done == [set("abc"), set("bc")]

    virtual_time.run(go())


def test_a_cancelled_member_has_left() -> None:
    async def go() -> None:
        barrier, action = Barrier(ALL), RecordingAction()
        waiting = [asyncio.create_task(barrier.wait(one, action)) for one in ALL[:2]]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.gather(waiting[0], return_exceptions=True)
        await asyncio.wait_for(asyncio.gather(waiting[1], barrier.wait("c", action)), 1)
        assert action.done == [set("bc")]

    virtual_time.run(go())


def test_a_cohort_injects_its_fault_without_stragglers(monkeypatch: pytest.MonkeyPatch) -> None:
    class RecordingCohort(Cohort):
        async def _inject(self, members: Collection[CohortMember]) -> None:
            injected.append(set(members))

    async def go() -> None:
        cluster: Any = SimpleNamespace(brokers={}, version="3.9.2", history=SimpleNamespace(of_topics=no_history))
        cohort = RecordingCohort(cluster, 3, 1, {})
        first, second, late = cohort.members
        await asyncio.wait_for(asyncio.gather(cohort.await_cohort(first), cohort.await_cohort(second)), 5)
        await asyncio.wait_for(asyncio.gather(*(cohort.inject(one, (), 0) for one in (first, second))), 5)
        assert injected == [{first, second}]
        with pytest.raises(StragglerError):
            await cohort.await_cohort(late)

    injected: list[set[CohortMember]] = []
    monkeypatch.setattr(module, "STRAGGLERS_S", 0.05)
    virtual_time.run(go())


def test_an_error_before_the_fault_reaches_all_members_instead_of_the_fault() -> None:
    def too_many() -> None:
        raise CrowdedError("writes took 60 ms")

    async def go() -> None:
        cluster: Any = SimpleNamespace(brokers={}, version="3.9.2", history=SimpleNamespace(of_topics=no_history))
        cohort = Cohort(cluster, 2, 1, {}, too_many)
        found = await asyncio.wait_for(
            asyncio.gather(*(cohort.inject(one, (), 0) for one in cohort.members), return_exceptions=True), 5
        )
        assert [type(error) for error in found] == [CrowdedError] * 2
        await cohort.revert(cohort.members[0])  # there is nothing to revert, and nobody to wait for

    virtual_time.run(go())


def test_a_cohort_elects_once_for_the_members_that_have_an_election() -> None:
    class Admin:
        async def elect_preferred(self, partitions: Sequence[tuple[str, int]]) -> None:
            asked.append(("elect", sorted(partitions)))

        async def settled(self, wanted: Mapping[tuple[str, int], Sequence[int]]) -> None:
            asked.append(("settled", dict(wanted)))

    async def go() -> None:
        history_maker = SimpleNamespace(of_topics=no_history)
        cluster: Any = SimpleNamespace(brokers={}, version="3.9.2", history=history_maker, admin=Admin())
        cohort = Cohort(cluster, 3, 1, {})
        for number, member in enumerate(cohort.members):
            member.topic, member._subject, member._order = f"t{number}", replace(SUBJECT, topic=f"t{number}"), (1, 2, 3)
        first, second, young = cohort.members
        cohort.leave_election(young)
        early = asyncio.create_task(first.elect())
        await asyncio.sleep(0.02)
        ready = now_us()
        later = await asyncio.wait_for(asyncio.gather(early, second.elect()), 5)
        assert [one.leader for one in later] == [1, 1]
        assert all(one.began >= ready for one in later)

    asked: list[Any] = []
    virtual_time.run(go())
    wanted = {("t0", 0): (1, 2, 3), ("t1", 0): (1, 2, 3)}
    assert asked == [("elect", sorted(wanted)), ("settled", wanted)]
