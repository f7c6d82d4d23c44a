"""The costs of a fault: futile requests, gaps, errors, and the time for closing and recovery."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import (
    AppKind,
    Engine,
    EngineEvent,
    EngineKind,
    Mark,
    MarkKind,
    Outcome,
    Role,
    Row,
)
from probe.protocol.apis import JOIN_GROUP
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import (
    BLIP,
    BYSTANDER,
    COMMIT,
    COORDINATOR,
    ELECTED,
    FETCH,
    FINAL,
    GROUP,
    NEW,
    OLD,
    PRODUCE,
    STEADY,
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
    failed,
    fault_on,
    fetch_answer,
    fetched,
    folded,
    healed,
    mark,
    moved,
    produce_answer,
    row,
    tell,
    wait,
    watch,
)
from tests.support.verdict_case import ASKED, MOVE, facts, judged


def test_futile_requests_are_those_after_the_announcement() -> None:
    before = facts(produce_answer(56), produce_answer(56), *MOVE, *ASKED, acked(60))
    assert before.futile_requests_per_s == 0
    after = facts(*MOVE, *(produce_answer(56) for _ in range(10)), *ASKED, acked(60))
    assert after.futile_requests_per_s == 10  # the time is less than a second and counts as one
    assert facts(produce_answer(7), acked(60, OLD), play=BLIP).futile_requests_per_s is None
    assert facts(acked(60, OLD)).futile_requests_per_s is None


def test_bystander_traffic_and_discoveries_are_not_futile() -> None:
    others = call(PRODUCE, OLD, row(BYSTANDER), answer=(row(BYSTANDER),))
    found = facts(produce_answer(56), *MOVE, others, others, ask(OLD), tell(NEW), acked(60))
    assert found.futile_requests_per_s == 0


def test_folded_requests_are_futile_too() -> None:
    found = facts(produce_answer(56), *MOVE, folded(PRODUCE, OLD, 9000, 9000, row(code=56)))
    assert found.futile_requests_per_s == pytest.approx(916, abs=5)
    assert found.futile_bytes_per_s == pytest.approx(91_600, abs=500)


def test_answers_delayed_by_the_relay_do_not_count_in_rates() -> None:
    """Rates end when the relay begins to delay answers; the storm does not."""
    storm = (produce_answer(56), *MOVE, folded(PRODUCE, OLD, 2000, 2000, row(code=56)))
    slowed = (engine(EngineKind.SLOWED, broker=OLD, value=5), folded(PRODUCE, OLD, 7000, 1400, row(code=56)))
    assert facts(*storm, *slowed).futile_requests_per_s == pytest.approx(1000, abs=20)
    healed_soon = (engine(EngineKind.SLOWED, broker=OLD, value=0), folded(PRODUCE, OLD, 7000, 1400, row(code=56)))
    assert facts(*storm, *healed_soon).futile_requests_per_s == pytest.approx(346, abs=10)
    assert "d" in facts(*storm, *slowed).storm


def test_operations_of_a_consumer_are_the_records_written() -> None:
    again = tuple(step for _ in range(95) for step in (fetch_answer(56), wait(98)))
    found = facts(fetch_answer(56), *MOVE, *again, role=Role.CONSUMER)
    assert found.futile_per_op == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    ("engine", "beat_ms", "per_op"),
    [
        (Engine.EMBEDDED, 100, 1.0),
        (Engine.EMBEDDED, 0, 1.0),  # stored before the interval was recorded
        (Engine.KAFKA, 400, 4.0),
        (Engine.KAFKA, 0, 2.5),
        (Engine.KAFKA, 100, 1.0),
    ],
)
def test_records_per_operation_follow_the_recorded_interval(engine: Engine, beat_ms: int, per_op: float) -> None:
    again = tuple(step for _ in range(95) for step in (fetch_answer(56), wait(98)))
    recorded = history(fault_on(), fetch_answer(56), *MOVE, *again, watch(10_000), role=Role.CONSUMER, beat_ms=beat_ms)
    header = replace(recorded.header, cell=replace(recorded.header.cell, engine=engine))
    assert judge(replace(recorded, header=header)).facts.futile_per_op == pytest.approx(per_op, rel=0.1)


def test_records_per_operation_follow_changes_of_the_interval() -> None:
    again = tuple(step for _ in range(95) for step in (fetch_answer(56), wait(98)))
    recorded = history(fault_on(), fetch_answer(56), *MOVE, *again, watch(10_000), role=Role.CONSUMER, beat_ms=100)
    begin = next(event.at for event in recorded.events if isinstance(event, EngineEvent))
    for seldom_from_ms, per_op in ((-1000, 4.0), (5000, 1.0)):
        paced = Mark(at=begin + seldom_from_ms * 1000, kind=MarkKind.PACED, text="400")
        found = judge(replace(recorded, events=(*recorded.events, paced))).facts
        assert found.futile_per_op == pytest.approx(per_op, rel=0.1)


def paced(ms: int) -> Step:
    return mark(MarkKind.PACED, str(ms))


def test_futile_requests_are_counted_while_the_workload_runs_at_full_pace() -> None:
    """A client that fails each record costs what its application hands over, however slow the harness is later."""
    steps = (failed(1), *MOVE, failed(38), paced(800), failed(12, every=800_000))
    slow = facts(*steps, ms=14_000, beat_ms=100)
    assert slow.futile_requests_per_s == pytest.approx(10, abs=0.5)
    assert slow.futile_bytes_per_s == pytest.approx(1000, abs=50)
    assert slow.futile_per_op == pytest.approx(1, abs=0.1)
    again = facts(*steps, paced(100), failed(30), ms=16_700, beat_ms=100)
    assert again.futile_requests_per_s == pytest.approx(10, abs=0.5), "both spans at full pace count"


def test_a_workload_that_is_slow_throughout_is_measured_as_it_is() -> None:
    seldom = facts(failed(1), *MOVE, paced(800), failed(12, every=800_000), ms=10_000, beat_ms=800)
    assert seldom.futile_requests_per_s == pytest.approx(1.25, abs=0.15)
    shortly = (failed(1), *MOVE, failed(5), paced(800), failed(11, every=800_000))
    whole = facts(*shortly, ms=10_000, beat_ms=100)
    assert whole.futile_requests_per_s == pytest.approx(16 / 9.8, abs=0.2), "full pace for less than a second"


# gaps, recovery after the fault is reverted, closing


def test_outage_is_the_longest_gap_of_the_observation() -> None:
    assert facts(produce_answer(56), *MOVE, *ASKED, at(2000), acked(80)).outage_ms == pytest.approx(2003, abs=5)
    assert facts(produce_answer(56), *MOVE).outage_ms == 10_000


def test_the_gap_of_the_bystander_starts_with_the_fault() -> None:
    good = (produce_answer(56), *MOVE, *ASKED, acked(90))
    found = judged(*good)
    assert (found.facts.bystander_gap_ms, found.conforms) == (pytest.approx(100, abs=5), True)
    stalled = judged(*good, bystander=(1000, 4500))
    assert (stalled.outcome, stalled.conforms) == (Outcome.REFRESHES, False)
    assert stalled.facts.bystander_gap_ms == pytest.approx(3600, abs=101)
    assert judged(*good, bystander=(1000, 3000)).conforms is True


def test_a_bystander_that_stops_for_good_has_a_gap() -> None:
    found = facts(produce_answer(56), *MOVE, *ASKED, acked(90), bystander=(6000, 20_000))
    assert found.bystander_gap_ms == pytest.approx(4000, abs=101)
    assert facts(produce_answer(56), bystander=False).bystander_gap_ms is None


def test_errors_of_the_bystander_are_counted_separately() -> None:
    error = app(AppKind.SEND_ERROR, 56, partition=BYSTANDER, sequence=3)
    found = judged(produce_answer(56), *MOVE, *ASKED, error, acked(80))
    assert (found.outcome, found.conforms) == (Outcome.REFRESHES, False)
    assert (found.facts.errors_surfaced, found.facts.bystander_errors) == (0, 1)


def test_an_error_between_the_fault_and_the_first_hit_counts() -> None:
    """The scenario's own cut may reach the application before the first error answer (sarama, metadata/amnesia)."""
    cut = (closed(OLD, "broker"), app(AppKind.RECEIVE_ERROR, -1, partition=0))
    steps = (*cut, at(2000), fetch_answer(7), at(3000), healed(), fetched(60))
    found = judged(*steps, play=BLIP, role=Role.CONSUMER)
    assert (found.outcome, found.facts.errors_surfaced) == (Outcome.SURFACES, 1)
    aside = (app(AppKind.SEND_ERROR, 56, partition=BYSTANDER), at(100), produce_answer(56), *MOVE, *ASKED, acked(80))
    assert judged(*aside).facts.bystander_errors == 1


def test_an_error_from_before_the_fault_does_not_count() -> None:
    early = (at(-20), app(AppKind.SEND_ERROR, 56, partition=0), at(100), produce_answer(56), *MOVE, *ASKED, acked(80))
    found = judged(*early)
    assert (found.outcome, found.facts.errors_surfaced) == (Outcome.REFRESHES, 0)


def test_an_error_that_has_to_surface_is_the_report_of_a_hit() -> None:
    """The error by which a scenario makes a client ask is not the error that has to surface."""
    lured = app(AppKind.SEND_ERROR, 6, partition=0)
    silent = judged(lured, at(100), produce_answer(10), play=FINAL)
    assert (silent.outcome, silent.facts.errors_surfaced) == (Outcome.STUCK, 0)
    told = judged(lured, at(100), produce_answer(10), app(AppKind.SEND_ERROR, 10, partition=0), play=FINAL)
    assert (told.outcome, told.facts.errors_surfaced) == (Outcome.SURFACES, 1)


def test_notices_do_not_count_as_errors() -> None:
    notice = judged(produce_answer(56), app(AppKind.NOTICE, 56), *MOVE, *ASKED, acked(80))
    assert notice.outcome is Outcome.REFRESHES
    unnamed = judged(produce_answer(56), app(AppKind.RECEIVE_ERROR, 56), *MOVE, *ASKED, acked(80))
    assert unnamed.outcome is Outcome.SURFACES


def test_failed_operations_are_counted_once() -> None:
    twice = (app(AppKind.COMMIT_ERROR, 16), app(AppKind.COMMIT_ERROR, 16), app(AppKind.RECEIVE_ERROR, 16))
    found = facts(fetch_answer(56), *MOVE, *ASKED, *twice, fetched(60), role=Role.GROUP)
    assert (found.errors_surfaced, found.failed_ops) == (3, 2)
    folded = facts(produce_answer(56), app(AppKind.RECEIVE_ERROR, 56, left_out=40), *MOVE, *ASKED, acked(60))
    assert folded.errors_surfaced == 41
    same = app(AppKind.SEND_ERROR, 56, partition=0, sequence=0)
    assert facts(produce_answer(56), same, same, *MOVE, *ASKED, acked(60)).failed_ops == 1


def test_recovery_after_the_fault_is_reverted_is_recorded() -> None:
    stuck = (fault_on(), failed(1), *MOVE, failed(90), watch(10_000), healed())
    assert judge(history(*stuck, wait(100), acked(4, NEW))).facts.after_heal == "recovered"
    assert judge(history(*stuck, failed(40), wait(3000))).facts.after_heal == "stuck"
    assert judge(history(*stuck)).facts.after_heal == ""
    assert facts(produce_answer(56), *MOVE, *ASKED, acked(60)).after_heal == ""


def test_closing_is_timed_while_the_fault_lasts() -> None:
    closing = (mark(MarkKind.STOPPING), wait(700), mark(MarkKind.STOPPED))
    steps = (fault_on(), produce_answer(56), watch(10_000))
    assert judge(history(*steps, *closing)).facts.close_ms == 702
    assert judge(history(*steps, healed(), *closing)).facts.close_ms is None
    assert judge(history(fault_on(), acked(40, OLD), watch(5000), *closing, play=STEADY)).facts.close_ms is None


def test_api_versions_connects_and_observation_are_recorded() -> None:
    found = facts(produce_answer(56), *MOVE, *ASKED, acked(60))
    assert found.api_versions == (("Produce", 7), ("Metadata", 7))
    assert found.connects == 1
    assert found.watched_ms == 10_000


def test_a_request_that_was_not_decoded_has_no_api_version() -> None:
    undecoded = call(-1, OLD, answer=None)
    assert facts(produce_answer(56), undecoded, *MOVE, acked(60)).api_versions == (("Produce", 7), ("Metadata", 7))


def test_unanswered_fetches_after_the_move_are_no_soft_hits() -> None:
    unserved = call(FETCH, OLD, row(), answer=None)
    assert facts(moved(), announced(), unserved, play=ELECTED, role=Role.CONSUMER).fault_hits == 0


def test_joins_after_the_hit_are_counted_for_groups() -> None:
    commit = call(COMMIT, OLD, Row(key=GROUP), answer=(Row(key=GROUP, code=16),), code=16)
    join = call(JOIN_GROUP, OLD, Row(key=GROUP), answer=(Row(key=GROUP),))
    assert facts(join, commit, join, join, play=COORDINATOR, role=Role.GROUP).joins == 2
    assert facts(join, commit, play=COORDINATOR, role=Role.GROUP).joins == 0
    assert facts(join, play=COORDINATOR, role=Role.GROUP).joins == 0, "nothing was hit"
    assert facts(produce_answer(56)).joins is None, "a producer is no member"
