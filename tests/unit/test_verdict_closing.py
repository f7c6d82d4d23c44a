"""A client that its application closes under a fault: it ends in time, reports every record and leaves its group."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.catalogue.scenarios import CLOSINGS, default_scenarios, select_scenarios
from probe.model import AppKind, Expectation, History, Mark, MarkKind, Outcome, Reaction, Role, Row, Target
from probe.model.harm import Harm, HarmBounds
from probe.model.harm_rules import harm_of
from probe.model.roles import ROLES
from probe.planning.paces import LONG_OBSERVATION_MS
from probe.protocol.apis import CONSUMER_GROUP_HEARTBEAT, LEAVE_GROUP
from probe.scenarios.closings import CONFORMING, closed_during
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import GROUP, OLD, STORAGE_ERROR, Script
from tests.support.transcript_steps import Step, app, at, call, failed, fault_on, fetch_answer, mark, produce_answer

CLOSES = replace(STORAGE_ERROR, expects=Reaction.NOTHING, conforms=CONFORMING, closes=True)
CLOSED, HUNG = app(AppKind.CLOSED), app(AppKind.FATAL, text="close did not return in 36000 ms")


def leaves(api: int = LEAVE_GROUP) -> Step:
    return call(api, OLD, Row(key=GROUP), answer=(Row(key=GROUP),))


def unanswered(script: Script) -> None:
    """Hand over a record of which nothing is heard."""
    script.app(AppKind.SENT, partition=0, sequence=script.next_sequence(0))


def trial(*more: Step, end: Step = CLOSED, role: Role = Role.PRODUCER, play: Expectation = CLOSES) -> History:
    answer = fetch_answer(56) if ROLES[role].reads else produce_answer(56)
    steps = (fault_on(), answer, at(300), mark(MarkKind.STOPPING), *more, end, mark(MarkKind.STOPPED))
    return history(*steps, role=role, play=play, bystander=False)


def test_a_client_that_ends_in_time_is_clean() -> None:
    found = judge(trial(at(480)))
    assert (found.outcome, found.conforms, found.facts.bystander_gap_ms) == (Outcome.CLEAN, True, None)
    assert found.reason.startswith("closed in 18")
    assert found.reason.endswith("after KAFKA_STORAGE_ERROR 56 (1 hit) without an error")


def test_an_error_is_an_outcome_of_a_record() -> None:
    found = judge(trial(failed(2), at(700)))
    assert (found.outcome, found.conforms, found.facts.errors_surfaced) == (Outcome.SURFACES, True, 2)
    assert "; closed in 4" in found.reason


def test_a_client_that_does_not_end_is_stuck() -> None:
    found = judge(trial(at(36_200), end=HUNG))
    assert (found.outcome, found.conforms) == (Outcome.STUCK, False)
    assert found.reason.startswith("close() did not return in ")


def test_a_close_that_the_driver_cut_short_did_not_return() -> None:
    def asked(script: Script) -> None:
        script.add(Mark(at=script.now, kind=MarkKind.STOPPING, text="36000"))

    steps = (fault_on(), produce_answer(56), at(300), asked)
    for ended_ms, outcome in ((35_000, Outcome.CLEAN), (35_600, Outcome.STUCK)):
        whole = history(*steps, at(ended_ms), CLOSED, mark(MarkKind.STOPPED), play=CLOSES, bystander=False)
        assert judge(whole).outcome is outcome


def test_a_close_that_hangs_without_a_fault_is_not_blamed_on_the_fault() -> None:
    whole = trial(at(36_200), end=HUNG)
    why = "close() does not return within 36 s without a fault either"
    found = judge(History(replace(whole.header, impossible=why), whole.events))
    assert (found.outcome, found.conforms, found.reason) == (Outcome.UNSUPPORTED, None, why)


def test_a_record_without_an_outcome_breaks_a_promise() -> None:
    found = judge(trial(unanswered))
    assert (found.outcome, found.conforms) == (Outcome.VIOLATES, False)
    assert "1 record without an outcome at the end of close()" in found.reason
    assert found.facts.unresolved == 1


@pytest.mark.parametrize("reordered", [0, 1])
def test_a_record_that_nobody_accounts_for_is_lost_whatever_else_happened(reordered: int) -> None:
    found = judge(trial(unanswered, at(700)))
    facts = replace(found.facts, reordered=reordered)
    harm = harm_of(replace(found, facts=facts), HarmBounds(role=Role.PRODUCER))
    assert (found.outcome, harm and harm.rank) == (Outcome.VIOLATES, Harm.LOSES)


def test_a_record_under_way_is_no_issue_while_close_hangs() -> None:
    assert judge(trial(unanswered, at(36_200), end=HUNG)).outcome is Outcome.STUCK


def test_an_application_that_reports_no_record_owes_none() -> None:
    whole = trial(unanswered)
    assert judge(History(replace(whole.header, judged_by="wire"), whole.events)).outcome is Outcome.CLEAN


@pytest.mark.parametrize("api", [LEAVE_GROUP, CONSUMER_GROUP_HEARTBEAT])
def test_a_member_leaves_its_group(api: int) -> None:
    assert judge(trial(leaves(api), role=Role.GROUP)).outcome is Outcome.CLEAN


def test_a_member_that_does_not_leave_breaks_a_promise() -> None:
    found = judge(trial(role=Role.GROUP))
    assert found.outcome is Outcome.VIOLATES
    assert "its group was not left, although its coordinator was healthy" in found.reason


def test_a_member_cannot_leave_where_the_coordinator_fails() -> None:
    play = replace(CLOSES, target=Target.COORDINATOR, codes=(15, 16))
    assert judge(trial(role=Role.GROUP, play=play)).outcome is Outcome.CLEAN


def test_a_client_that_ends_before_it_is_asked_is_fatal() -> None:
    steps = (fault_on(), produce_answer(56), app(AppKind.FATAL, text="gone"), mark(MarkKind.STOPPED))
    assert judge(history(*steps, play=CLOSES, bystander=False)).outcome is Outcome.FATAL


def test_the_default_catalogue_has_four_scenarios_with_a_close() -> None:
    names = {name for name, item in default_scenarios().items() if item.name.startswith("close-during/")}
    assert names == {f"close-during/{base}" for base in CLOSINGS}
    for name in names:
        for part in default_scenarios()[name].variants:
            assert (part.expectation.closes, part.heal_after_ms) == (True, None)


def test_any_other_fault_that_stands_has_one_by_name() -> None:
    (found,) = select_scenarios(["close-during/net/reset"])
    assert found.roles == default_scenarios()["net/reset"].roles


@pytest.mark.parametrize("base", ["steady", "bootstrap/first-dead", "start-during/disk/storage-error"])
def test_where_a_working_client_meets_no_fault_there_is_none(base: str) -> None:
    assert closed_during(default_scenarios()[base]) is None


@pytest.mark.parametrize(
    ("base", "role", "is_long"),
    [
        ("disk/storage-error", Role.PRODUCER, False),
        ("broker/kill", Role.TRANSACTIONAL, True),
        ("net/blackhole", Role.CONSUMER, True),
    ],
)
def test_a_close_that_may_wait_for_minutes_is_a_long_watch(base: str, role: Role, is_long: bool) -> None:
    part = default_scenarios()[f"close-during/{base}"].variant(role)
    assert part is not None
    assert (part.expectation.watch_ms >= LONG_OBSERVATION_MS) is is_long
