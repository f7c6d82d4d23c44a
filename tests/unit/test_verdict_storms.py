"""Too much of the right thing, and what is not too much."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import EngineKind, Limits, Outcome, Reaction, Role, Symptom
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import BYSTANDER, FETCH, METADATA, NEW, OLD, PRODUCE, STEADY, STORAGE_ERROR, THIRD
from tests.support.transcript_steps import (
    Step,
    acked,
    announced,
    ask,
    at,
    call,
    closed,
    engine,
    fault_on,
    fetch_answer,
    folded,
    healed,
    listed,
    moved,
    opened,
    produce_answer,
    row,
    tell,
    wait,
    watch,
)

MOVE: tuple[Step, ...] = (at(150), moved(), at(180), announced())
GOOD: tuple[Step, ...] = (produce_answer(56), *MOVE, ask(), tell(NEW), acked(10))


def storm(*steps: Step, back_off: int = 100, role: Role = Role.PRODUCER) -> str:
    limits = Limits(back_off_ms=back_off)
    return judge(history(fault_on(), *steps, watch(10_000), limits=limits, role=role)).facts.storm


def each(count: int, *steps: Step) -> tuple[Step, ...]:
    return tuple(step for _ in range(count) for step in steps)


# a: continues to ask although nothing happens


@pytest.mark.parametrize(("count", "found"), [(4, ""), (5, "a")])
def test_a_asking_once_a_second_after_success(count: int, found: str) -> None:
    """librdkafka 2.3.0 after a leader move; the first may be for the new connection."""
    assert storm(*GOOD, *each(count, ask(), tell(NEW), wait(950)), acked(10)) == found


@pytest.mark.parametrize(
    "reason",
    [
        (produce_answer(56, THIRD),),
        (call(PRODUCE, OLD, row(BYSTANDER), answer=(row(BYSTANDER, code=7),)),),
        (opened(THIRD),),
        (closed(THIRD, "client"), opened(THIRD)),
    ],
    ids=["a hit", "any other error", "a new connection", "a lost connection"],
)
def test_a_not_where_something_happened(reason: tuple[Step, ...]) -> None:
    assert storm(*GOOD, *each(6, wait(500), *reason, ask(), tell(NEW)), acked(10)) == ""


@pytest.mark.parametrize(("kind", "found"), [(EngineKind.STOPPED, ""), (EngineKind.NOTE, "a")])
def test_a_not_while_the_broker_that_is_waited_for_refuses(kind: EngineKind, found: str) -> None:
    """Refused connections stand on nobody's wire; the leader stays where it was."""
    steps = (closed(OLD, "broker"), engine(kind, broker=OLD), *each(20, ask(), tell(OLD), wait(100)))
    play = replace(STORAGE_ERROR, kind=Symptom.CONNECTION, expects=Reaction.RETRY)
    after = (engine(EngineKind.RETURNED, broker=OLD), healed(), acked(20, OLD), watch(10_000))
    facts = judge(history(fault_on(), *steps, *after, play=play, limits=Limits(back_off_ms=100))).facts
    assert facts.storm == found


@pytest.mark.parametrize(("kind", "found"), [(EngineKind.STOPPED, ""), (EngineKind.NOTE, "a")])
def test_a_not_while_the_new_leader_refuses_in_its_turn(kind: EngineKind, found: str) -> None:
    """The broker that took over is restarted, too: until another is elected Metadata names one that refuses."""
    down = (wait(500), closed(NEW, "broker"), engine(kind, broker=NEW))
    asking = each(20, wait(100), ask(), tell(NEW))
    again = (moved(THIRD), announced(THIRD), ask(), tell(THIRD), acked(10, THIRD))
    assert storm(*GOOD, *down, *asking, *again) == found


def test_a_not_while_a_discovery_is_unanswered() -> None:
    assert storm(*GOOD, *each(5, ask(), wait(200)), *each(5, tell(NEW)), acked(10)) == ""


def test_a_a_burst_while_it_works_off_what_happened_is_none() -> None:
    """librdkafka asks four times within 0.1 s when its coordinator is back, two of them after the first answer."""
    assert storm(*GOOD[:5], *each(8, ask(), tell(NEW), wait(10)), acked(60)) == ""


def test_a_an_admin_client_may_look_up_before_each_answer() -> None:
    looking_up = each(30, ask(), tell(OLD), listed(1, OLD))
    limits = Limits(back_off_ms=1000)
    steady = history(fault_on(), *looking_up, *each(20, ask(), tell(OLD), listed(1, OLD)), play=STEADY, role=Role.ADMIN)
    assert judge(steady).outcome is Outcome.CLEAN
    assert judge(replace(steady, header=replace(steady.header, limits=limits))).outcome is Outcome.CLEAN
    assert "a" in storm(*GOOD[:5], *each(6, ask(), tell(NEW), wait(997)))


def test_a_not_before_a_useful_answer() -> None:
    """An idempotent producer asks for as long as metadata still names the old leader."""
    asking = each(15, ask(), tell(OLD), wait(5))
    assert storm(produce_answer(56), *asking, *MOVE, ask(), tell(NEW), acked(70)) == ""


# b: asks too often


def test_b_more_than_the_back_off_explains() -> None:
    hit_and_ask = (produce_answer(56), ask(), tell(OLD))
    assert storm(*each(32, *hit_and_ask, wait(10)), *MOVE) == ""
    assert storm(*each(33, *hit_and_ask, wait(10)), *MOVE) == "b"
    assert storm(*each(33, *hit_and_ask, wait(10)), *MOVE, back_off=50) == ""


def test_b_is_about_two_seconds() -> None:
    assert storm(*each(60, produce_answer(56), ask(), tell(OLD), wait(90)), *MOVE) == ""


def test_b_counts_folded_discoveries() -> None:
    """kafka-python asked 8,567 times in nine seconds."""
    assert "b" in storm(produce_answer(56), folded(METADATA, THIRD, 9000, 8567, row(leader=OLD)))


# c: connects too often


def test_c_connects() -> None:
    again = (opened(NEW), wait(10), closed(NEW, "broker"), wait(10))
    assert storm(*GOOD, *each(31, *again)) == ""
    assert storm(*GOOD, *each(40, *again)) == "c"
    assert storm(*GOOD, *each(40, *again), back_off=10) == "c"  # nobody needs more often than each 100 ms
    assert storm(*GOOD, *each(40, *again), back_off=1000) == "c"
    elsewhere = each(20, opened(NEW), closed(NEW, "broker"), opened(THIRD), closed(THIRD, "broker"), wait(10))
    assert storm(*GOOD, *elsewhere) == ""


# d: more futile requests than operations


def test_d_refetching_a_broken_partition_is_fine_until_the_target_is_announced() -> None:
    """Good consumers refetch without back-off until they are told."""
    assert storm(*each(100, fetch_answer(56)), *MOVE, ask(), tell(NEW), role=Role.CONSUMER) == ""


def test_d_every_operation_may_go_wrong_once() -> None:
    assert storm(*MOVE, *each(95, produce_answer(56), wait(97))) == ""
    assert storm(produce_answer(56), *MOVE, folded(PRODUCE, OLD, 4000, 2000, row(code=56))) == "d"


def test_d_java_consumers_refetch_until_they_are_told() -> None:
    """Some hundred fetches between the announcement and the next discovery, a back-off later."""
    refetch = each(100, fetch_answer(56))
    assert storm(fetch_answer(56), *MOVE, *refetch, ask(), tell(NEW), role=Role.CONSUMER) == ""
    assert storm(fetch_answer(56), *MOVE, ask(), tell(NEW), *refetch, role=Role.CONSUMER) == "d"
    assert storm(fetch_answer(56), *MOVE, wait(1000), *refetch, ask(), tell(NEW), role=Role.CONSUMER) == "d"


def test_d_a_replica_in_sync_serves_readers() -> None:
    """KafkaJS goes on reading from a demoted leader that follows well: its fetches are answered, none is futile."""
    read, refused = each(100, fetch_answer(0)), each(100, fetch_answer(56))
    assert storm(fetch_answer(56), *MOVE, ask(), tell(NEW), *read, role=Role.CONSUMER) == ""
    assert storm(fetch_answer(56), *MOVE, ask(), tell(NEW), *refused, role=Role.CONSUMER) == "d"


def test_d_who_waits_for_an_answer_was_not_told() -> None:
    """Discovery answers are held back for two seconds in leader/hinted."""
    refetch = each(100, fetch_answer(56))
    waiting = (fetch_answer(56), *MOVE, ask(), wait(1900), *refetch)
    assert storm(*waiting, tell(NEW), role=Role.CONSUMER) == ""
    assert storm(*waiting, tell(NEW), *refetch, role=Role.CONSUMER) == "d"
    assert storm(*waiting, tell(OLD), *refetch, role=Role.CONSUMER) == "d"


def test_d_a_folded_span_may_go_on_about_the_bystander_alone() -> None:
    """kafka-python 2.0.2: told after 227 ms, while the fold of that second ran on to 773 ms."""
    mixed = folded(FETCH, OLD, 900, 900, row(code=56), row(BYSTANDER))
    told = (fetch_answer(56), at(200), mixed, at(280), fetch_answer(56), at(300), ask(), tell(NEW))
    assert storm(*MOVE, *told, role=Role.CONSUMER) == ""
    assert "d" in storm(*MOVE, *told, at(1100), fetch_answer(56), role=Role.CONSUMER)


def test_a_periodic_refresh_is_what_was_configured() -> None:
    schedule = each(12, ask(), tell(OLD), wait(97))
    on = each(70, ask(), tell(NEW), wait(97))
    steps = (fault_on(), produce_answer(56), *MOVE, at(200), *on, acked(10), watch(10_000))
    assert judge(history(*steps)).facts.storm == "a"
    assert judge(history(*steps, settings={"refresh_ms": "100"}, warm_up=(at(-1300), *schedule))).facts.storm == ""
