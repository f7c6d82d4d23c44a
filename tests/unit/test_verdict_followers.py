"""Readers whose follower fails (KIP-392): proof that it served them, and who serves them then, from when on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import History, Outcome, Reaction, Role, Symptom, Target
from probe.scenarios.follower_killed import SCENARIO as KILLED
from probe.scenarios.follower_lagging import SCENARIO as LAGGING
from probe.scenarios.follower_storage_error import SCENARIO as STORAGE_ERROR
from probe.scenarios.scenario import Scenario
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import NEW, OLD, THIRD
from tests.support.transcript_steps import Step, at, closed, fault_on, fetch_answer, fetched, watch

FOLLOWER, LEADER, SESSION_MS = OLD, NEW, 9000


def trial(
    *steps: Step, scenario: Scenario = KILLED, session_ms: int | None = SESSION_MS, watch_ms: int = 30_000
) -> History:
    """Return the history of a consumer that the failing follower served before the fault."""
    part = scenario.variant(Role.CONSUMER)
    assert part is not None
    play = replace(part.expectation, election_ms=session_ms)
    return history(fault_on(), *steps, watch(watch_ms), role=Role.CONSUMER, play=play)


def test_a_reader_that_goes_back_to_the_leader_rides() -> None:
    found = judge(trial(closed(FOLLOWER), at(9_500), fetched(20, LEADER)))
    assert (found.outcome, found.conforms) == (Outcome.RIDES, True)
    assert found.reason.endswith("without an error; the leader serves it")


def test_the_recovery_counts_from_the_end_of_the_followers_session() -> None:
    """Until then the leader names the dead follower again, so nobody could be served."""
    found = judge(trial(closed(FOLLOWER), at(9_500), fetched(20, LEADER))).facts
    assert found.recovery_ms is not None
    assert 0 < found.recovery_ms < 1500
    assert found.outage_ms is not None
    assert found.outage_ms > SESSION_MS


def test_one_that_comes_back_long_after_it_is_late() -> None:
    assert judge(trial(closed(FOLLOWER), at(20_000), fetched(20, LEADER))).outcome is Outcome.LATE


def test_one_that_never_comes_back_is_stuck() -> None:
    assert judge(trial(closed(FOLLOWER), watch_ms=45_000)).outcome is Outcome.STUCK


def test_one_that_asks_the_broken_follower_for_ever_is_stuck() -> None:
    """The leader serves meanwhile, so the hits do not make the trial one that was watched for too short a time."""
    steps = [step for ms in range(500, 45_000, 500) for step in (at(ms), fetch_answer(56, FOLLOWER))]
    found = judge(trial(*steps, scenario=STORAGE_ERROR, session_ms=None, watch_ms=45_000))
    assert found.outcome is Outcome.STUCK
    assert found.facts.fault_hits > 80


def test_without_the_follower_before_the_fault_nothing_was_provoked() -> None:
    """A client may have a connection to a follower that it never reads from."""
    played = trial(closed(FOLLOWER), at(9_500), fetched(20, LEADER))
    elsewhere = replace(played.header, subject=replace(played.header.subject, old=THIRD))
    found = judge(replace(played, header=elsewhere))
    assert found.outcome is Outcome.NOT_PROVOKED
    assert found.reason == "no cut connection of a follower that served it reached the client in 30.0 s"


@pytest.mark.parametrize(("broker", "who"), [(LEADER, "the leader"), (FOLLOWER, "the same follower")])
def test_the_reason_says_who_serves_it(broker: int, who: str) -> None:
    steps = (fetch_answer(56, FOLLOWER), at(500), fetched(40, broker))
    found = judge(trial(*steps, scenario=STORAGE_ERROR, session_ms=None))
    assert (found.outcome, found.facts.fault_codes) == (Outcome.RIDES, (56,))
    assert found.reason.endswith(f"; {who} serves it")


def test_answers_of_a_follower_that_lags_are_soft_hits() -> None:
    waiting = [fetch_answer(0, FOLLOWER)] * 3
    found = judge(trial(*waiting, at(1_000), fetched(30, LEADER), scenario=LAGGING, session_ms=None))
    assert (found.outcome, found.facts.fault_hits, found.facts.soft_hits) == (Outcome.RIDES, 3, 3)


def test_scenarios_of_followers_leave_the_leader_in_office() -> None:
    for scenario in (KILLED, LAGGING, STORAGE_ERROR):
        for part in scenario.variants:
            play = part.expectation
            assert (play.target, play.expects) == (Target.FOLLOWER, Reaction.RETRY)
            assert play.kind is not Symptom.NONE
            assert part.follows
