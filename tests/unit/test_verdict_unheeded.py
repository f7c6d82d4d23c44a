"""Clients that ignore error answers and ask after a lost connection (docs/verdicts.md, trigger)."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Facts, Outcome, Reroute, Role, Symptom, Trigger, Verdict
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import COMMIT, OLD, PRODUCE, STORAGE_ERROR, THIRD, Script
from tests.support.transcript_steps import (
    Step,
    acked,
    announced,
    ask,
    at,
    call,
    closed,
    failed,
    fault_on,
    fetch_answer,
    moved,
    opened,
    produce_answer,
    row,
    tell,
    wait,
    watch,
)

MOVED: tuple[Step, ...] = (at(150), moved(), at(180), announced())
RESTARTED: tuple[Step, ...] = (closed(OLD, "broker"), wait(300))


def judged(*steps: Step, **more: object) -> Verdict:
    return judge(history(fault_on(), *steps, watch(10_000), **{"play": STORAGE_ERROR, "bystander": False, **more}))


def trigger(*steps: Step) -> Trigger | None:
    facts: Facts = judged(*steps).facts
    return facts.refresh_trigger


def test_a_client_that_ignores_errors_asks_for_a_disconnect() -> None:
    """sarama 1.43.2 in `disk/storage-error-restart`: it ignores answers with 56 and asks after the restart."""
    found = judged(produce_answer(56), *MOVED, failed(11), *RESTARTED, ask(), tell(), acked(40))
    assert (found.outcome, found.facts.rescued_by, found.conforms) == (Outcome.LATE, "connect", False)
    assert (found.facts.refresh_trigger, found.facts.reroute) == (Trigger.DISCONNECT, Reroute.REFRESH)
    assert "because a connection was lost" in found.reason


EITHER = replace(STORAGE_ERROR, causes=("error", "disconnect"))


def test_ignored_errors_are_late_even_if_a_disconnect_is_a_cause() -> None:
    """In `disk/storage-error-restart` some clients meet only the disconnect; this one meets errors before."""
    found = judged(produce_answer(56), *MOVED, failed(11), *RESTARTED, ask(), tell(), acked(40), play=EITHER)
    assert (found.outcome, found.facts.rescued_by) == (Outcome.LATE, "connect")
    assert found.facts.refresh_trigger is Trigger.DISCONNECT


def test_a_client_that_meets_only_the_disconnect_is_not_late() -> None:
    found = judged(*MOVED, *RESTARTED, ask(), tell(), acked(40), play=EITHER)
    assert (found.outcome, found.facts.refresh_trigger) == (Outcome.REFRESHES, Trigger.DISCONNECT)


def test_ignored_errors_do_not_matter_for_connection_faults() -> None:
    steps = (produce_answer(56), *MOVED, failed(3), *RESTARTED, ask(), tell(), acked(40))
    found = judged(*steps, play=replace(EITHER, kind=Symptom.CONNECTION))
    assert (found.outcome, found.facts.refresh_trigger) == (Outcome.SURFACES, Trigger.DISCONNECT)


def test_errors_are_ignored_after_three_attempts() -> None:
    assert trigger(*[produce_answer(56), wait(100)] * 3, *RESTARTED, ask()) is Trigger.DISCONNECT
    assert trigger(*[produce_answer(56), wait(100)] * 2, *RESTARTED, ask()) is Trigger.ERROR


def test_requests_in_flight_together_are_one_attempt() -> None:
    """Five requests in flight are answered at once, and a good client asks 100 ms later."""

    def together(script: Script) -> None:
        asked = [script.request(PRODUCE, OLD, row(size=80)) for _ in range(5)]
        for one in asked:
            script.now += 1000
            script.answer(one, row(code=56))

    assert trigger(together, closed(OLD, "broker"), wait(100), ask()) is Trigger.ERROR
    again = [together, wait(50)]
    assert trigger(*again * 3, closed(OLD, "broker"), wait(100), ask()) is Trigger.DISCONNECT


def test_a_client_that_asked_before_does_not_ignore_errors() -> None:
    """The client receives the old leader and asks again."""
    stale = (produce_answer(56), ask(), tell(OLD))
    assert trigger(*stale, *[wait(100), produce_answer(56)] * 4, *RESTARTED, ask()) is Trigger.ERROR
    between = (produce_answer(56), wait(100), produce_answer(56), ask(), tell(OLD), wait(100), produce_answer(56))
    found = judged(*between, *MOVED, *RESTARTED, ask(), tell(), acked(60)).facts
    assert found.reroute is Reroute.REFRESH
    assert found.rescued_by == ""


def test_an_error_after_the_disconnect_is_the_cause() -> None:
    """The restarted broker answers 6, and the client asks because of that."""
    back = (opened(OLD), produce_answer(6))
    assert trigger(*[produce_answer(56), wait(100)] * 5, *RESTARTED, *back, wait(10), ask()) is Trigger.ERROR


def test_without_a_disconnect_the_error_is_the_cause() -> None:
    assert trigger(*[produce_answer(56), wait(100)] * 20, ask()) is Trigger.ERROR


def test_successful_requests_are_no_attempts() -> None:
    aside = call(PRODUCE, THIRD, row(1, size=80), answer=(row(1),))
    assert trigger(produce_answer(56), *[wait(100), aside] * 5, *RESTARTED, ask()) is Trigger.ERROR


def test_errors_of_other_apis_are_no_attempts() -> None:
    """Java's group in `broker/decommissioned`: one Fetch is answered with 6, commits with 14 (coordinator loads)."""
    commit = call(COMMIT, THIRD, row(), answer=(row(code=14),))
    steps = (fetch_answer(56), *[wait(100), commit] * 4, *RESTARTED, ask())
    found = judged(*steps, role=Role.GROUP)
    assert found.facts.refresh_trigger is Trigger.ERROR
