"""Every fact that operators act on, shown by a client that misbehaves in exactly that way.

The client (tests/support/misbehaving) is one small program; a property chooses the one way in which it misbehaves. It
runs end to end: fake cluster, relay, driver protocol, recorder, verdict. All cells are played at once.
"""

from __future__ import annotations

import pytest

from probe.model import Facts, History, Outcome, Reroute, Trigger, Verdict
from tests.support.misbehaving.cells import Case, play_all

pytestmark = [pytest.mark.real, pytest.mark.xdist_group("misbehaving")]
RESET = "net/reset"
SHARING = "4.4"
SHARE_LIES = {
    "accepts-unseen": ("accepted and never delivered", "lost"),
    "hides-redelivery": ("accepted again without the delivery before it", "duplicated"),
    "accepts-twice": ("accepted twice", "duplicated"),
    "delivers-again": ("delivered again after a confirmed acceptance", "duplicated"),
}
"""Ways to break the promise of a share group, with the words and the fact by which the verdict says so."""
CASES = {
    "well": Case(),
    "well-consumer": Case(role="consumer"),
    "well-group": Case(role="group"),
    "well-idempotent": Case(profile="idempotent"),
    "well-steady": Case(scenario="steady"),
    "well-reset": Case(scenario=RESET),
    **{
        way: Case(way)
        for way in (
            "never-asks",
            "asks-late",
            "asks-and-stays",
            "asks-for-six",
            "asks-often",
            "asks-on",
            "asks-on-slowly",
            "tries-without-pause",
            "tries-each-broker",
            "reconnects-often",
            "reconnects-on",
            "surfaces",
            "stops-bystander",
            "fails-bystander",
            "drops-acked",
            "never-reports",
            "never-reports-unlimited",
            "invents",
            "duplicates",
            "reorders",
            "closes-slowly",
            "dies",
            "dies-early",
            "leaves",
            "sings",
        )
    },
    "asks-at-ticks": Case("asks-at-ticks", asks=True),
    "exits": Case("exits", alone=True),
    "asks-always": Case("asks-always", scenario="steady"),
    "never-asks closed": Case("never-asks", trial=1),
    "never-asks shortened": Case("never-asks", trial=2, watch_ms=3000),
    "never-reconnects": Case("never-reconnects", scenario=RESET),
    "surfaces reset": Case("surfaces", scenario=RESET),
    "reconnects-on reset": Case("reconnects-on", scenario=RESET),
    "drops-acked acks-1": Case("drops-acked", profile="acks-1"),
    "duplicates idempotent": Case("duplicates", profile="idempotent"),
    "reorders idempotent": Case("reorders", profile="idempotent"),
    "skips": Case("skips", role="consumer"),
    "repeats": Case("repeats", role="consumer"),
    "commits-ahead": Case("commits-ahead", role="group"),
    "well-share": Case(role="share", broker=SHARING),
    **{way: Case(way, role="share", broker=SHARING, scenario="steady") for way in SHARE_LIES},
}
Found = dict[str, tuple[History, Verdict]]


@pytest.fixture(scope="module")
def found() -> Found:
    return play_all(CASES)


def facts_of(found: Found, name: str, outcome: Outcome) -> Facts:
    _, verdict = found[name]
    assert verdict.outcome is outcome, (verdict.reason, verdict.facts)
    return verdict.facts


OUTCOMES = {
    "well": Outcome.REFRESHES,
    "well-consumer": Outcome.REFRESHES,
    "well-group": Outcome.REFRESHES,
    "well-idempotent": Outcome.REFRESHES,
    "well-steady": Outcome.CLEAN,
    "well-reset": Outcome.RIDES,
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_well_behaved_client_conforms(found: Found, name: str) -> None:
    facts = facts_of(found, name, OUTCOMES[name])
    assert found[name][1].conforms is True
    assert (facts.storm, facts.errors_surfaced, facts.bystander_errors, facts.after_heal) == ("", 0, 0, "")
    assert not any((facts.lost, facts.reordered, facts.position_jump))
    # a reset may take away the answer about a stored record, which is then written again
    assert name == "well-reset" or not facts.duplicated
    assert (facts.outage_ms or 0) < 3000
    assert (facts.bystander_gap_ms or 0) < 3000
    assert (facts.close_ms or 0) < 1900


@pytest.mark.parametrize("name", ["well", "well-consumer", "well-group"])
def test_a_good_client_asks_because_of_the_error(found: Found, name: str) -> None:
    facts = facts_of(found, name, Outcome.REFRESHES)
    assert (facts.refresh_trigger, facts.reroute) == (Trigger.ERROR, Reroute.REFRESH)
    assert 20 < (facts.refresh_ms or 0) < 2000  # it pauses for 100 ms first; the machine adds the rest
    assert facts.hits_before_ask == 1
    assert facts.close_ms is not None


def test_a_client_that_never_asks_is_stuck(found: Found) -> None:
    facts = facts_of(found, "never-asks", Outcome.STUCK)
    assert (facts.refresh_trigger, facts.refreshes, facts.recovered) == (Trigger.NONE, 0, False)
    assert facts.after_heal == "stuck"
    assert 5 < (facts.futile_requests_per_s or 0) < 12
    assert (facts.outage_ms or 0) > 9000
    assert facts.close_ms is None


def test_recovery_after_the_revert_is_noted(found: Found) -> None:
    facts = facts_of(found, "asks-for-six", Outcome.STUCK)
    assert facts.refresh_trigger is Trigger.NONE
    assert facts.after_heal == "recovered"


def test_asking_is_not_recovering(found: Found) -> None:
    facts = facts_of(found, "asks-and-stays", Outcome.STUCK)
    assert (facts.refresh_trigger, facts.reroute) == (Trigger.ERROR, Reroute.NONE)
    assert facts.refreshes > 50


def test_every_second_stuck_client_is_closed_under_the_fault(found: Found) -> None:
    facts = facts_of(found, "never-asks closed", Outcome.STUCK)
    assert facts.after_heal == ""
    assert facts.close_ms is not None


def test_a_shortened_observation_settles_nothing(found: Found) -> None:
    facts_of(found, "never-asks shortened", Outcome.WAITING)
    assert found["never-asks shortened"][1].conforms is None


def test_recovering_later_than_prompt_is_late(found: Found) -> None:
    facts = facts_of(found, "asks-late", Outcome.LATE)
    assert facts.rescued_by == "itself"
    took = (facts.recovery_ms, facts.outage_ms, facts.refresh_ms)  # it waits for 4 s, and pauses for 100 ms
    assert all(3500 < (ms or 0) < 6000 for ms in took), took


def test_a_periodic_refresh_rescues_and_is_no_cause(found: Found) -> None:
    facts = facts_of(found, "asks-at-ticks", Outcome.LATE)
    assert (facts.refresh_trigger, facts.rescued_by) == (Trigger.PERIODIC, "periodic")


def test_trying_every_broker_is_a_retry(found: Found) -> None:
    facts = facts_of(found, "tries-each-broker", Outcome.LATE)
    assert (facts.refresh_trigger, facts.reroute, facts.rescued_by) == (Trigger.NONE, Reroute.NONE, "retry")


STORMS = {
    "asks-often": "b",
    "asks-on": "ab",
    "asks-on-slowly": "a",
    "asks-always": "ab",
    "tries-without-pause": "d",
    "reconnects-often": "c",
    "reconnects-on": "c",
    "reconnects-on reset": "c",
}


@pytest.mark.parametrize("name", STORMS)
def test_storms_are_found(found: Found, name: str) -> None:
    facts = facts_of(found, name, Outcome.STORMS)
    assert set(STORMS[name]) <= set(facts.storm)
    if name in {"asks-on-slowly", "reconnects-on", "tries-without-pause"}:
        assert facts.storm == STORMS[name]
    assert found[name][1].conforms is False


def test_a_handled_error_may_still_surface(found: Found) -> None:
    facts = facts_of(found, "surfaces", Outcome.SURFACES)
    assert facts.first_error == "KAFKA_STORAGE_ERROR"
    assert facts.errors_surfaced == facts.failed_ops >= 1
    assert facts_of(found, "surfaces reset", Outcome.SURFACES).first_error == "client:GoneError"


def test_a_client_that_never_reconnects_is_stuck(found: Found) -> None:
    facts_of(found, "never-reconnects", Outcome.STUCK)


def test_a_stalled_bystander_does_not_conform(found: Found) -> None:
    facts = facts_of(found, "stops-bystander", Outcome.REFRESHES)
    assert 3600 < (facts.bystander_gap_ms or 0) < 6000
    assert facts.bystander_errors == 0
    assert (facts.outage_ms or 0) < 3000
    assert found["stops-bystander"][1].conforms is False


def test_an_error_of_the_bystander_does_not_conform(found: Found) -> None:
    facts = facts_of(found, "fails-bystander", Outcome.REFRESHES)
    assert (facts.bystander_errors, facts.errors_surfaced) == (1, 0)
    assert found["fails-bystander"][1].conforms is False


def test_an_acknowledged_record_that_is_missing_is_lost(found: Found) -> None:
    facts = facts_of(found, "drops-acked", Outcome.VIOLATES)
    assert facts.lost == pytest.approx((facts.acked or 0) / 7, abs=2)


@pytest.mark.parametrize(("name", "fact"), [("duplicates", "duplicated"), ("reorders", "reordered")])
def test_an_idempotent_client_promises_order_and_no_duplicates(found: Found, name: str, fact: str) -> None:
    facts = facts_of(found, f"{name} idempotent", Outcome.VIOLATES)
    assert getattr(facts, fact) == pytest.approx((facts.acked or 0) / 7, abs=2)
    other = {"duplicated", "reordered", "lost"} - {fact}
    assert all(getattr(facts, item) == 0 for item in other)


@pytest.mark.parametrize(
    ("name", "fact"), [("duplicates", "duplicated"), ("reorders", "reordered"), ("drops-acked acks-1", "lost")]
)
def test_facts_without_a_promise_are_counted_only(found: Found, name: str, fact: str) -> None:
    facts = facts_of(found, name, Outcome.REFRESHES)
    assert getattr(facts, fact) >= 3


def test_a_record_without_an_outcome_breaks_the_promise_of_a_delivery_limit(found: Found) -> None:
    facts = facts_of(found, "never-reports", Outcome.VIOLATES)
    assert (facts.unresolved or 0) >= 3
    assert (facts.lost, facts.phantom) == (0, 0)
    assert "without an outcome" in found["never-reports"][1].reason
    assert facts_of(found, "never-reports-unlimited", Outcome.REFRESHES).unresolved is None


def test_a_record_that_nobody_sent_breaks_a_promise(found: Found) -> None:
    facts = facts_of(found, "invents", Outcome.VIOLATES)
    assert facts.phantom == pytest.approx((facts.acked or 0) / 7, abs=2)
    assert facts.lost == 0
    assert "that nobody sent" in found["invents"][1].reason


@pytest.mark.parametrize("name", ["skips", "repeats"])
def test_a_position_jump_violates(found: Found, name: str) -> None:
    facts = facts_of(found, name, Outcome.VIOLATES)
    assert facts.position_jump == 5
    assert facts.duplicated == {"skips": 0, "repeats": 5}[name]


def test_a_committed_undelivered_record_is_lost(found: Found) -> None:
    facts = facts_of(found, "commits-ahead", Outcome.VIOLATES)
    assert facts.lost == pytest.approx(20, abs=3)
    assert "never delivered" in found["commits-ahead"][1].reason


def test_slow_closing_is_measured(found: Found) -> None:
    facts = facts_of(found, "closes-slowly", Outcome.REFRESHES)
    assert 2000 <= (facts.close_ms or 0) < 4000


@pytest.mark.parametrize("name", ["dies", "leaves", "exits"])
def test_an_unasked_end_after_the_hit_is_fatal(found: Found, name: str) -> None:
    facts_of(found, name, Outcome.FATAL)
    assert found[name][1].conforms is False


def test_an_end_before_the_fault_is_broken(found: Found) -> None:
    facts_of(found, "dies-early", Outcome.BROKEN)
    assert found["dies-early"][1].conforms is None


def test_names_unknown_to_the_driver_are_unsupported(found: Found) -> None:
    facts_of(found, "sings", Outcome.UNSUPPORTED)
    assert "sings" in found["sings"][1].reason


def test_a_share_consumer_that_loses_its_leader_reads_on_and_tells_what_was_not_accepted(found: Found) -> None:
    _, verdict = found["well-share"]
    # by whether the record that was given last is accepted before the fault
    assert verdict.outcome in {Outcome.REFRESHES, Outcome.SURFACES}, verdict.reason
    assert verdict.conforms is True
    assert (verdict.facts.lost, verdict.facts.duplicated) == (0, 0)
    assert verdict.facts.failed_ops == verdict.facts.errors_surfaced


@pytest.mark.parametrize("way", SHARE_LIES)
def test_a_broken_promise_of_a_share_group_is_seen(found: Found, way: str) -> None:
    words, fact = SHARE_LIES[way]
    facts = facts_of(found, way, Outcome.VIOLATES)
    assert words in found[way][1].reason
    assert (getattr(facts, fact) or 0) > 0
