"""Where the leader of the bystander moves, too, an error about it is a cause (broker/rolling)."""

from __future__ import annotations

from probe.model import Outcome, Reroute
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import BYSTANDER, METADATA, NEW, OLD, PRODUCE, THIRD
from tests.support.transcript_steps import (
    Step,
    acked,
    announced,
    ask,
    at,
    call,
    fault_on,
    moved,
    produce_answer,
    row,
    tell,
    watch,
)
from tests.unit.test_verdict_triggers import each_trigger


def test_an_error_of_the_other_partition_is_a_cause_where_both_move() -> None:
    """The first answer to it names the new leaders of both (Java, broker/rolling)."""
    both = (moved(), announced(), moved(partition=BYSTANDER), announced(partition=BYSTANDER))
    refused = call(PRODUCE, OLD, row(BYSTANDER), answer=(row(BYSTANDER, code=6),))
    asked = (refused, ask(), tell(NEW), produce_answer(6), acked(80))
    found = judge(history(fault_on(), *both, *asked, watch(10_000)))
    assert (found.outcome, found.facts.reroute) == (Outcome.REFRESHES, Reroute.REFRESH)
    assert each_trigger(*both, *asked) == ["error"]
    assert each_trigger(moved(), announced(), *asked) == ["unknown"]


def test_metadata_shows_as_well_that_the_other_partition_moves() -> None:
    """Real brokers report no move of the bystander (broker/rolling on 3.9)."""

    def told(beside: int) -> Step:
        return call(METADATA, THIRD, row(-1), answer=(row(leader=NEW), row(BYSTANDER, leader=beside)))

    refused = call(PRODUCE, OLD, row(BYSTANDER), answer=(row(BYSTANDER, code=6),))
    before = (at(-1000), told(OLD), at(0), moved(), announced(), refused)
    assert each_trigger(*before, told(NEW), acked(80)) == ["error"]
    assert each_trigger(*before, told(OLD), acked(80)) == ["unknown"]


def test_a_move_that_is_stamped_late_is_known_from_the_answer_that_names_its_target() -> None:
    """Brokers are polled for moves, and a busy machine is late (kafka-python 2.0.2, broker/rolling on 3.4)."""

    away = (at(100), moved(NEW), at(150), announced(NEW), produce_answer(6), ask(), tell(NEW), acked(20))
    again = (at(5000), produce_answer(6, NEW), ask(), tell(OLD), at(5400), moved(OLD), announced(OLD), acked(80, OLD))
    found = judge(history(fault_on(), *away, *again, watch(10_000)))
    assert (found.outcome, found.facts.reroute) == (Outcome.REFRESHES, Reroute.REFRESH)
