"""When a client has recovered, and how it found the new leader."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import AppKind, Facts, Outcome, Reroute, Role, Row, Trigger
from probe.verdict import certain
from probe.verdict.findings import Findings
from probe.verdict.reason_text import reason_text
from tests.support.histories import history
from tests.support.transcript import (
    AFFECTED,
    BLIP,
    COMMIT,
    COORDINATOR,
    ELECTED,
    GROUP,
    HEARTBEAT,
    KILL,
    NEW,
    OLD,
    RESET,
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
    committed,
    fault_on,
    fetch_answer,
    fetched,
    healed,
    listed,
    moved,
    produce_answer,
    row,
    tell,
    transactions,
    wait,
)
from tests.support.verdict_case import ASKED, MOVE, facts, judged

# recovered, per role


def test_recovery_needs_three_operations_after_the_announcement() -> None:
    found = facts(produce_answer(56), *MOVE, *ASKED, acked(3))
    assert (found.recovered, found.recovery_ms) == (True, 205)
    assert facts(produce_answer(56), *MOVE, *ASKED, acked(2)).recovered is False


def test_operations_from_before_the_hit_do_not_count() -> None:
    """Acknowledgements of messages sent before the fault may arrive late."""

    def late_acks(script: object) -> None:
        for number in range(3):
            script.app(AppKind.ACKED, partition=AFFECTED, sequence=number)  # type: ignore[attr-defined]

    assert facts(produce_answer(56), *MOVE, *ASKED, late_acks).recovered is False


def test_recovery_respects_the_clock_error() -> None:
    steps = (produce_answer(56), *MOVE, *ASKED, acked(3))
    assert facts(*steps, clock_error_us=2_000).recovered is True
    assert facts(*steps, clock_error_us=8_000).recovered is False


def test_success_at_another_broker_is_no_recovery() -> None:
    """Acknowledgements of the old leader are no recovery after another broker leads."""
    assert judged(produce_answer(56), *MOVE, acked(90, OLD)).outcome is Outcome.STUCK


def test_a_hit_or_error_within_a_second_undoes_recovery() -> None:
    again = facts(produce_answer(56), *MOVE, *ASKED, acked(3), produce_answer(56), acked(60))
    assert again.recovery_ms == pytest.approx(307, abs=5)
    reported = facts(produce_answer(56), *MOVE, *ASKED, acked(3), app(AppKind.SEND_ERROR, 7, partition=0), acked(60))
    assert reported.recovery_ms is not None
    assert reported.recovery_ms > 250


def test_a_client_that_serves_only_what_had_waited_has_not_recovered() -> None:
    """sarama 1.32.0 sends a pile of records at once after a silence, and then nothing any more."""

    def unanswered(script: Script) -> None:
        script.app(AppKind.SENT, partition=AFFECTED, sequence=script.next_sequence(AFFECTED))

    burst = (produce_answer(56), *MOVE, *ASKED, acked(3, every=1000))
    still = judged(*burst, wait(500), unanswered, wait(800), unanswered)
    assert (still.outcome, still.facts.recovered) == (Outcome.WAITING, False)
    assert not certain(history(fault_on(), *burst, wait(500), unanswered, wait(5000), running=True))
    assert judged(*burst, wait(500), unanswered, ms=30_000).outcome is Outcome.STUCK
    assert facts(*burst, wait(500), unanswered, wait(800), acked()).recovery_ms == pytest.approx(10, abs=10)
    assert facts(*burst, at(9000), unanswered).recovered is True  # it may be answered yet


def test_a_much_later_hit_does_not_undo_recovery() -> None:
    found = facts(produce_answer(56), *MOVE, *ASKED, acked(20), produce_answer(56), acked(50))
    assert found.recovery_ms == 205


def test_a_consumer_needs_records_appended_after_the_hit() -> None:
    steps = (fetch_answer(56), *MOVE, *ASKED)
    assert facts(*steps, fetched(4), role=Role.CONSUMER).recovered is True
    assert facts(*steps, fetched(3), role=Role.CONSUMER).recovered is False  # the first record was appended before
    assert facts(*steps, fetched(20, appended=5000), role=Role.CONSUMER).recovered is False


@pytest.mark.parametrize("role", [Role.CONSUMER, Role.GROUP])
def test_a_consumer_served_by_a_follower_has_recovered(role: Role) -> None:
    """Followers serve Fetch v11, so a consumer may recover without moving (aiokafka 0.14.0, sarama 1.27.0)."""
    commits = (committed(),) if role is Role.GROUP else ()
    found = judged(fetch_answer(56), *MOVE, fetched(20, OLD), *commits, role=role)
    assert (found.outcome, found.facts.recovered, found.facts.reroute) == (Outcome.LATE, True, Reroute.NONE)
    assert found.facts.rescued_by == "retry"
    before = judged(fetch_answer(56), *MOVE, fetched(20, OLD, appended=5000), *commits, role=role, ms=30_000)
    assert (before.outcome, before.facts.recovered) == (Outcome.STUCK, False)


def test_an_error_before_a_slow_recovery_surfaces() -> None:
    steps = (fetch_answer(56), app(AppKind.RECEIVE_ERROR, 56, partition=0), *MOVE, at(2010), *ASKED, fetched(75))
    found = judged(*steps, role=Role.CONSUMER)
    assert (found.outcome, found.facts.failed_ops, found.facts.errors_surfaced) == (Outcome.SURFACES, 0, 1)
    assert found.facts.recovery_ms == pytest.approx(2033, abs=10)


def test_a_group_needs_three_records_and_a_commit() -> None:
    steps = (fetch_answer(56), *MOVE, *ASKED, fetched(4))
    assert facts(*steps, role=Role.GROUP).recovered is False
    assert facts(*steps, committed(), role=Role.GROUP).recovered is True


def test_the_interval_of_commits_does_not_delay_recovery() -> None:
    steps = (fetch_answer(56), *MOVE, *ASKED, fetched(60), committed())
    found = judged(*steps, role=Role.GROUP)
    assert (found.outcome, found.facts.recovery_ms) == (Outcome.REFRESHES, pytest.approx(306, abs=5))


def test_a_commit_that_failed_before_delays_recovery() -> None:
    """KafkaJS 2.2.4 commits to the broker that has left until it starts over (`broker/shutdown`, real 3.9.2)."""
    steps = (fetch_answer(56), *MOVE, *ASKED, fetched(60))
    late = judged(*steps, app(AppKind.COMMIT_ERROR), at(40_000), committed(), role=Role.GROUP, ms=42_000)
    assert (late.facts.recovered, late.facts.recovery_ms) == (True, pytest.approx(40_000, abs=200))
    after = judged(*steps, committed(), app(AppKind.COMMIT_ERROR), at(40_000), committed(), role=Role.GROUP, ms=42_000)
    assert after.facts.recovery_ms == pytest.approx(306, abs=5)


def test_a_commit_on_the_wire_counts_for_a_group() -> None:
    """sarama commits in the background and reports nothing."""
    commit = call(8, OLD, Row(key=GROUP), answer=(Row(topic="t", partition=0, key=GROUP),))
    refused = call(8, OLD, Row(key=GROUP), answer=(Row(topic="t", partition=0, key=GROUP, code=16),))
    steps = (fetch_answer(56), *MOVE, *ASKED, fetched(4))
    assert facts(*steps, commit, role=Role.GROUP).recovered is True
    assert facts(*steps, refused, role=Role.GROUP).recovered is False


def test_a_group_with_a_moved_coordinator_commits_there() -> None:
    hit = call(HEARTBEAT, OLD, Row(key=GROUP), answer=(Row(key=GROUP, code=16),), code=16)
    move = (at(150), moved(topic="", key=GROUP), at(180), announced(topic="", key=GROUP))
    steps = (hit, *move, ask(), tell(NEW), fetched(5, OLD))
    assert facts(*steps, committed(NEW), play=COORDINATOR, role=Role.GROUP).recovered is True
    assert facts(*steps, committed(OLD), play=COORDINATOR, role=Role.GROUP).recovered is False


LOST: Step = app(AppKind.REVOKED, partitions=(0, 1))
GIVEN: Step = app(AppKind.ASSIGNED, partitions=(0, 1))


def regrouped(*steps: Step) -> Facts:
    """Judge a group's member that reads on while its coordinator moves."""
    hit = call(HEARTBEAT, OLD, Row(key=GROUP), answer=(Row(key=GROUP, code=16),), code=16)
    move = (at(150), moved(topic="", key=GROUP), at(180), announced(topic="", key=GROUP))
    return facts(hit, *move, ask(), tell(NEW), fetched(5, OLD), *steps, play=COORDINATOR, role=Role.GROUP)


def test_a_group_without_partitions_has_not_recovered() -> None:
    """librdkafka sends commits of the revoked assignment while its next JoinGroup is unanswered."""
    assert regrouped(committed(NEW), wait(1500), LOST).recovered is True
    assert regrouped(LOST, committed(NEW)).recovered is False
    assert regrouped(LOST, committed(NEW), GIVEN, fetched(20, OLD)).recovered is False
    assert regrouped(LOST, GIVEN, committed(NEW)).recovered is True
    assert regrouped(app(AppKind.REVOKED, partitions=(1,)), committed(NEW)).recovered is True  # keeps its partition


def test_a_commit_of_an_earlier_assignment_is_no_recovery() -> None:
    def commit(takes_ms: float) -> Step:
        return call(COMMIT, NEW, Row(key=GROUP), answer=(Row(topic="t", partition=0, key=GROUP),), takes_ms=takes_ms)

    answered_late = (commit(600), at(900), LOST, at(1000), GIVEN, wait(3000))
    assert regrouped(*answered_late).recovered is False
    assert regrouped(*answered_late, commit(1)).recovered is True


def test_a_group_that_loses_its_partitions_within_a_second_has_not_recovered() -> None:
    steps = (fetch_answer(56), *MOVE, *ASKED, fetched(5), committed(), LOST)
    assert facts(*steps, role=Role.GROUP).recovered is False
    assert facts(*steps, wait(2000), GIVEN, fetched(20), role=Role.GROUP).recovery_ms == pytest.approx(2600, abs=300)


def test_recovery_needs_two_transactions() -> None:
    steps = (produce_answer(56), *MOVE, *ASKED)
    assert facts(*steps, transactions(2), role=Role.TRANSACTIONAL).recovered is True
    assert facts(*steps, transactions(1), role=Role.TRANSACTIONAL).recovered is False
    aborted = transactions(5, ends=AppKind.TXN_ABORTED)
    assert facts(*steps, aborted, role=Role.TRANSACTIONAL).recovered is False


def test_an_admin_client_needs_three_answers() -> None:
    hit = call(2, OLD, row(), answer=(row(code=56),))
    assert facts(hit, *MOVE, *ASKED, listed(3), role=Role.ADMIN).recovered is True
    assert facts(hit, *MOVE, *ASKED, listed(2), role=Role.ADMIN).recovered is False


def test_acks_0_recovers_by_requests_to_the_new_leader() -> None:
    steps = (closed(OLD, "broker"), *MOVE, *ASKED)
    found = judged(*steps, acked(80, NEW, acks=0), settings={"acks": "0"})
    assert (found.outcome, found.facts.lost) == (Outcome.REFRESHES, 0)
    assert judged(*steps, acked(80, OLD, acks=0), settings={"acks": "0"}).outcome is Outcome.STUCK


# retry


def test_a_retry_counts_from_the_revert_of_the_fault() -> None:
    held = (produce_answer(7), at(1000), produce_answer(7), at(3000), healed(), acked(60, OLD))
    found = judged(*held, play=BLIP)
    assert (found.outcome, found.facts.recovery_ms) == (Outcome.RIDES, 202)


def test_a_retry_of_a_short_fault_counts_from_the_hit() -> None:
    found = judged(produce_answer(7), wait(99), acked(90, OLD), play=BLIP)
    assert found.facts.recovery_ms == 302


def test_a_retry_after_a_reset_counts_at_any_broker() -> None:
    assert judged(closed(OLD), healed(), acked(90, THIRD), play=RESET).outcome is Outcome.RIDES


def test_recovery_from_a_lasting_fault_is_impossible() -> None:
    hitting = tuple(step for _ in range(95) for step in (produce_answer(7), wait(97)))
    assert judged(*hitting, play=BLIP).outcome is Outcome.WAITING
    assert judged(produce_answer(7), play=BLIP).outcome is Outcome.STUCK


# the target


def test_the_target_is_the_last_move() -> None:
    """A rolling restart moves the leader twice."""
    steps = (produce_answer(56), *MOVE, *ASKED, acked(5), moved(THIRD), announced(THIRD), produce_answer(6, NEW))
    found = judged(*steps, wait(100), ask(), tell(THIRD), acked(60, THIRD))
    assert (found.outcome, found.facts.recovered) == (Outcome.REFRESHES, True)
    assert judged(*steps, acked(60, NEW)).outcome is Outcome.STUCK


def test_without_an_announced_target_a_client_is_waiting() -> None:
    assert judged(produce_answer(56), at(150), moved()).outcome is Outcome.WAITING
    assert judged(produce_answer(56)).outcome is Outcome.WAITING


def test_observation_extends_for_a_late_election() -> None:
    late = (closed(OLD), at(9000), moved(), announced())
    assert judged(*late, play=KILL, ms=17_000).outcome is Outcome.WAITING
    assert judged(*late, play=KILL, ms=19_200).outcome is Outcome.STUCK


# reroute


def test_a_client_that_moves_before_any_useful_answer_is_hinted() -> None:
    hint = (moved(), announced(), produce_answer(6, leader=NEW), ask())
    found = facts(*hint, acked(20), tell(NEW), acked(60), play=ELECTED)
    assert (found.reroute, found.reroute_ms) == (Reroute.HINT, 3)
    assert facts(*hint, tell(NEW), acked(80), play=ELECTED).reroute is Reroute.REFRESH


def test_a_client_with_a_wrong_hint_moves_without_discovery() -> None:
    wrong = (moved(), announced(), produce_answer(6, leader=THIRD), acked(80))
    found = judged(*wrong, play=ELECTED)
    assert (found.outcome, found.facts.reroute, found.facts.rescued_by) == (Outcome.LATE, Reroute.NONE, "retry")


def test_of_two_useful_answers_the_one_after_the_error_counts() -> None:
    """An unexplained request gets the first useful answer, a request because of the error the second."""
    steps = (*MOVE, ask(), tell(NEW), produce_answer(56), ask(), tell(NEW), acked(80))
    found = judged(*steps)
    assert (found.outcome, found.facts.refresh_trigger) == (Outcome.REFRESHES, Trigger.ERROR)


def test_a_disconnect_is_no_cause_for_error_answers() -> None:
    steps = (produce_answer(56), *MOVE, ask(), tell(NEW), produce_answer(56), acked(80))
    assert judged(*steps).outcome is Outcome.REFRESHES
    lost = (at(140), closed(OLD), moved(), announced(), ask(), tell(NEW), produce_answer(56), wait(99), acked(80))
    found = judged(*lost)
    assert (found.outcome, found.facts.rescued_by) == (Outcome.LATE, "connect")


def test_a_disconnect_is_a_cause_for_connection_faults() -> None:
    steps = (closed(OLD), at(9000), moved(), announced(), ask(), tell(NEW), acked(60))
    found = judged(*steps, play=replace(KILL, prompt_ms=3000), ms=19_200)
    assert (found.outcome, found.facts.refresh_trigger) == (Outcome.REFRESHES, Trigger.DISCONNECT)


@pytest.mark.parametrize(
    ("asked_ms", "said"), [(119_100.0, "112.2 s (since brokers could serve it again)"), (39_000.0, "112.2 s")]
)
def test_a_recovery_that_is_shorter_than_the_time_until_a_question_says_from_when_it_counts(
    asked_ms: float, said: str
) -> None:
    facts = Facts(refresh_ms=asked_ms, recovery_ms=112_200.0)
    assert reason_text(Findings(cell=history().header.cell, play=KILL, facts=facts))["recovery"] == said
