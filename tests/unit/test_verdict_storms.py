"""Storms: too many requests or connections, and what is not too many."""

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
from tests.support.verdict_case import MOVE

GOOD: tuple[Step, ...] = (produce_answer(56), *MOVE, ask(), tell(NEW), acked(10))


def storm(*steps: Step, back_off: int = 100, role: Role = Role.PRODUCER) -> str:
    limits = Limits(back_off_ms=back_off)
    return judge(history(fault_on(), *steps, watch(10_000), limits=limits, role=role)).facts.storm


def each(count: int, *steps: Step) -> tuple[Step, ...]:
    return tuple(step for _ in range(count) for step in steps)


# a: continues to ask without a reason


@pytest.mark.parametrize(("count", "found"), [(4, ""), (5, "a")])
def test_storm_a_a_request_per_second_after_success(count: int, found: str) -> None:
    """librdkafka 2.3.0 after a leader move; the first request may belong to the new connection."""
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
def test_storm_a_needs_requests_without_an_event(reason: tuple[Step, ...]) -> None:
    assert storm(*GOOD, *each(6, wait(500), *reason, ask(), tell(NEW)), acked(10)) == ""


@pytest.mark.parametrize(("kind", "found"), [(EngineKind.STOPPED, ""), (EngineKind.NOTE, "a")])
def test_storm_a_not_while_the_leader_refuses_connections(kind: EngineKind, found: str) -> None:
    """Refused connections are not on the wire; the leader does not move."""
    steps = (closed(OLD, "broker"), engine(kind, broker=OLD), *each(20, ask(), tell(OLD), wait(100)))
    play = replace(STORAGE_ERROR, kind=Symptom.CONNECTION, expects=Reaction.RETRY)
    after = (engine(EngineKind.RETURNED, broker=OLD), healed(), acked(20, OLD), watch(10_000))
    facts = judge(history(fault_on(), *steps, *after, play=play, limits=Limits(back_off_ms=100))).facts
    assert facts.storm == found


@pytest.mark.parametrize(("kind", "found"), [(EngineKind.STOPPED, ""), (EngineKind.NOTE, "a")])
def test_storm_a_not_while_the_new_leader_refuses_connections(kind: EngineKind, found: str) -> None:
    """The new leader is restarted, too: until the next election Metadata names a broker that refuses."""
    down = (wait(500), closed(NEW, "broker"), engine(kind, broker=NEW))
    asking = each(20, wait(100), ask(), tell(NEW))
    again = (moved(THIRD), announced(THIRD), ask(), tell(THIRD), acked(10, THIRD))
    assert storm(*GOOD, *down, *asking, *again) == found


@pytest.mark.parametrize(("kind", "found"), [(EngineKind.STOPPED, ""), (EngineKind.NOTE, "a")])
def test_storm_a_not_while_a_leader_that_returns_refuses_connections(kind: EngineKind, found: str) -> None:
    """Nobody takes over: Metadata names the leader that refuses, until it is back at another address."""
    down = (closed(OLD, "broker"), engine(kind, broker=OLD), *each(20, ask(), tell(OLD), wait(100)))
    back = (engine(EngineKind.RETURNED, broker=OLD), moved(OLD), announced(OLD), acked(20, OLD), watch(10_000))
    play = replace(STORAGE_ERROR, kind=Symptom.CONNECTION)
    facts = judge(history(fault_on(), *down, *back, play=play, limits=Limits(back_off_ms=100))).facts
    assert facts.storm == found


@pytest.mark.parametrize(("kind", "found"), [(EngineKind.RELOCATED, ""), (EngineKind.NOTE, "a")])
def test_storm_a_not_while_the_leader_is_elsewhere_behind_its_name(kind: EngineKind, found: str) -> None:
    """A client whose runtime keeps the former address is refused there, which nobody observes."""
    back = (engine(kind, broker=OLD), engine(EngineKind.RETURNED, broker=OLD), moved(OLD), announced(OLD))
    asking = each(20, wait(200), ask(), tell(OLD))
    play = replace(STORAGE_ERROR, kind=Symptom.CONNECTION)
    down = (closed(OLD, "broker"), engine(EngineKind.STOPPED, broker=OLD), wait(2000))
    served = (opened(OLD), acked(20, OLD), watch(10_000))
    facts = judge(history(fault_on(), *down, *back, *asking, *served, play=play, limits=Limits(back_off_ms=100))).facts
    assert facts.storm == found


def test_storm_a_not_while_a_discovery_is_unanswered() -> None:
    assert storm(*GOOD, *each(5, ask(), wait(200)), *each(5, tell(NEW)), acked(10)) == ""


def test_storm_a_not_for_a_short_burst_after_an_event() -> None:
    """librdkafka asks four times within 0.1 s when its coordinator is back, twice after the first answer."""
    assert storm(*GOOD[:5], *each(8, ask(), tell(NEW), wait(10)), acked(60)) == ""


def test_storm_a_allows_admin_clients_one_lookup_per_request() -> None:
    looking_up = each(30, ask(), tell(OLD), listed(1, OLD))
    limits = Limits(back_off_ms=1000)
    steady = history(fault_on(), *looking_up, *each(20, ask(), tell(OLD), listed(1, OLD)), play=STEADY, role=Role.ADMIN)
    assert judge(steady).outcome is Outcome.CLEAN
    assert judge(replace(steady, header=replace(steady.header, limits=limits))).outcome is Outcome.CLEAN
    assert "a" in storm(*GOOD[:5], *each(6, ask(), tell(NEW), wait(997)))


def test_storm_a_needs_a_useful_answer() -> None:
    """An idempotent producer asks as long as Metadata names the old leader."""
    asking = each(15, ask(), tell(OLD), wait(5))
    assert storm(produce_answer(56), *asking, *MOVE, ask(), tell(NEW), acked(70)) == ""


# b: asks too often


def test_storm_b_is_more_than_the_back_off_allows() -> None:
    hit_and_ask = (produce_answer(56), ask(), tell(OLD))
    assert storm(*each(32, *hit_and_ask, wait(10)), *MOVE) == ""
    assert storm(*each(33, *hit_and_ask, wait(10)), *MOVE) == "b"
    assert storm(*each(33, *hit_and_ask, wait(10)), *MOVE, back_off=50) == ""


def test_storm_b_counts_within_two_seconds() -> None:
    assert storm(*each(60, produce_answer(56), ask(), tell(OLD), wait(90)), *MOVE) == ""


def test_storm_b_counts_folded_discoveries() -> None:
    assert "b" in storm(produce_answer(56), folded(METADATA, THIRD, 9000, 8567, row(leader=OLD)))


# c: connects too often


def test_storm_c_is_more_connections_than_the_back_off_allows() -> None:
    again = (opened(NEW), wait(10), closed(NEW, "broker"), wait(10))
    assert storm(*GOOD, *each(31, *again)) == ""
    assert storm(*GOOD, *each(40, *again)) == "c"
    assert storm(*GOOD, *each(40, *again), back_off=10) == "c"  # at most one connection per 100 ms is needed
    assert storm(*GOOD, *each(40, *again), back_off=1000) == "c"
    elsewhere = each(20, opened(NEW), closed(NEW, "broker"), opened(THIRD), closed(THIRD, "broker"), wait(10))
    assert storm(*GOOD, *elsewhere) == ""


# d: more futile requests than operations


def test_storm_d_not_before_the_target_is_announced() -> None:
    """Good consumers fetch again without back-off until a discovery is answered."""
    assert storm(*each(100, fetch_answer(56)), *MOVE, ask(), tell(NEW), role=Role.CONSUMER) == ""


def test_storm_d_allows_one_error_per_operation() -> None:
    assert storm(*MOVE, *each(95, produce_answer(56), wait(97))) == ""
    assert storm(produce_answer(56), *MOVE, folded(PRODUCE, OLD, 4000, 2000, row(code=56))) == "d"


def test_storm_d_not_before_the_discovery_after_a_back_off() -> None:
    """Java consumers fetch many times between the announcement and their next discovery."""
    refetch = each(100, fetch_answer(56))
    assert storm(fetch_answer(56), *MOVE, *refetch, ask(), tell(NEW), role=Role.CONSUMER) == ""
    assert storm(fetch_answer(56), *MOVE, ask(), tell(NEW), *refetch, role=Role.CONSUMER) == "d"
    assert storm(fetch_answer(56), *MOVE, wait(1000), *refetch, ask(), tell(NEW), role=Role.CONSUMER) == "d"


def test_storm_d_not_for_fetches_that_a_follower_serves() -> None:
    """KafkaJS continues to read from a former leader that is in sync: its fetches are answered."""
    read, refused = each(100, fetch_answer(0)), each(100, fetch_answer(56))
    assert storm(fetch_answer(56), *MOVE, ask(), tell(NEW), *read, role=Role.CONSUMER) == ""
    assert storm(fetch_answer(56), *MOVE, ask(), tell(NEW), *refused, role=Role.CONSUMER) == "d"


def test_storm_d_not_while_a_discovery_is_unanswered() -> None:
    """Discovery answers are delayed for two seconds in `leader/hinted`."""
    refetch = each(100, fetch_answer(56))
    waiting = (fetch_answer(56), *MOVE, ask(), wait(1900), *refetch)
    assert storm(*waiting, tell(NEW), role=Role.CONSUMER) == ""
    assert storm(*waiting, tell(NEW), *refetch, role=Role.CONSUMER) == "d"
    assert storm(*waiting, tell(OLD), *refetch, role=Role.CONSUMER) == "d"


def test_storm_d_ignores_later_bystander_requests_of_a_fold() -> None:
    """A fold continues to the end of its second, although only the bystander's requests continue."""
    mixed = folded(FETCH, OLD, 900, 900, row(code=56), row(BYSTANDER))
    steps = (fetch_answer(56), at(200), mixed, at(280), fetch_answer(56), at(300), ask(), tell(NEW))
    assert storm(*MOVE, *steps, role=Role.CONSUMER) == ""
    assert "d" in storm(*MOVE, *steps, at(1100), fetch_answer(56), role=Role.CONSUMER)


def test_storm_a_not_for_a_configured_periodic_refresh() -> None:
    schedule = each(12, ask(), tell(OLD), wait(97))
    on = each(70, ask(), tell(NEW), wait(97))
    steps = (fault_on(), produce_answer(56), *MOVE, at(200), *on, acked(10), watch(10_000))
    assert judge(history(*steps)).facts.storm == "a"
    assert judge(history(*steps, settings={"refresh_ms": "100"}, warm_up=(at(-1300), *schedule))).facts.storm == ""
