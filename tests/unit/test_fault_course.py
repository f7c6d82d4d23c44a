"""The planned course of a fault in a trial of cost, and what works before its end."""

from __future__ import annotations

import pytest

from probe.catalogue.scenarios import select_scenarios
from probe.cli.wiring.cost_sweep import SCENARIOS
from probe.engines.embedded.many_partitions import widened
from probe.engines.embedded.topic_rules import fault_rules
from probe.model import EngineEvent, EngineKind, Subject
from probe.protocol.apis import METADATA
from probe.runner.cost.fault_course import FaultCourse
from probe.runner.cost.tally import Tally
from probe.site.pages import costs
from tests.support.real_cells import planned
from tests.unit.test_cost_tally import acked, asks, moved, started

LARGE = Subject(topic="t", affected=0, bystander=3, instance="me", client_id="me", old=2)


@pytest.mark.parametrize(
    ("scenario", "course"),
    [
        ("disk/storage-error", FaultCourse()),
        ("leader/elected", FaultCourse()),
        ("broker/kill", FaultCourse(over_ms=9000)),
        ("broker/rolling", FaultCourse(over_ms=13_150)),
        ("cluster/restart", FaultCourse(heals_ms=4000, over_ms=4000)),
        ("metadata/leaderless", FaultCourse(heals_ms=4000, over_ms=4000)),
        ("net/blackhole", FaultCourse(over_ms=9000, is_unread=True)),
    ],
)
def test_a_fault_is_over_with_its_last_planned_change(scenario: str, course: FaultCourse) -> None:
    assert FaultCourse.of(planned("franz-go@1.22.3", scenario)) == course


def test_scenarios_of_a_sweep_exist_and_the_page_knows_them() -> None:
    assert [one.name for name in SCENARIOS for one in select_scenarios([name])] == list(SCENARIOS)
    assert set(costs.SCENARIOS) == set(SCENARIOS)


@pytest.mark.parametrize("scenario", ["cluster/restart", "metadata/leaderless"])
def test_all_partitions_lose_their_leader(scenario: str) -> None:
    steps = planned("franz-go@1.22.3", scenario).variant.steps
    changes = [one.change for one in widened(fault_rules(steps, LARGE, 0), LARGE, (0, 1, 2)).changes]
    lost = [one.move_leader for one in changes if one.WhichOneof("change") == "move_leader"]
    assert {number for one in lost for number in (one.partition, *one.also)} >= {0, 1, 2}
    assert {one.to for one in lost} == {-1}


def test_what_works_before_the_last_change_counts_only_when_it_works_after_it() -> None:
    tally = Tally()
    one = started(tally, "a", 1)
    tally.fault_at = 1000
    tally.begin(FaultCourse(over_ms=9), 1)
    tally.add(moved(0, 1500))
    one.add(acked("a", 0, 2000))
    assert tally.works_at(one, 0) is None
    one.add(acked("a", 0, 10_000))
    assert tally.works_at(one, 0) == 10_000


def test_nothing_works_for_good_while_a_change_is_to_come() -> None:
    tally = Tally()
    one = started(tally, "a", 1)
    tally.fault_at = 1000
    tally.begin(FaultCourse(), 1)
    tally.add(moved(0, 1500))
    one.add(acked("a", 0, 2000))
    tally.over_at = None
    assert tally.works_at(one, 0) is None
    tally.over_at = 0
    assert tally.works_at(one, 0) == 2000


def test_the_former_leader_may_lead_again_where_a_fault_heals() -> None:
    tally = Tally()
    one = started(tally, "a", 1)
    tally.fault_at = 1000
    tally.begin(FaultCourse(heals_ms=1), 1)
    one.add(acked("a", 0, 2000))
    assert tally.works_at(one, 0) is None
    tally.add(EngineEvent(at=2500, kind=EngineKind.HEALED))
    one.add(acked("a", 0, 3000))
    assert tally.works_at(one, 0) == 3000
    tally.add(EngineEvent(at=2800, kind=EngineKind.RETURNED))
    tally.add(EngineEvent(at=9000, kind=EngineKind.HEALED))
    assert tally.works_at(one, 0) == 3000, "in sync is later than back"


def test_a_silent_broker_has_not_read_what_was_sent_to_it() -> None:
    tally = Tally()
    one = started(tally, "a")
    tally.add(asks(1, "a", METADATA, corr=1))
    tally.fault_at = 5
    tally.begin(FaultCourse(is_unread=True), 1)
    tally.add(asks(1, "a", METADATA, corr=2))
    assert list(tally.differences({("a", 1, METADATA): 1})) == []
    assert len(list(tally.differences({("a", 1, METADATA): 0}))) == 1
    assert one.unread[METADATA] == 1
