"""Trials about the controller: what is judged, whom a client asks, and which requests are the application's own."""

from __future__ import annotations

from probe.model import AppKind, Expectation, Outcome, Role, Row, Trigger, Verdict
from probe.protocol.apis import CREATE_TOPICS, METADATA
from probe.scenarios.controller_gone import SCENARIO as GONE
from probe.scenarios.controller_moved import SCENARIO as MOVED
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import BEAT, NEW, OLD, STORAGE_ERROR, THIRD, Script
from tests.support.transcript_steps import (
    Step,
    announced,
    app,
    ask,
    error,
    fault_on,
    healed,
    listed,
    moved,
    produce_answer,
    tell,
    wait,
    watch,
)

NOT_CONTROLLER, NOWHERE = 41, -1
NOTHING = {"topic": "", "partition": NOWHERE}
TAKEN_OVER = (moved(NEW, **NOTHING), announced(NEW, **NOTHING))


def play(scenario: object) -> Expectation:
    variant = scenario.variant(Role.ADMIN)  # type: ignore[attr-defined]
    assert variant is not None
    return variant.expectation


def verdict(*steps: Step, about: Expectation | None = None) -> Verdict:
    return judge(history(*steps, watch(20_000), role=Role.ADMIN, play=about or play(MOVED), bystander=False))


def create(broker: int, *codes: int, count: int = 1, asks: Step | None = None) -> Step:
    """Ask whether a topic could be created: attempts with these error codes, and one without; `asks` comes between.

    The last attempt is the error of the application if `codes` ends with one that is negative.
    """

    def step(script: Script) -> None:
        for _ in range(count):
            start, number = script.now, script.next_sequence(NOWHERE)
            about = {"partition": NOWHERE, "sequence": number, "text": "create"}
            script.app(AppKind.SENT, **about)
            for code in codes:
                script.answer(script.request(CREATE_TOPICS, OLD), Row(topic="t-1", code=abs(code)))
            if codes and codes[-1] < 0:
                script.app(AppKind.LIST_ERROR, error=error(-codes[-1]), **about)
            else:
                if asks is not None:
                    asks(script)
                script.answer(script.request(CREATE_TOPICS, broker), Row(topic="t-1"))
                script.app(AppKind.LISTED, **about)
            script.now = max(start + BEAT, script.now)

    return step


def metadata(controller: int) -> Step:
    def step(script: Script) -> None:
        script.answer(script.request(METADATA, THIRD), controller=controller)

    return step


def described(controller: int) -> Step:
    """Describe the cluster to the application, by Metadata."""

    def step(script: Script) -> None:
        about = {"partition": NOWHERE, "sequence": script.next_sequence(NOWHERE), "text": "cluster"}
        script.app(AppKind.SENT, **about)
        metadata(controller)(script)
        script.app(AppKind.LISTED, **about)

    return step


def test_a_client_that_asks_for_the_controller_and_goes_there_refreshes() -> None:
    found = verdict(
        fault_on(),
        *TAKEN_OVER,
        create(NEW, NOT_CONTROLLER, asks=metadata(NEW)),
        create(NEW, count=5),
        wait(2000),
    )
    assert (found.outcome, found.facts.refresh_trigger, found.conforms) == (Outcome.REFRESHES, Trigger.ERROR, True)
    assert (found.facts.fault_codes, found.facts.errors_surfaced) == ((NOT_CONTROLLER,), 0)


def test_answers_about_offsets_are_no_recovery_of_a_client_that_asks_the_old_controller() -> None:
    found = verdict(
        fault_on(), *TAKEN_OVER, create(OLD, -NOT_CONTROLLER, count=20), listed(20), create(OLD, -NOT_CONTROLLER)
    )
    assert (found.outcome, found.facts.refreshes) == (Outcome.STUCK, 0)
    assert (found.facts.errors_surfaced, found.facts.bystander_errors) == (21, 0)


def test_a_client_that_learns_from_a_stale_answer_has_not_found_the_controller() -> None:
    found = verdict(
        fault_on(),
        *TAKEN_OVER,
        create(OLD, -NOT_CONTROLLER),
        metadata(OLD),
        create(NEW, count=5),
        wait(2000),
    )
    assert found.outcome is Outcome.LATE


def test_the_description_that_the_application_asks_for_is_no_discovery() -> None:
    found = verdict(
        fault_on(), *TAKEN_OVER, create(OLD, -NOT_CONTROLLER), described(NEW), create(NEW, count=5), wait(2000)
    )
    assert (found.outcome, found.facts.refreshes) == (Outcome.LATE, 0)


def test_a_refresh_beside_a_description_is_a_discovery() -> None:
    """sarama asks for all topics, because of the error, while the application waits for a description."""

    def both(script: Script) -> None:
        about = {"partition": NOWHERE, "sequence": script.next_sequence(NOWHERE), "text": "cluster"}
        script.app(AppKind.SENT, **about)
        metadata(NEW)(script)
        script.now += 100_000
        metadata(NEW)(script)
        script.app(AppKind.LISTED, **about)

    found = verdict(fault_on(), *TAKEN_OVER, create(NEW, NOT_CONTROLLER, asks=both), create(NEW, count=5), wait(2000))
    assert (found.outcome, found.facts.refreshes) == (Outcome.REFRESHES, 1)


def test_a_description_that_fails_hides_no_discovery() -> None:
    def refreshed(script: Script) -> None:
        about = {"partition": NOWHERE, "sequence": script.next_sequence(NOWHERE), "text": "cluster"}
        script.app(AppKind.SENT, **about)
        metadata(NEW)(script)
        script.app(AppKind.LIST_ERROR, error=error(NOT_CONTROLLER), **about)

    found = verdict(
        fault_on(), *TAKEN_OVER, create(NEW, NOT_CONTROLLER, asks=refreshed), create(NEW, count=5), wait(2000)
    )
    assert (found.outcome, found.facts.refreshes, found.facts.bystander_errors) == (Outcome.REFRESHES, 1, 1)


def test_failed_descriptions_count_as_errors_of_the_bystander() -> None:
    about = {"partition": NOWHERE, "sequence": 900, "text": "group"}
    found = verdict(
        fault_on(),
        *TAKEN_OVER,
        create(NEW, NOT_CONTROLLER, asks=metadata(NEW)),
        app(AppKind.LIST_ERROR, 15, **about),
        create(NEW, count=5),
        wait(2000),
    )
    assert (found.outcome, found.facts.bystander_errors, found.conforms) == (Outcome.REFRESHES, 1, False)


def test_a_client_that_waits_for_the_controller_rides() -> None:
    def silent(script: Script) -> None:
        about = {"partition": NOWHERE, "sequence": script.next_sequence(NOWHERE), "text": "create"}
        script.app(AppKind.SENT, **about)
        asked = script.request(CREATE_TOPICS, THIRD)
        script.now += 3_900_000
        script.answer(asked, Row(topic="t-1"))
        script.app(AppKind.LISTED, **about)

    found = verdict(fault_on(), silent, healed(), create(NEW, count=5), wait(2000), about=play(GONE))
    assert (found.outcome, found.facts.fault_hits, found.conforms) == (Outcome.RIDES, 1, True)


def test_silence_of_other_requests_is_not_that_of_the_controller() -> None:
    def slow(script: Script) -> None:
        asked = script.request(METADATA, OLD)
        script.now += 3_000_000
        script.answer(asked, controller=OLD)

    found = verdict(fault_on(), slow, healed(), create(NEW, count=5), wait(2000), about=play(GONE))
    assert found.outcome is Outcome.NOT_PROVOKED


def test_questions_about_the_cluster_decide_nothing_in_a_trial_about_a_leader() -> None:
    found = verdict(
        fault_on(),
        produce_answer(56),
        moved(),
        announced(),
        create(OLD, -NOT_CONTROLLER, count=3),
        create(NEW, count=5),
        ask(),
        tell(),
        watch(15_000),
        about=STORAGE_ERROR,
    )
    assert (found.outcome, found.facts.errors_surfaced) == (Outcome.STUCK, 0)
