"""Every row of the verdict table, each with a transcript."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import AppKind, EngineKind, History, MarkKind, Outcome, Reroute, Role, Trigger
from probe.verdict import RULES, RULES_VERSION, judge
from tests.support.histories import history
from tests.support.transcript import BLIP, ELECTED, FINAL, HANG, NEW, OLD, RESET, STEADY, STORAGE_ERROR
from tests.support.transcript_steps import (
    Step,
    acked,
    also_stored,
    announced,
    app,
    ask,
    at,
    closed,
    engine,
    failed,
    fault_on,
    fetch_answer,
    fetched,
    healed,
    mark,
    moved,
    produce_answer,
    tell,
    unstored,
    wait,
    watch,
)
from tests.support.verdict_case import MOVE


def refreshing(*more: Step, **header: object) -> History:
    """Return the history of a producer that handles a dead disk well."""
    return history(fault_on(), produce_answer(56), *MOVE, ask(), tell(NEW), acked(70), *more, watch(10_000), **header)


def stuck(ms: int = 10_000, **header: object) -> History:
    """Return the history of sarama before 1.43.3."""
    return history(fault_on(), failed(1), *MOVE, failed(ms // 100 - 2), watch(ms), **header)


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"problems": ("the relay lost 3 events",)}, "the relay lost 3 events"),
        ({"loop_lag_ms": 251}, "251 ms"),
        ({"steady": Outcome.SURFACES}, "control cell of this client, steady, is surfaces"),
        ({"steady": Outcome.FLAKY, "steady_trials": 1}, "control cell of this client, steady, is flaky"),
    ],
)
def test_row_1_broken(header: dict[str, object], reason: str) -> None:
    found = judge(refreshing(**header))
    assert found.outcome is Outcome.BROKEN
    assert reason in found.reason
    assert found.conforms is None


def test_row_1_allows_a_short_stall_and_a_clean_control_cell() -> None:
    assert judge(refreshing(loop_lag_ms=250, steady=Outcome.CLEAN)).outcome is Outcome.REFRESHES


def test_row_1_a_fault_that_was_never_injected() -> None:
    found = judge(history(acked(50, OLD), watch(10_000)))
    assert (found.outcome, found.reason) == (Outcome.BROKEN, "the fault was never injected")


def test_row_1_a_client_that_ends_before_it_meets_the_fault() -> None:
    found = judge(history(fault_on(), app(AppKind.FATAL, text="panic"), watch(10_000)))
    assert found.outcome is Outcome.BROKEN
    assert "fatal panic" in found.reason


def test_row_2_unsupported() -> None:
    assert judge(history(impossible="no transactions before 1.0")).reason == "no transactions before 1.0"
    found = judge(history(app(AppKind.UNSUPPORTED, text="role admin"), steady=Outcome.UNSUPPORTED))
    assert (found.outcome, found.reason, found.conforms) == (Outcome.UNSUPPORTED, "role admin", None)


def test_row_3_not_provoked() -> None:
    found = judge(history(fault_on(), acked(99, OLD), watch(10_000)))
    assert found.outcome is Outcome.NOT_PROVOKED
    assert "KAFKA_STORAGE_ERROR 56" in found.reason
    assert found.facts.recovered is None


GOES_ON_MS = 2
"""Milliseconds between an answer and the clock of the script after a call."""


def test_row_4_fatal() -> None:
    found = judge(history(fault_on(), produce_answer(56), app(AppKind.FATAL, text="gone"), watch(3000)))
    assert found.outcome is Outcome.FATAL


def test_row_4_fatal_may_be_reported_just_before_the_answer() -> None:
    """The clocks of driver and relay agree only approximately."""
    for early_ms, outcome in ((0.9, Outcome.FATAL), (1.1, Outcome.BROKEN)):
        died = (produce_answer(56), wait(-GOES_ON_MS - early_ms), app(AppKind.FATAL, text="gone"))
        assert judge(history(fault_on(), *died, watch(3000))).outcome is outcome


def test_row_4_only_an_unrequested_close_is_fatal() -> None:
    assert judge(history(fault_on(), produce_answer(56), app(AppKind.CLOSED), watch(3000))).outcome is Outcome.FATAL
    asked = refreshing(watch(10_000), mark(MarkKind.STOPPING), app(AppKind.CLOSED))
    assert judge(asked).outcome is Outcome.REFRESHES


def test_row_5_violates() -> None:
    found = judge(refreshing(unstored(12)))
    assert (found.outcome, found.facts.lost, found.conforms) == (Outcome.VIOLATES, 1, False)
    assert "1 lost" in found.reason


def test_row_6_waiting() -> None:
    found = judge(stuck(5000, shortened=True))
    assert (found.outcome, found.conforms) == (Outcome.WAITING, None)


def test_row_7_stuck_like_old_sarama() -> None:
    found = judge(stuck())
    facts = found.facts
    assert (found.outcome, found.conforms) == (Outcome.STUCK, False)
    assert (facts.refresh_trigger, facts.reroute, facts.recovered) == (Trigger.NONE, Reroute.NONE, False)
    assert facts.futile_requests_per_s == pytest.approx(10, abs=0.5)
    assert facts.futile_per_op == pytest.approx(1, abs=0.1)
    assert facts.futile_bytes_per_s == pytest.approx(1000, abs=50)
    assert (facts.first_error, facts.errors_surfaced, facts.failed_ops) == ("KAFKA_STORAGE_ERROR", 99, 99)
    assert facts.fault_codes == (56,)
    assert facts.hits_before_ask is None
    assert "never asked" in found.reason


def test_row_7_no_error_where_one_is_expected() -> None:
    silent = history(fault_on(), produce_answer(10), acked(90, OLD), watch(10_000), play=FINAL)
    assert judge(silent).outcome is Outcome.STUCK


def test_row_7_the_bystander_must_work_where_errors_are_expected() -> None:
    steps = (fault_on(), failed(1, 10), acked(90, OLD), watch(10_000))
    assert judge(history(*steps, play=FINAL)).outcome is Outcome.SURFACES
    assert judge(history(*steps, play=FINAL, bystander=(0, 20_000))).outcome is Outcome.STUCK


def test_row_7_a_steady_client_that_stops() -> None:
    assert judge(history(fault_on(), acked(10, OLD), watch(6000), play=STEADY)).outcome is Outcome.STUCK


def test_row_8_storms() -> None:
    asking = tuple(step for _ in range(5) for step in (ask(), tell(NEW), wait(900)))
    found = judge(
        history(fault_on(), produce_answer(56), *MOVE, ask(), tell(NEW), acked(20), *asking, acked(10), watch(10_000))
    )
    assert (found.outcome, found.facts.storm, found.conforms) == (Outcome.STORMS, "a", False)


def test_row_9_clean_and_surfaces() -> None:
    work = (fault_on(), acked(49, OLD), watch(5000))
    found = judge(history(*work, play=STEADY))
    assert (found.outcome, found.conforms, found.facts.recovered) == (Outcome.CLEAN, True, None)
    noisy = judge(history(fault_on(), failed(1, 2), acked(48, OLD), watch(5000), play=STEADY))
    assert (noisy.outcome, noisy.conforms) == (Outcome.SURFACES, False)


def test_row_9_needs_no_fault_event() -> None:
    assert judge(history(acked(49, OLD), watch(5000), play=STEADY)).outcome is Outcome.CLEAN


def test_row_10_an_expected_error_surfaces() -> None:
    found = judge(history(fault_on(), failed(1, 10), acked(90, OLD), watch(10_000), play=FINAL))
    assert (found.outcome, found.conforms, found.facts.first_error) == (Outcome.SURFACES, True, "MESSAGE_TOO_LARGE")


def test_row_11_rides_and_surfaces() -> None:
    ridden = judge(history(fault_on(), produce_answer(7), wait(100), acked(90, OLD), watch(10_000), play=BLIP))
    assert (ridden.outcome, ridden.conforms, ridden.facts.reroute) == (Outcome.RIDES, True, None)
    surfaced = judge(history(fault_on(), failed(1, 7), acked(90, OLD), watch(10_000), play=BLIP))
    assert (surfaced.outcome, surfaced.conforms) == (Outcome.SURFACES, False)


def test_row_13_a_slow_retry_is_late() -> None:
    """A client that notices a reset late and reports no error is late."""
    slow = judge(history(fault_on(), closed(OLD), healed(), at(2100), acked(70, OLD), watch(10_000), play=RESET))
    assert (slow.outcome, slow.facts.rescued_by, slow.conforms) == (Outcome.LATE, "itself", False)
    assert slow.facts.reroute is None
    surfaced = judge(history(fault_on(), closed(OLD), healed(), at(2100), failed(1, 7), acked(70, OLD), play=RESET))
    assert surfaced.outcome is Outcome.SURFACES


def test_row_12_served_by_a_former_leader() -> None:
    found = judge(
        history(*(fault_on(), moved(), announced(), fetched(95, OLD), watch(10_000)), play=ELECTED, role=Role.CONSUMER)
    )
    assert (found.outcome, found.conforms, found.facts.recovered) == (Outcome.CLEAN, True, True)
    assert found.facts.soft_hits == found.facts.fault_hits == 95


def test_row_12_is_not_for_clients_with_an_error_answer() -> None:
    steps = (fault_on(), moved(), announced(), fetched(5, OLD), fetch_answer(6), ask(), tell(NEW), fetched(85, NEW))
    found = judge(history(*steps, watch(10_000), play=ELECTED, role=Role.CONSUMER))
    assert found.outcome is Outcome.REFRESHES
    stays = (fault_on(), moved(), announced(), fetch_answer(6), fetched(90, OLD), watch(10_000))
    assert judge(history(*stays, play=ELECTED, role=Role.CONSUMER)).outcome is Outcome.LATE


@pytest.mark.parametrize(
    ("steps", "rescued_by"),
    [
        ((*MOVE, wait(100), acked(70)), "retry"),
        ((*MOVE, ask(), tell(NEW), at(3500), acked(50)), "itself"),
        ((*MOVE, acked(1), ask(), tell(NEW), acked(60)), "retry"),
    ],
)
def test_row_13_late(steps: tuple[Step, ...], rescued_by: str) -> None:
    found = judge(history(fault_on(), produce_answer(56), *steps, watch(10_000)))
    assert (found.outcome, found.facts.rescued_by, found.conforms) == (Outcome.LATE, rescued_by, False)


def test_row_13_only_late_clients_have_a_rescuer() -> None:
    assert judge(refreshing()).facts.rescued_by == ""


def test_row_14_an_error_surfaces() -> None:
    found = judge(history(fault_on(), failed(1), *MOVE, ask(), tell(NEW), acked(70), watch(10_000)))
    assert (found.outcome, found.facts.refresh_trigger) == (Outcome.SURFACES, Trigger.ERROR)
    assert (found.facts.errors_surfaced, found.conforms) == (1, False)


def test_row_15_hinted() -> None:
    steps = (fault_on(), moved(), announced(), produce_answer(6, leader=NEW), ask(), acked(18), tell(NEW), acked(60))
    found = judge(history(*steps, watch(10_000), play=ELECTED))
    assert (found.outcome, found.facts.reroute, found.conforms) == (Outcome.HINTED, Reroute.HINT, True)


def test_row_16_refreshes() -> None:
    found = judge(refreshing())
    assert (found.outcome, found.facts.reroute, found.conforms) == (Outcome.REFRESHES, Reroute.REFRESH, True)
    assert found.rules == RULES_VERSION
    assert found.facts.hits_before_ask == found.facts.refreshes == 1


def test_a_verdict_is_the_first_row_that_holds() -> None:
    """A lost record outranks a storm; a problem of the harness outranks everything."""
    assert judge(refreshing(unstored(12), problems=("x",))).outcome is Outcome.BROKEN
    assert judge(stuck(impossible="x")).outcome is Outcome.UNSUPPORTED
    assert [rule.row for rule in RULES] == sorted(rule.row for rule in RULES)


def test_silence_and_disconnects_are_judged_like_answers() -> None:
    hung = (fault_on(), engine(EngineKind.NOTE), produce_answer(0, NEW))
    assert judge(history(*hung, watch(10_000), play=HANG)).outcome is Outcome.NOT_PROVOKED
    reset = (fault_on(), closed(OLD), healed(), wait(100), acked(90, OLD), watch(10_000))
    assert judge(history(*reset, play=RESET)).outcome is Outcome.RIDES


def test_records_of_another_client_do_not_count() -> None:
    assert judge(refreshing(also_stored(12, "feed"), settings={"idempotence": "true"})).outcome is Outcome.REFRESHES


def test_a_scenario_without_conforming_outcomes_is_informative() -> None:
    play = replace(STORAGE_ERROR, conforms=())
    found = judge(history(fault_on(), produce_answer(56), *MOVE, ask(), tell(NEW), acked(70), watch(10_000), play=play))
    assert (found.outcome, found.conforms) == (Outcome.REFRESHES, None)
