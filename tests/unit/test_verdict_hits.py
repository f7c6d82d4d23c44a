"""Proofs that the fault reached the client, and events that are no proof."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import AppKind, EngineKind, Expectation, Facts, Outcome, Reaction, Role, Row, Target
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import (
    BYSTANDER,
    COMMIT,
    COORDINATOR,
    ELECTED,
    EPOCHS,
    FETCH,
    FIND,
    GROUP,
    HANG,
    HEARTBEAT,
    KILL,
    METADATA,
    NEW,
    OLD,
    PRODUCE,
    STORAGE_ERROR,
    THIRD,
    Script,
)
from tests.support.transcript_steps import (
    Step,
    acked,
    announced,
    app,
    ask,
    at,
    call,
    closed,
    engine,
    fault_on,
    fetch_answer,
    fetched,
    folded,
    healed,
    moved,
    opened,
    produce_answer,
    row,
    wait,
    watch,
)


def facts(*steps: Step, play: Expectation = STORAGE_ERROR, role: Role = Role.PRODUCER, **header: object) -> Facts:
    return judge(history(fault_on(), *steps, watch(10_000), play=play, role=role, **header)).facts


def hits(*steps: Step, play: Expectation = STORAGE_ERROR, role: Role = Role.PRODUCER, **header: object) -> int:
    return facts(*steps, play=play, role=role, **header).fault_hits


# answer


def test_an_answer_with_the_error_is_a_hit() -> None:
    found = facts(produce_answer(56), produce_answer(6), produce_answer(56))
    assert (found.fault_hits, found.fault_codes) == (3, (56, 6))


@pytest.mark.parametrize(
    "step",
    [
        produce_answer(7),
        call(PRODUCE, OLD, row(BYSTANDER), answer=(row(BYSTANDER, code=56),)),
        call(PRODUCE, OLD, Row(topic="other", partition=0), answer=(Row(topic="other", partition=0, code=56),)),
        call(PRODUCE, OLD, row(), answer=None),
    ],
    ids=["another code", "the bystander", "another topic", "unanswered"],
)
def test_other_answers_are_no_hits(step: Step) -> None:
    assert hits(step) == 0


def test_an_answer_of_any_broker_counts() -> None:
    """On KRaft the new leader itself may answer 6 first."""
    assert hits(produce_answer(6, NEW)) == 1


def test_only_the_apis_of_the_scenario_count() -> None:
    on_fetch = replace(STORAGE_ERROR, apis=(FETCH,))
    assert hits(produce_answer(56), play=on_fetch) == 0
    assert hits(fetch_answer(56), play=on_fetch) == 1
    epochs = call(EPOCHS, OLD, row(), answer=(row(code=56),))
    assert hits(epochs, play=on_fetch) == 1
    assert hits(epochs, play=replace(STORAGE_ERROR, apis=(PRODUCE,))) == 0


def test_hits_count_from_the_start_of_the_fault() -> None:
    assert hits(at(-400), produce_answer(56)) == 0
    assert hits(at(-20), produce_answer(56)) == 1


def test_hits_after_the_observation_do_not_count() -> None:
    assert judge(history(fault_on(), watch(5000), wait(5), produce_answer(56))).facts.fault_hits == 0


def test_a_refusal_of_the_topic_concerns_its_partitions() -> None:
    gone = replace(STORAGE_ERROR, codes=(3,))
    assert hits(call(METADATA, THIRD, Row(topic="t"), answer=(Row(topic="t", code=3),)), play=gone) == 1


def test_folded_answers_count_by_their_number() -> None:
    assert hits(folded(PRODUCE, OLD, 2000, 3000, row(code=56), row())) == 3000
    assert hits(folded(PRODUCE, OLD, 2000, 3000, row(BYSTANDER, code=56))) == 0


def test_a_request_without_an_object_counts_for_a_named_api() -> None:
    init = call(22, THIRD, Row(), answer=(Row(code=51),), code=51)
    play = replace(STORAGE_ERROR, codes=(51,), apis=(22,), target=Target.CLUSTER)
    assert hits(init, play=play) == 1
    assert hits(init, play=replace(play, apis=())) == 0


# answer of a coordinator


@pytest.mark.parametrize(
    ("step", "count"),
    [
        (call(HEARTBEAT, OLD, Row(key=GROUP), answer=(Row(key=GROUP, code=16),), code=16), 1),
        (call(COMMIT, OLD, Row(key=GROUP), answer=(Row(topic="t", partition=0, code=16),)), 1),
        (call(FIND, THIRD, Row(key=GROUP, key_type=0), answer=(Row(key=GROUP, code=16),)), 1),
        (call(HEARTBEAT, OLD, Row(key="other"), answer=(Row(key="other", code=16),), code=16), 0),
        (call(COMMIT, OLD, Row(key="other"), answer=(Row(topic="t", partition=0, code=16),)), 0),
        (call(PRODUCE, OLD, row(key=GROUP), answer=(row(code=16, key=GROUP),)), 0),
        (call(11, OLD, Row(key=GROUP), answer=(Row(key=GROUP, code=27),), code=27), 0),
    ],
    ids=["heartbeat", "commit", "find", "another group", "its commit", "not its work", "a rebalance"],
)
def test_a_coordinator_is_known_by_its_key(step: Step, count: int) -> None:
    assert hits(step, play=COORDINATOR, role=Role.GROUP) == count


# connection


def test_a_disconnect_is_a_hit_and_a_close_by_the_client_not() -> None:
    assert hits(closed(OLD, "relay"), play=KILL) == 1
    assert hits(closed(OLD, "broker"), play=KILL) == 1
    assert hits(closed(OLD, "client"), play=KILL) == 0


def test_an_idle_close_by_a_healthy_broker_is_no_hit() -> None:
    assert hits(opened(THIRD), closed(THIRD, "broker"), play=KILL) == 0
    assert hits(opened(THIRD), engine(EngineKind.STOPPED, broker=THIRD), closed(THIRD, "broker"), play=KILL) == 1


def test_disconnects_in_a_scenario_of_error_answers() -> None:
    assert hits(closed(OLD, "broker")) == 0
    assert hits(closed(OLD, "broker"), play=replace(STORAGE_ERROR, causes=("error", "disconnect"))) == 1
    assert hits(closed(OLD, "broker"), settings={"acks": "0"}) == 1


# silence


def test_a_request_unanswered_for_a_second_is_a_hit() -> None:
    assert hits(call(PRODUCE, OLD, row(), answer=None), play=HANG) == 1
    assert hits(produce_answer(0), play=HANG) == 0


@pytest.mark.parametrize(
    "step",
    [
        call(PRODUCE, THIRD, row(), answer=None),
        call(PRODUCE, OLD, row(), answer=None, acks=0),
    ],
    ids=["another broker", "acks=0 waits for nothing"],
)
def test_other_unanswered_requests_are_no_silence(step: Step) -> None:
    assert hits(step, play=HANG) == 0


def test_where_the_whole_cluster_is_silent_any_broker_counts() -> None:
    """A balancer forgets idle connections to all brokers, and the client's first request goes to any of them."""
    silent = replace(HANG, target=Target.CLUSTER)
    step = call(PRODUCE, NEW, row(), answer=None)
    assert hits(step, play=replace(silent, expects=Reaction.RETRY)) == 1
    assert hits(step, play=silent) == 0, "the target moves, so only the failing broker is silent"


def test_a_quick_disconnect_is_no_silence() -> None:
    assert hits(call(PRODUCE, OLD, row(), answer=None), wait(300), closed(OLD, "broker"), play=HANG) == 0
    assert hits(call(PRODUCE, OLD, row(), answer=None), wait(1200), closed(OLD, "broker"), play=HANG) == 1


def test_a_request_that_the_client_gives_up_is_silent_from_then_on() -> None:
    """librdkafka sends ApiVersions on a connection that it closes at once."""
    found = facts(call(PRODUCE, OLD, row(), answer=None), wait(300), closed(OLD, "client"), wait(100), ask(), play=HANG)
    assert (found.fault_hits, found.refresh_ms) == (1, pytest.approx(101, abs=2))


def test_a_reused_correlation_id_pairs_in_order() -> None:
    """Correlation ids may repeat; an answered request must not look silent."""

    def twice(script: Script) -> None:
        for _ in range(2):
            script.corr = 500
            script.answer(script.request(PRODUCE, OLD, row(), acks=-1), row())

    assert hits(twice, play=HANG) == 0


def test_silence_counts_from_the_fault() -> None:
    """A request in flight when the broker hangs is silent only a second after the fault."""
    found = facts(at(-600), call(FETCH, OLD, row(), answer=None), play=HANG, role=Role.CONSUMER)
    assert found.fault_hits == 1
    assert hits(at(9500), call(PRODUCE, OLD, row(), answer=None), play=HANG) == 0


# change


def test_an_answer_of_a_former_leader_is_a_soft_hit() -> None:
    found = facts(moved(), announced(), fetched(3, OLD), play=ELECTED, role=Role.CONSUMER)
    assert (found.fault_hits, found.soft_hits, found.fault_codes) == (3, 3, ())


def test_a_former_leader_tells_a_writer_without_acks_by_a_closed_connection() -> None:
    """kafka-go's Writer with its defaults lost 14 to 31 records by an election of real brokers."""
    steps = (moved(), announced(), closed(OLD, "broker"))
    assert hits(*steps, play=ELECTED) == 0
    assert hits(*steps, play=ELECTED, settings={"acks": "0"}) == 1
    elsewhere = (call(PRODUCE, THIRD, row(), answer=None, acks=0), closed(THIRD, "broker"))
    assert hits(*elsewhere, play=ELECTED, settings={"acks": "0"}) == 0


def test_requests_before_a_move_or_to_the_new_leader_do_not_hit() -> None:
    assert hits(fetched(3, OLD), moved(), announced(), fetched(3, NEW), play=ELECTED, role=Role.CONSUMER) == 0


def test_a_change_met_with_an_error_is_no_soft_hit() -> None:
    found = facts(moved(), announced(), fetch_answer(74), play=ELECTED, role=Role.CONSUMER)
    assert (found.fault_hits, found.soft_hits, found.fault_codes) == (1, 0, (74,))


def test_other_symptoms_have_no_soft_hits() -> None:
    assert hits(moved(), announced(), fetched(3, OLD), role=Role.CONSUMER) == 0


def test_without_a_move_there_is_no_soft_hit() -> None:
    assert hits(fetched(3, OLD), play=ELECTED, role=Role.CONSUMER) == 0
    grown = replace(ELECTED, target=Target.CLUSTER)
    assert facts(fetched(3, OLD), play=grown, role=Role.CONSUMER).soft_hits == 3


def test_a_move_of_another_partition_does_not_count() -> None:
    other = moved(partition=BYSTANDER)
    assert hits(other, fetched(3, OLD), play=ELECTED, role=Role.CONSUMER) == 0


# no fault


def test_the_hit_count_of_the_engine_is_no_proof() -> None:
    found = judge(history(fault_on(), engine(EngineKind.HIT, text="answer-56"), acked(90, OLD), watch(10_000)))
    assert found.outcome is Outcome.NOT_PROVOKED


def test_a_start_under_the_fault_may_never_meet_it() -> None:
    play = replace(STORAGE_ERROR, expects=Reaction.NOTHING, conforms=(Outcome.CLEAN,))
    assert judge(history(fault_on(), acked(95, NEW), watch(10_000), play=play)).outcome is Outcome.CLEAN
    dead = judge(history(fault_on(), app(AppKind.FATAL, text="no brokers"), watch(10_000), play=play))
    assert dead.outcome is Outcome.FATAL


def test_reverting_the_fault_is_no_hit() -> None:
    assert hits(healed(), play=KILL) == 0
