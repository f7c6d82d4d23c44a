"""Delays caused by brokers do not make a client late; its own waiting does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import AppKind, EngineKind, Expectation, Outcome, Role, Row, Symptom, Verdict
from probe.protocol.names import api_key
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import (
    AFFECTED,
    BYSTANDER,
    COORDINATOR,
    ELECTED,
    NEW,
    OLD,
    STORAGE_ERROR,
    THIRD,
    TOPIC,
    TXN_ID,
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
    engine,
    fault_on,
    fetch_answer,
    fetched,
    moved,
    produce_answer,
    produced,
    row,
    tell,
    transactions,
    wait,
    watch,
)
from tests.support.verdict_case import MOVE

PRODUCE, FETCH, ADD_PARTITIONS = api_key("Produce"), api_key("Fetch"), api_key("AddPartitionsToTxn")


def judged(*steps: Step, play: Expectation = STORAGE_ERROR) -> Verdict:
    return judge(history(fault_on(), produce_answer(56), *MOVE, *steps, watch(20_000), play=play))


def delayed(ms: float, partition: int = AFFECTED, broker: int = NEW) -> Step:
    """Add a write that a broker acknowledges after `ms`."""
    return lambda script: produced(script, partition, broker, takes_ms=ms)


def test_a_write_delayed_by_the_new_leader_is_broker_time() -> None:
    found = judged(ask(), tell(NEW), delayed(3500), acked(2))
    assert found.outcome is Outcome.REFRESHES
    assert found.facts.recovery_ms == pytest.approx(3600, abs=100)
    assert "(brokers kept it waiting for 3.5 s of them)" in found.reason


def test_a_late_metadata_answer_is_broker_time() -> None:
    found = judged(ask(), wait(4000), tell(NEW), acked(3))
    assert (found.outcome, found.facts.recovery_ms) == (Outcome.REFRESHES, pytest.approx(4200, abs=100))


def test_a_late_request_is_late_despite_broker_delay() -> None:
    assert judged(wait(4000), ask(), wait(1000), tell(NEW), acked(3)).outcome is Outcome.LATE


@pytest.mark.parametrize(
    "meanwhile",
    [
        call(PRODUCE, OLD, row(size=80), answer=(row(code=56),), takes_ms=4000),
        delayed(4000, partition=BYSTANDER, broker=OLD),
        call(FETCH, NEW, row(), answer=None),
    ],
    ids=["an error", "the bystander's write", "no answer"],
)
def test_only_good_answers_needed_for_recovery_count(meanwhile: Step) -> None:
    assert judged(meanwhile, wait(4000), ask(), tell(NEW), acked(3)).outcome is Outcome.LATE


def test_silence_of_brokers_as_the_fault_is_no_broker_delay() -> None:
    silent = replace(ELECTED, kind=Symptom.SILENCE, codes=(), causes=frozenset({"error", "disconnect"}))
    steps = (at(100), ask(OLD), at(1200), *MOVE[1::2], at(9000), app(AppKind.NOTICE), tell(NEW), acked(3))
    found = judge(history(fault_on(), *steps, watch(30_000), play=silent))
    assert found.outcome is Outcome.LATE
    assert "brokers kept" not in found.reason


def due(api: int, *rows: Row) -> Step:
    """Add a request to the new leader without an answer so far."""
    return call(api, NEW, *rows, answer=None)


@pytest.mark.parametrize(
    ("pending", "watched_s", "outcome"),
    [
        (due(PRODUCE, row(size=80)), 20, Outcome.WAITING),
        (due(api_key("Metadata"), Row(topic=TOPIC)), 20, Outcome.WAITING),
        (due(PRODUCE, row(BYSTANDER, size=80)), 20, Outcome.STUCK),
        (due(FETCH, row()), 20, Outcome.STUCK),
        (due(PRODUCE, row(size=80)), 60, Outcome.STUCK),
    ],
    ids=["a write", "metadata", "the bystander's write", "a fetch", "longer than any broker keeps it"],
)
def test_a_client_waiting_for_a_broker_is_not_stuck(pending: Step, watched_s: int, outcome: Outcome) -> None:
    observed = history(fault_on(), produce_answer(56), *MOVE, ask(), tell(NEW), pending, watch(watched_s * 1000))
    assert judge(observed).outcome is outcome


@pytest.mark.parametrize(("broker", "outcome"), [(NEW, Outcome.REFRESHES), (THIRD, Outcome.LATE)])
def test_a_delay_of_records_at_the_leader_is_broker_time(broker: int, outcome: Outcome) -> None:
    parked = call(FETCH, broker, row(), answer=(row(),), takes_ms=3800)
    steps = (fault_on(), fetch_answer(56), *MOVE, ask(), tell(NEW), parked, fetched(3), watch(20_000))
    assert judge(history(*steps, role=Role.CONSUMER)).outcome is outcome


def test_a_consumer_without_records_at_the_leader_is_stuck() -> None:
    """Empty answers are good answers, and a consumer at a wrong offset must still become stuck."""

    in_vain = [call(FETCH, NEW, row(), answer=(row(),), takes_ms=500)] * 40
    steps = (fault_on(), fetch_answer(56), *MOVE, ask(), tell(NEW), *in_vain, watch(20_500))
    assert judge(history(*steps, role=Role.CONSUMER)).outcome is Outcome.STUCK


def put_off(count: int, apart_ms: float = 100) -> tuple[Step, ...]:
    """Add refusals to start a transaction: the coordinator has not completed the previous one."""
    busy = call(ADD_PARTITIONS, NEW, Row(key=TXN_ID), answer=(row(code=51),), takes_ms=10)
    return tuple(step for _ in range(count) for step in (busy, wait(apart_ms)))


def of_transactions(*steps: Step, codes: tuple[int, ...] = COORDINATOR.codes) -> Verdict:
    hit = call(ADD_PARTITIONS, OLD, Row(key=TXN_ID), answer=(row(code=16),), code=16)
    move = (at(150), moved(topic="", key=TXN_ID), at(180), announced(topic="", key=TXN_ID))
    play = replace(COORDINATOR, codes=codes)
    begins = (call(ADD_PARTITIONS, NEW, Row(key=TXN_ID), answer=(row(),)), transactions(2))
    script = (fault_on(), hit, *move, ask(), tell(NEW), *steps, *begins, watch(20_000))
    return judge(history(*script, play=play, role=Role.TRANSACTIONAL))


def test_a_transaction_refused_for_the_previous_is_broker_time() -> None:
    found = of_transactions(*put_off(50))
    assert found.outcome is Outcome.REFRESHES
    assert found.facts.recovery_ms == pytest.approx(5700, abs=300)
    assert "(brokers kept it waiting for 5.6 s of them)" in found.reason


def test_waiting_after_the_last_refusal_is_client_time() -> None:
    assert of_transactions(*put_off(1, apart_ms=5000)).outcome is Outcome.LATE
    assert of_transactions(*put_off(50), wait(5000)).outcome is Outcome.LATE


def test_refusals_are_no_broker_delay_if_they_are_the_fault() -> None:
    assert of_transactions(*put_off(50), codes=(16, 51)).outcome is not Outcome.REFRESHES


def withheld(seconds: int, partition: int = AFFECTED) -> Step:
    """Withhold written records at the new leader for `seconds` while the client fetches them."""

    def step(script: Script) -> None:
        for _ in range(2 * seconds):
            start = script.now
            call(FETCH, NEW, row(), answer=(row(),), takes_ms=490)(script)
            script.now = start + 500_000
            engine(EngineKind.WITHHELD, broker=NEW, topic=TOPIC, partition=partition, value=500)(script)

    return step


@pytest.mark.parametrize(
    ("kept_back", "watched_s", "role", "outcome"),
    [
        (withheld(19), 20, Role.CONSUMER, Outcome.WAITING),
        (withheld(19, BYSTANDER), 20, Role.CONSUMER, Outcome.STUCK),
        (withheld(60), 61, Role.CONSUMER, Outcome.STUCK),
        (wait(19_000), 20, Role.CONSUMER, Outcome.STUCK),
        (withheld(19), 20, Role.PRODUCER, Outcome.STUCK),
    ],
    ids=["its records", "the bystander's", "for longer than any client waits", "nothing", "a writer's partition"],
)
def test_a_consumer_of_withheld_records_is_not_stuck(
    kept_back: Step, watched_s: int, role: Role, outcome: Outcome
) -> None:
    hit = fetch_answer(56) if role is Role.CONSUMER else produce_answer(56)
    steps = (fault_on(), hit, *MOVE, ask(), tell(NEW), kept_back, watch(watched_s * 1000))
    assert judge(history(*steps, role=role)).outcome is outcome


def test_recovery_after_withheld_records_is_not_late() -> None:
    steps = (fault_on(), fetch_answer(56), *MOVE, ask(), tell(NEW), withheld(9), fetched(3), watch(14_000))
    found = judge(history(*steps, role=Role.CONSUMER))
    assert (found.outcome, found.facts.recovery_ms) == (Outcome.REFRESHES, pytest.approx(9200, abs=300))
    gone = (at(9200), fetched(3), watch(14_000))
    assert judge(history(*steps[:6], *gone, role=Role.CONSUMER)).outcome is Outcome.LATE
