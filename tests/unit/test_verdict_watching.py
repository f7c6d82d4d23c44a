"""When the observation of a trial may end, and which outcomes conform."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from probe.model import (
    AppKind,
    Cell,
    Engine,
    Expectation,
    Facts,
    History,
    Limits,
    Outcome,
    Reality,
    Role,
)
from probe.protocol.names import api_key
from probe.verdict import certain, conforms, judge, outlook, patience_ms
from tests.support.histories import history
from tests.support.transcript import AFFECTED, BLIP, FINAL, HANG, KILL, NEW, OLD, PRODUCE, STEADY, STORAGE_ERROR, Script
from tests.support.transcript_steps import (
    Step,
    acked,
    announced,
    app,
    ask,
    at,
    closed,
    failed,
    fault_on,
    fetched,
    folded,
    healed,
    moved,
    produce_answer,
    row,
    tell,
    wait,
)
from tests.support.verdict_case import MOVE

JOIN_GROUP = api_key("JoinGroup")
REFRESHED: tuple[Step, ...] = (produce_answer(56), *MOVE, ask(), tell(NEW))


def so_far(*steps: Step, play: Expectation = STORAGE_ERROR, **more: object) -> History:
    return history(fault_on(), *steps, play=play, running=True, **more)


def test_a_recovered_client_is_observed_five_seconds_more() -> None:
    assert not certain(so_far(*REFRESHED, acked(40)))
    assert not certain(so_far(*REFRESHED, acked(50)))
    assert certain(so_far(*REFRESHED, acked(54)))


def test_a_client_that_has_not_recovered_is_observed_to_the_end() -> None:
    assert not certain(so_far(failed(1), *MOVE, failed(90)))
    assert certain(so_far(failed(1), *MOVE, failed(99)))


def test_a_slow_client_is_observed_until_its_patience_ends() -> None:
    slow = Limits(back_off_ms=100, own_limit_ms=12_500)
    assert not certain(so_far(failed(1), *MOVE, failed(140), limits=slow))
    assert certain(so_far(failed(1), *MOVE, failed(150), limits=slow))


def test_a_pause_at_the_end_of_steady_extends_the_observation() -> None:
    pause = (acked(60, OLD), wait(3000))
    assert not certain(so_far(*pause, play=STEADY))
    assert judge(history(fault_on(), *pause, play=STEADY)).outcome is Outcome.WAITING
    assert certain(so_far(*pause, acked(1, OLD), play=STEADY))
    assert certain(so_far(acked(60, OLD), wait(5000), play=STEADY))


def test_observation_extends_for_a_recovery_under_way() -> None:
    steps = (failed(1), *MOVE, failed(93), ask(), tell(NEW))
    assert not certain(so_far(*steps, acked(8)))
    found = judge(history(fault_on(), *steps, acked(8)))
    assert (found.outcome, found.facts.recovered) == (Outcome.WAITING, False)
    assert judge(history(fault_on(), *steps, acked(20))).facts.recovered is True


def test_a_fault_without_a_hit_ends_with_the_observation() -> None:
    slow = Limits(back_off_ms=100, own_limit_ms=60_000)
    assert not certain(so_far(acked(95, OLD), limits=slow))
    assert certain(so_far(acked(101, OLD), limits=slow))


@pytest.mark.parametrize(
    ("steps", "play"),
    [
        ((*REFRESHED, acked(99)), STORAGE_ERROR),
        ((failed(1), *MOVE, failed(120)), STORAGE_ERROR),
        ((acked(120, OLD),), STORAGE_ERROR),
        ((acked(80, OLD),), STEADY),
        ((failed(1, 10), acked(99, OLD)), FINAL),
    ],
)
def test_certainty_never_comes_earlier_than_predicted(steps: tuple[Step, ...], play: Expectation) -> None:
    whole = so_far(*steps, play=play)
    begin = whole.events[0].at
    seen = [(event.at, History(whole.header, whole.events[: n + 1])) for n, event in enumerate(whole.events)]
    due = begin
    for at_us, history_then in seen:
        if certain(history_then):
            assert at_us >= due
            return
        due = max(due, at_us + outlook(history_then).left_ms * 1000)
    pytest.fail("the verdict never became certain")


def test_certainty_that_needs_an_event_does_not_come_by_time() -> None:
    """The runner does not ask again during silence until the observation ends."""
    silent = so_far(produce_answer(56))
    for watched_ms in range(6_000, silent.header.play.watch_ms, 1_000):
        found = outlook(replace(silent, header=replace(silent.header, watched_ms=watched_ms)))
        assert found.needs_event
        assert found.left_ms
    assert not outlook(so_far(*REFRESHED)).needs_event, "after recovery, time alone is enough"
    assert not outlook(so_far(acked(48, OLD), play=STEADY)).needs_event


def test_time_counts_for_a_silent_client() -> None:
    silent = so_far(produce_answer(56))
    assert not certain(silent)
    assert certain(replace(silent, header=replace(silent.header, watched_ms=200_000)))


@pytest.mark.parametrize("kind", [AppKind.FATAL, AppKind.CLOSED, AppKind.UNSUPPORTED])
def test_an_ended_instance_is_certain_at_once(kind: AppKind) -> None:
    assert certain(so_far(produce_answer(56), app(kind)))


def test_steady_ends_with_its_observation() -> None:
    assert not certain(so_far(acked(48, OLD), play=STEADY))
    assert certain(so_far(acked(51, OLD), play=STEADY))
    slow = Limits(back_off_ms=100, own_limit_ms=10_000)
    assert certain(so_far(acked(51, OLD), play=STEADY, limits=slow))
    assert not certain(so_far(acked(10, OLD), at(5100), app(AppKind.NOTICE), play=STEADY, limits=slow))
    assert certain(so_far(acked(10, OLD), at(12_100), app(AppKind.NOTICE), play=STEADY, limits=slow))


def test_surfacing_ends_some_time_after_the_error() -> None:
    assert not certain(so_far(failed(1, 10), acked(40, OLD), play=FINAL))
    assert certain(so_far(failed(1, 10), acked(55, OLD), play=FINAL))
    assert not certain(so_far(produce_answer(10), acked(90, OLD), play=FINAL))
    assert certain(so_far(produce_answer(10), acked(101, OLD), play=FINAL))


def test_a_working_client_without_an_error_is_certain() -> None:
    slow = Limits(back_off_ms=100, own_limit_ms=60_000)
    steps = (produce_answer(10), at(3000), healed(), acked(69, OLD))
    assert not certain(so_far(*steps, play=FINAL, limits=slow))
    assert certain(so_far(*steps, acked(2, OLD), play=FINAL, limits=slow))


def test_observation_continues_after_the_fault_is_reverted() -> None:
    held = (produce_answer(7), at(2900), produce_answer(7))
    assert not certain(so_far(*held, at(3000), healed(), acked(40, OLD), play=BLIP))
    assert certain(so_far(*held, at(3000), healed(), acked(54, OLD), play=BLIP))


def test_a_late_election_has_its_own_observation() -> None:
    late = (closed(OLD), at(9000), moved(), announced())
    assert not certain(so_far(*late, at(15_000), app(AppKind.NOTICE), play=KILL))
    assert certain(so_far(*late, at(19_100), app(AppKind.NOTICE), play=KILL))


def test_waiting_for_a_target_has_a_limit() -> None:
    assert not certain(so_far(closed(OLD), at(60_000), app(AppKind.NOTICE), play=KILL))
    assert certain(so_far(closed(OLD), at(98_100), app(AppKind.NOTICE), play=KILL))


def test_silence_on_the_wire_does_not_stop_the_clock() -> None:
    """The runner supplies the time while a hung client is silent."""
    quiet = so_far(failed(1), *MOVE, bystander=False, watched_ms=10_001)
    assert certain(quiet)


def test_an_empty_history_is_not_certain() -> None:
    assert not certain(replace(so_far(), events=()))


def test_certain_is_cheap() -> None:
    """It is called twice per second for every trial in flight."""
    long = so_far(failed(1), *MOVE, failed(95), folded(PRODUCE, OLD, 100, 500, row(code=56)))
    early = so_far(*REFRESHED, acked(40))
    assert len(long.events) > 700
    started = time.process_time()
    for _ in range(20):
        certain(long)
        certain(early)
    assert (time.process_time() - started) / 20 < 0.03


# patience


def test_patience_covers_the_limits_of_the_client() -> None:
    header = so_far().header
    assert patience_ms(header) == 10_000
    assert patience_ms(replace(header, limits=Limits(back_off_ms=1, own_limit_ms=30_000))) == 36_000
    assert patience_ms(replace(header, limits=Limits(back_off_ms=1, own_limit_ms=5_000))) == 10_000
    assert patience_ms(replace(header, limits=Limits(back_off_ms=1, min_discovery_age_ms=10_000))) == 12_000
    assert patience_ms(replace(header, play=HANG)) == 19_000  # the election takes longer than prompt


def test_stuck_waits_for_the_minimum_discovery_age() -> None:
    """franz-go 1.0.0 asks at the first error and then not for 10 s (pkg/kgo/config.go, metadataMinAge)."""
    limits = Limits(back_off_ms=100, min_discovery_age_ms=10_000)
    stale = (produce_answer(6), ask(), tell(OLD), *MOVE)
    assert judge(so_far(*stale, failed(98, 6), limits=limits)).outcome is Outcome.WAITING
    assert judge(so_far(*stale, failed(98, 6), ask(), tell(NEW), acked(20), limits=limits)).outcome is Outcome.LATE
    assert judge(so_far(*stale, failed(120, 6), limits=limits)).outcome is Outcome.STUCK


def test_stuck_counts_from_the_revert_for_a_late_retry() -> None:
    """franz-go 1.17.1 asks before every retry, at most every 5 s."""
    limits = Limits(back_off_ms=250, min_discovery_age_ms=5000)
    tried = (produce_answer(7), at(5000), produce_answer(7), healed())
    steps = (*tried, *silent_for(5100))
    assert judge(so_far(*steps, play=BLIP, limits=limits)).outcome is Outcome.WAITING
    assert judge(so_far(*steps, at(10_100), acked(20), play=BLIP, limits=limits)).outcome is Outcome.LATE
    assert judge(so_far(*steps, *silent_for(6100), play=BLIP, limits=limits)).outcome is Outcome.STUCK


def silent_for(ms: int) -> tuple[Step, ...]:
    return (wait(ms), app(AppKind.NOTICE))


def test_records_from_before_the_revert_are_no_recovery() -> None:
    """franz-go 1.17.1 first sends waiting records; the next acknowledgements follow at intervals of 0.8 s."""
    old = app(AppKind.SENT, partition=AFFECTED, sequence=90)
    tried = (old, produce_answer(7), at(5000), produce_answer(7), healed(), at(10_900))
    served = (*tried, acknowledged_late(90))

    def now(*steps: Step) -> History:
        return so_far(*steps, play=BLIP, limits=Limits(back_off_ms=250, own_limit_ms=2500))

    assert not certain(now(*served, *silent_for(1000)))
    assert judge(now(*served, acked(3, every=800_000), *silent_for(1000))).outcome is Outcome.LATE
    assert judge(now(*served, *silent_for(10_100))).outcome is Outcome.STUCK
    assert judge(now(*tried, *silent_for(1000))).outcome is Outcome.STUCK


def acknowledged_late(number: int) -> Step:
    def step(script: Script) -> None:
        script.store(AFFECTED, number)
        script.app(AppKind.ACKED, partition=AFFECTED, sequence=number)

    return step


# conforms

CELL = Cell("sarama", "1.43.3", Role.PRODUCER, "isolated", "s", Engine.EMBEDDED, "3.9")
GOOD = Facts(bystander_gap_ms=120)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Outcome.REFRESHES, True),
        (Outcome.HINTED, True),
        (Outcome.CLEAN, True),
        (Outcome.SURFACES, False),
        (Outcome.LATE, False),
        (Outcome.STUCK, False),
        (Outcome.STORMS, False),
        (Outcome.FATAL, False),
        (Outcome.VIOLATES, False),
        *((outcome, None) for outcome in (Outcome.UNSUPPORTED, Outcome.NOT_PROVOKED, Outcome.WAITING)),
        *((outcome, None) for outcome in (Outcome.BROKEN, Outcome.FLAKY, Outcome.NOT_RUN)),
    ],
)
def test_conforming_outcomes(outcome: Outcome, expected: bool | None) -> None:
    assert conforms(CELL, STORAGE_ERROR, outcome, GOOD) is expected


def test_profile_no_retries_may_surface_errors() -> None:
    cell = replace(CELL, profile="no-retries+linger.ms=5")
    assert conforms(cell, STORAGE_ERROR, Outcome.SURFACES, GOOD) is True
    assert conforms(cell, STORAGE_ERROR, Outcome.STUCK, GOOD) is False
    assert conforms(replace(CELL, profile="idempotent"), STORAGE_ERROR, Outcome.SURFACES, GOOD) is False


def test_fatal_conforms_where_the_scenario_allows_it() -> None:
    play = replace(FINAL, conforms=(Outcome.SURFACES, Outcome.FATAL))
    assert conforms(CELL, play, Outcome.FATAL, GOOD) is True


def test_informative_and_raw_cells_have_no_conformity() -> None:
    assert conforms(CELL, replace(STORAGE_ERROR, conforms=()), Outcome.STUCK, GOOD) is None
    assert conforms(CELL, replace(STORAGE_ERROR, reality=Reality.RAW), Outcome.STUCK, GOOD) is None


@pytest.mark.parametrize(
    "facts",
    [Facts(bystander_errors=1, bystander_own_gap_ms=100), Facts(bystander_own_gap_ms=3001)],
    ids=["errors", "gap"],
)
def test_a_suffering_bystander_does_not_conform(facts: Facts) -> None:
    assert conforms(CELL, STORAGE_ERROR, Outcome.REFRESHES, facts) is False
    assert conforms(CELL, STORAGE_ERROR, Outcome.WAITING, facts) is None


def test_a_missing_bystander_does_not_matter() -> None:
    assert conforms(CELL, STORAGE_ERROR, Outcome.REFRESHES, Facts(bystander_own_gap_ms=3000)) is True
    assert conforms(CELL, STORAGE_ERROR, Outcome.REFRESHES, Facts()) is True


def test_a_consumer_is_observed_after_recovery_too() -> None:
    assert not certain(so_far(*REFRESHED, fetched(20), wait(10), role=Role.CONSUMER))
