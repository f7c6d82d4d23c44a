"""When a client works again, how it came there, what it cost, and what the bystander saw."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import history
from deeds import (
    Step,
    acked,
    announced,
    app,
    ask,
    at,
    call,
    closed,
    committed,
    failed,
    fault_on,
    fetch_answer,
    fetched,
    folded,
    healed,
    listed,
    mark,
    moved,
    produce_answer,
    row,
    tell,
    transactions,
    wait,
    watch,
)
from script import (
    AFFECTED,
    BLIP,
    BYSTANDER,
    COORDINATOR,
    ELECTED,
    FETCH,
    GROUP,
    HEARTBEAT,
    KILL,
    NEW,
    OLD,
    PRODUCE,
    RESET,
    STEADY,
    STORAGE_ERROR,
    THIRD,
)

from probe.model import AppKind, Facts, MarkKind, Outcome, Play, Reroute, Role, Row, Trigger, Verdict
from probe.verdict import judge

MOVE: tuple[Step, ...] = (at(150), moved(), at(180), announced())
ASKED: tuple[Step, ...] = (ask(), tell(NEW))


def judged(*steps: Step, play: Play = STORAGE_ERROR, ms: int = 10_000, **more: object) -> Verdict:
    return judge(history(fault_on(), *steps, watch(ms), play=play, **more))


def facts(*steps: Step, **more: object) -> Facts:
    return judged(*steps, **more).facts


# recovered, per role


def test_three_operations_started_after_the_new_leader_is_announced() -> None:
    found = facts(produce_answer(56), *MOVE, *ASKED, acked(3))
    assert (found.recovered, found.recovery_ms) == (True, 205)
    assert facts(produce_answer(56), *MOVE, *ASKED, acked(2)).recovered is False


def test_operations_from_before_do_not_count() -> None:
    """Two of 274 stuck trials once showed a single ack of a message sent before the fault."""

    def late_acks(script: object) -> None:
        for number in range(3):
            script.app(AppKind.ACKED, partition=AFFECTED, sequence=number)  # type: ignore[attr-defined]

    assert facts(produce_answer(56), *MOVE, *ASKED, late_acks).recovered is False


def test_the_clocks_error_bound_is_respected() -> None:
    steps = (produce_answer(56), *MOVE, *ASKED, acked(3))
    assert facts(*steps, clock_error_us=2_000).recovered is True
    assert facts(*steps, clock_error_us=8_000).recovered is False


def test_success_elsewhere_is_no_recovery() -> None:
    """Acks from the old leader say nothing once another leads."""
    assert judged(produce_answer(56), *MOVE, acked(90, OLD)).outcome is Outcome.STUCK


def test_a_hit_or_an_error_within_a_second_after_undoes_it() -> None:
    again = facts(produce_answer(56), *MOVE, *ASKED, acked(3), produce_answer(56), acked(60))
    assert again.recovery_ms == pytest.approx(307, abs=5)
    told = facts(produce_answer(56), *MOVE, *ASKED, acked(3), app(AppKind.SEND_ERROR, 7, partition=0), acked(60))
    assert told.recovery_ms is not None
    assert told.recovery_ms > 250


def test_a_hit_much_later_does_not() -> None:
    found = facts(produce_answer(56), *MOVE, *ASKED, acked(20), produce_answer(56), acked(50))
    assert found.recovery_ms == 205


def test_a_consumer_needs_records_appended_after_the_hit() -> None:
    steps = (fetch_answer(56), *MOVE, *ASKED)
    assert facts(*steps, fetched(4), role=Role.CONSUMER).recovered is True
    assert facts(*steps, fetched(3), role=Role.CONSUMER).recovered is False  # the first was there before
    assert facts(*steps, fetched(20, appended=5000), role=Role.CONSUMER).recovered is False


def test_sarama_consumers_recover_in_two_seconds_and_tell() -> None:
    steps = (fetch_answer(56), app(AppKind.RECEIVE_ERROR, 56, partition=0), *MOVE, at(2010), *ASKED, fetched(75))
    found = judged(*steps, role=Role.CONSUMER)
    assert (found.outcome, found.facts.failed_ops, found.facts.errors_surfaced) == (Outcome.SURFACES, 0, 1)
    assert found.facts.recovery_ms == pytest.approx(2033, abs=10)


def test_a_group_needs_three_records_and_a_commit() -> None:
    steps = (fetch_answer(56), *MOVE, *ASKED, fetched(4))
    assert facts(*steps, role=Role.GROUP).recovered is False
    assert facts(*steps, committed(), role=Role.GROUP).recovered is True


def test_a_commit_takes_its_own_time_unless_the_coordinator_was_hit() -> None:
    steps = (fetch_answer(56), *MOVE, *ASKED, fetched(60), committed())
    found = judged(*steps, role=Role.GROUP)
    assert (found.outcome, found.facts.recovery_ms) == (Outcome.REFRESHES, pytest.approx(306, abs=5))


def test_a_commit_that_only_the_wire_shows() -> None:
    """sarama commits in the background and reports nothing."""
    commit = call(8, OLD, Row(key=GROUP), answer=(Row(topic="t", partition=0, key=GROUP),))
    refused = call(8, OLD, Row(key=GROUP), answer=(Row(topic="t", partition=0, key=GROUP, code=16),))
    steps = (fetch_answer(56), *MOVE, *ASKED, fetched(4))
    assert facts(*steps, commit, role=Role.GROUP).recovered is True
    assert facts(*steps, refused, role=Role.GROUP).recovered is False


def test_a_group_whose_coordinator_moved_commits_at_the_new_one() -> None:
    hit = call(HEARTBEAT, OLD, Row(key=GROUP), answer=(Row(key=GROUP, code=16),), code=16)
    move = (at(150), moved(topic="", key=GROUP), at(180), announced(topic="", key=GROUP))
    steps = (hit, *move, ask(), tell(NEW), fetched(5, OLD))
    assert facts(*steps, committed(NEW), play=COORDINATOR, role=Role.GROUP).recovered is True
    assert facts(*steps, committed(OLD), play=COORDINATOR, role=Role.GROUP).recovered is False


def test_transactions_need_two() -> None:
    steps = (produce_answer(56), *MOVE, *ASKED)
    assert facts(*steps, transactions(2), role=Role.TRANSACTIONAL).recovered is True
    assert facts(*steps, transactions(1), role=Role.TRANSACTIONAL).recovered is False
    aborted = transactions(5, ends=AppKind.TXN_ABORTED)
    assert facts(*steps, aborted, role=Role.TRANSACTIONAL).recovered is False


def test_an_admin_client_needs_three_answers() -> None:
    hit = call(2, OLD, row(), answer=(row(code=56),))
    assert facts(hit, *MOVE, *ASKED, listed(3), role=Role.ADMIN).recovered is True
    assert facts(hit, *MOVE, *ASKED, listed(2), role=Role.ADMIN).recovered is False


def test_acks_none_has_no_answers_to_go_by() -> None:
    steps = (closed(OLD, "broker"), *MOVE, *ASKED)
    found = judged(*steps, acked(80, NEW, acks=0), settings={"acks": "0"})
    assert (found.outcome, found.facts.lost) == (Outcome.REFRESHES, 0)
    assert judged(*steps, acked(80, OLD, acks=0), settings={"acks": "0"}).outcome is Outcome.STUCK


# retry


def test_retry_counts_from_the_healing_inside_the_watch() -> None:
    held = (produce_answer(7), at(1000), produce_answer(7), at(3000), healed(), acked(60, OLD))
    found = judged(*held, play=BLIP)
    assert (found.outcome, found.facts.recovery_ms) == (Outcome.RIDES, 202)


def test_retry_that_heals_itself_counts_from_the_hit() -> None:
    found = judged(produce_answer(7), wait(99), acked(90, OLD), play=BLIP)
    assert found.facts.recovery_ms == 302


def test_a_reset_is_ridden_at_any_broker() -> None:
    assert judged(closed(OLD), healed(), acked(90, THIRD), play=RESET).outcome is Outcome.RIDES


def test_nobody_recovers_from_a_fault_that_still_stands() -> None:
    hitting = tuple(step for _ in range(95) for step in (produce_answer(7), wait(97)))
    assert judged(*hitting, play=BLIP).outcome is Outcome.WAITING
    assert judged(produce_answer(7), play=BLIP).outcome is Outcome.STUCK


# the target


def test_the_last_move_is_the_target() -> None:
    """A rolling restart moves the leader twice."""
    steps = (produce_answer(56), *MOVE, *ASKED, acked(5), moved(THIRD), announced(THIRD), produce_answer(6, NEW))
    found = judged(*steps, wait(100), ask(), tell(THIRD), acked(60, THIRD))
    assert (found.outcome, found.facts.recovered) == (Outcome.REFRESHES, True)
    assert judged(*steps, acked(60, NEW)).outcome is Outcome.STUCK


def test_a_target_that_was_never_announced_condemns_nobody() -> None:
    assert judged(produce_answer(56), at(150), moved()).outcome is Outcome.WAITING
    assert judged(produce_answer(56)).outcome is Outcome.WAITING


def test_a_late_election_is_waited_for() -> None:
    late = (closed(OLD), at(9000), moved(), announced())
    assert judged(*late, play=KILL, ms=17_000).outcome is Outcome.WAITING
    assert judged(*late, play=KILL, ms=19_200).outcome is Outcome.STUCK


# reroute


def test_hinted_is_who_leaves_before_any_useful_answer() -> None:
    hint = (moved(), announced(), produce_answer(6, leader=NEW), ask())
    found = facts(*hint, acked(20), tell(NEW), acked(60), play=ELECTED)
    assert (found.reroute, found.reroute_ms) == (Reroute.HINT, 3)
    assert facts(*hint, tell(NEW), acked(80), play=ELECTED).reroute is Reroute.REFRESH


def test_a_wrong_hint_or_none_is_blind() -> None:
    wrong = (moved(), announced(), produce_answer(6, leader=THIRD), acked(80))
    found = judged(*wrong, play=ELECTED)
    assert (found.outcome, found.facts.reroute, found.facts.rescued_by) == (Outcome.LATE, Reroute.NONE, "retry")


def test_among_useful_answers_the_one_asked_for_counts() -> None:
    """Told by an unexplained question first and by one because of the error next, then it went."""
    steps = (*MOVE, ask(), tell(NEW), produce_answer(56), ask(), tell(NEW), acked(80))
    found = judged(*steps)
    assert (found.outcome, found.facts.refresh_trigger) == (Outcome.REFRESHES, Trigger.ERROR)


def test_a_disconnect_is_no_cause_where_answers_are() -> None:
    steps = (produce_answer(56), *MOVE, ask(), tell(NEW), produce_answer(56), acked(80))
    assert judged(*steps).outcome is Outcome.REFRESHES
    lost = (at(140), closed(OLD), moved(), announced(), ask(), tell(NEW), produce_answer(56), wait(99), acked(80))
    found = judged(*lost)
    assert (found.outcome, found.facts.rescued_by) == (Outcome.LATE, "connect")


def test_a_disconnect_is_a_cause_where_connections_are() -> None:
    steps = (closed(OLD), at(9000), moved(), announced(), ask(), tell(NEW), acked(60))
    found = judged(*steps, play=replace(KILL, prompt_ms=3000), ms=19_200)
    assert (found.outcome, found.facts.refresh_trigger) == (Outcome.REFRESHES, Trigger.DISCONNECT)


# futile


def test_futile_is_what_goes_elsewhere_once_the_target_is_announced() -> None:
    before = facts(produce_answer(56), produce_answer(56), *MOVE, *ASKED, acked(60))
    assert before.futile_requests_per_s == 0
    after = facts(*MOVE, *(produce_answer(56) for _ in range(10)), *ASKED, acked(60))
    assert after.futile_requests_per_s == 10  # in less than a second, which counts as one
    assert facts(produce_answer(7), acked(60, OLD), play=BLIP).futile_requests_per_s is None
    assert facts(acked(60, OLD)).futile_requests_per_s is None


def test_the_bystanders_traffic_and_discoveries_are_not_futile() -> None:
    others = call(PRODUCE, OLD, row(BYSTANDER), answer=(row(BYSTANDER),))
    found = facts(produce_answer(56), *MOVE, others, others, ask(OLD), tell(NEW), acked(60))
    assert found.futile_requests_per_s == 0


def test_folded_requests_are_futile_too() -> None:
    found = facts(produce_answer(56), *MOVE, folded(PRODUCE, OLD, 9000, 9000, row(code=56)))
    assert found.futile_requests_per_s == pytest.approx(916, abs=5)
    assert found.futile_bytes_per_s == pytest.approx(91_600, abs=500)


def test_a_readers_operations_are_the_records_that_were_fed() -> None:
    again = tuple(step for _ in range(95) for step in (fetch_answer(56), wait(98)))
    found = facts(fetch_answer(56), *MOVE, *again, role=Role.CONSUMER)
    assert found.futile_per_op == pytest.approx(1, abs=0.1)


# gaps, heal, close


def test_outage_is_the_longest_gap_inside_the_window() -> None:
    assert facts(produce_answer(56), *MOVE, *ASKED, at(2000), acked(80)).outage_ms == pytest.approx(2003, abs=5)
    assert facts(produce_answer(56), *MOVE).outage_ms == 10_000


def test_the_bystanders_gap_begins_with_the_fault() -> None:
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


def test_errors_of_the_bystander_stand_apart() -> None:
    error = app(AppKind.SEND_ERROR, 56, partition=BYSTANDER, sequence=3)
    found = judged(produce_answer(56), *MOVE, *ASKED, error, acked(80))
    assert (found.outcome, found.conforms) == (Outcome.REFRESHES, False)
    assert (found.facts.errors_surfaced, found.facts.bystander_errors) == (0, 1)


def test_errors_before_the_hit_and_notices_are_not_errors() -> None:
    early = judged(app(AppKind.SEND_ERROR, 56, partition=0), at(100), produce_answer(56), *MOVE, *ASKED, acked(80))
    assert early.facts.errors_surfaced == 0
    notice = judged(produce_answer(56), app(AppKind.NOTICE, 56), *MOVE, *ASKED, acked(80))
    assert notice.outcome is Outcome.REFRESHES
    unnamed = judged(produce_answer(56), app(AppKind.RECEIVE_ERROR, 56), *MOVE, *ASKED, acked(80))
    assert unnamed.outcome is Outcome.SURFACES


def test_operations_that_failed_for_good() -> None:
    twice = (app(AppKind.COMMIT_ERROR, 16), app(AppKind.COMMIT_ERROR, 16), app(AppKind.RECEIVE_ERROR, 16))
    found = facts(fetch_answer(56), *MOVE, *ASKED, *twice, fetched(60), role=Role.GROUP)
    assert (found.errors_surfaced, found.failed_ops) == (3, 2)
    same = app(AppKind.SEND_ERROR, 56, partition=0, sequence=0)
    assert facts(produce_answer(56), same, same, *MOVE, *ASKED, acked(60)).failed_ops == 1


def test_after_heal() -> None:
    stuck = (fault_on(), failed(1), *MOVE, failed(90), watch(10_000), healed())
    assert judge(history(*stuck, wait(100), acked(4, NEW))).facts.after_heal == "recovered"
    assert judge(history(*stuck, failed(40), wait(3000))).facts.after_heal == "stuck"
    assert judge(history(*stuck)).facts.after_heal == ""
    assert facts(produce_answer(56), *MOVE, *ASKED, acked(60)).after_heal == ""


def test_closing_is_timed_while_the_fault_stands() -> None:
    closing = (mark(MarkKind.STOPPING), wait(700), mark(MarkKind.STOPPED))
    steps = (fault_on(), produce_answer(56), watch(10_000))
    assert judge(history(*steps, *closing)).facts.close_ms == 702
    assert judge(history(*steps, healed(), *closing)).facts.close_ms is None
    assert judge(history(fault_on(), acked(40, OLD), watch(5000), *closing, play=STEADY)).facts.close_ms is None


def test_plain_counts() -> None:
    found = facts(produce_answer(56), *MOVE, *ASKED, acked(60))
    assert found.api_versions == (("Produce", 7), ("Metadata", 7))
    assert found.connects == 1
    assert found.watched_ms == 10_000


def test_parked_fetches_after_the_move_are_soft_only_if_served() -> None:
    unserved = call(FETCH, OLD, row(), answer=None)
    assert facts(moved(), announced(), unserved, play=ELECTED, role=Role.CONSUMER).fault_hits == 0
