"""Observations to the end: for how long, what ended a standstill, and what is judged on the usual watch alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.catalogue.selectors import select_profiles
from probe.cells.kept_brokers import with_kept_brokers
from probe.cli.wiring.catalogue import families
from probe.model import (
    Cell,
    Closed,
    Ender,
    Engine,
    EngineEvent,
    Event,
    Expectation,
    Facts,
    Limits,
    Mark,
    MarkKind,
    Outcome,
    OwnLimit,
    Role,
    Row,
    Target,
    Trigger,
    Verdict,
)
from probe.model.words import UNENDED
from probe.planning.cohorts import TrialTask, into_cohorts
from probe.verdict import judge, patience_ms
from probe.verdict.broker_delay import broker_delay_so_far_ms
from probe.verdict.patience import MOST_AWAITED_MS, SELDOM_MS, longest_limit
from probe.verdict.progress import observe
from probe.verdict.standstill_text import standstill_text
from probe.verdict.wire_evidence import WireEvidence
from tests.support.histories import history
from tests.support.real_cells import planned
from tests.support.synthetic_rows import settled_cell
from tests.support.transcript import BLIP, GROUP, HEARTBEAT, KILL, NEW, OLD, PRODUCE, STORAGE_ERROR, THIRD, Script
from tests.support.transcript_steps import (
    Step,
    acked,
    announced,
    ask,
    at,
    call,
    closed,
    committed,
    failed,
    fault_on,
    fetch_answer,
    fetched,
    healed,
    mark,
    moved,
    opened,
    produce_answer,
    row,
    tell,
    wait,
    watch,
)
from tests.support.verdict_case import MOVE

END = Limits(back_off_ms=100, to_the_end=True)
LIMITS = {"refresh_ms": "60000", "request_timeout_ms": "30000"}


def judged(
    *steps: Step, limits: Limits = END, play: Expectation = STORAGE_ERROR, settings: dict[str, str] | None = None
) -> Verdict:
    return judge(
        history(fault_on(), *steps, play=play, profile="defaults", limits=limits, settings=LIMITS | (settings or {}))
    )


HIT: tuple[Step, ...] = (produce_answer(56), *MOVE)


# patience


@pytest.mark.parametrize(
    ("settings", "awaited"),
    [
        ({"refresh_ms": "600000", "request_timeout_ms": "30000"}, 720_000),
        ({"refresh_ms": "-1", "request_timeout_ms": "30000"}, 36_000),
        ({"session_timeout_ms": "45000", "rebalance_timeout_ms": "60000"}, 126_000),
        ({"delivery_timeout_ms": "120000", "longest_backoff_ms": "1000"}, 144_000),
        ({"socket_timeout_ms": "60000.0"}, 72_000),
        ({"refresh_ms": "3600000"}, MOST_AWAITED_MS),
        ({"refresh_ms": "600"}, 10_000),  # the usual watch
        ({}, 10_000),
    ],
)
def test_the_longest_of_a_librarys_own_limits_is_awaited(settings: dict[str, str], awaited: int) -> None:
    header = replace(history(limits=END).header, settings=settings)
    assert patience_ms(header) == awaited
    assert patience_ms(replace(header, limits=replace(END, to_the_end=False))) == 10_000


def test_delays_of_the_probes_own_do_not_extend_the_watch() -> None:
    """A producer that stands still is answered late beyond the usual watch, 10 s."""
    slow = call(PRODUCE, NEW, row(size=80), answer=(row(),), takes_ms=2000)
    trial = history(fault_on(), *HIT, at(5000), slow, at(15_000), slow, watch(30_000), limits=END, settings=LIMITS)
    for whole, delay in ((True, 2000), (False, 4000)):
        header = replace(trial.header, limits=replace(END, to_the_end=whole))
        progress = observe(WireEvidence(replace(trial, header=header)))
        assert broker_delay_so_far_ms(progress.reading, progress.recovery) == pytest.approx(delay, abs=5)


def test_no_refresh_is_awaited_where_one_every_second_does_not_help() -> None:
    header = history(limits=replace(END, refresh_helps=False), settings=LIMITS).header
    assert longest_limit(header) == (OwnLimit.REQUEST, 30_000)
    assert patience_ms(header) == 36_000


def test_a_client_that_a_limit_may_rescue_is_not_called_stuck() -> None:
    assert judged(*HIT, failed(98, 56), watch(60_000)).outcome is Outcome.WAITING
    assert judged(*HIT, failed(98, 56), watch(60_000), limits=Limits(back_off_ms=100)).outcome is Outcome.STUCK
    assert judged(*HIT, failed(98, 56), watch(73_000)).outcome is Outcome.STUCK


# what ended it


def test_a_periodic_refresh_ends_a_standstill_and_its_interval_bounds_it() -> None:
    """A tick of a minute may be late by a hundredth, since no gap before the fault shows how late ticks are."""
    asked = (at(58_800), ask(), tell(NEW), acked(60))
    found = judge(
        history(
            fault_on(),
            *HIT,
            *asked,
            watch(70_000),
            warm_up=(at(-1500), ask(), tell(OLD)),
            limits=END,
            settings=LIMITS,
        )
    )
    assert found.outcome is Outcome.LATE
    facts = found.facts
    assert (facts.ended_by, facts.own_limit, facts.own_limit_ms) == (Ender.PERIODIC, OwnLimit.REFRESH, 60_000)
    assert facts.still_ms == pytest.approx(58_800, abs=100)
    assert facts.age_ms == pytest.approx(1500, abs=100)
    assert "stood still 59 s, until its periodic refresh (every 1 min: up to 60 s)" in found.reason


def test_the_reaction_of_a_client_ends_its_standstill() -> None:
    facts = judged(*HIT, ask(), tell(NEW), acked(60), watch(10_000)).facts
    assert (facts.ended_by, facts.own_limit, facts.own_limit_ms) == (Ender.ERROR, OwnLimit.NONE, None)
    assert standstill_text(facts) == ""  # it is short


def test_a_fault_that_ends_by_itself_ends_the_standstill() -> None:
    tried = (produce_answer(7), at(5000), produce_answer(7), healed(), acked(60))
    facts = judged(*tried, watch(20_000), play=BLIP).facts
    assert facts.ended_by is Ender.HEALED
    assert standstill_text(facts).endswith("until the fault ended by itself")


def test_the_start_of_a_client_that_starts_under_the_fault_ends_its_standstill() -> None:
    """The first address is dead: what it asks before it works belongs to its start."""
    play = replace(KILL, target=Target.CLUSTER, causes=(Trigger.STARTUP,), election_ms=None)
    steps = (opened(OLD), wait(900), closed(OLD, by="broker"), ask(), tell(NEW), acked(60), watch(10_000))
    whole = history(fault_on(), *steps, play=play, limits=END, settings=LIMITS)
    fault = next(item.at for item in whole.events if isinstance(item, EngineEvent))
    started = (replace(item, at=fault + 1_500_000) if _is_warm(item) else item for item in whole.events)
    events = tuple(item for item in started if item.at >= fault)
    facts = judge(replace(whole, events=tuple(sorted(events, key=lambda item: item.at)))).facts
    assert facts.ended_by is Ender.STARTUP
    assert "its start found a broker that answers" in standstill_text(replace(facts, still_ms=5000))


def _is_warm(item: Event) -> bool:
    return isinstance(item, Mark) and item.kind is MarkKind.WARM


@pytest.mark.parametrize(
    ("beside", "ended_by"),
    [
        (call(HEARTBEAT, THIRD, Row(key=GROUP), answer=(Row(key=GROUP, code=16),)), Ender.ERROR),
        (closed(THIRD, by="broker"), Ender.DISCONNECT),
        (call(HEARTBEAT, THIRD, Row(key=GROUP), answer=(Row(key=GROUP, code=27),)), Ender.UNKNOWN),
    ],
)
def test_what_else_went_wrong_ends_a_standstill_where_the_partition_said_nothing_new(
    beside: Step, ended_by: Ender
) -> None:
    """KafkaJS's member in `broker/rolling`: the leader came back, and it asked as its coordinator answered 16."""
    told = (fetch_answer(6), ask(), tell(NEW), at(3500), moved(OLD), at(3600), announced(OLD))
    again = (at(4000), beside, ask(OLD), tell(OLD), fetched(40, OLD), committed(), fetched(20, OLD))
    play = replace(STORAGE_ERROR, codes=(6,))
    found = judge(
        history(
            fault_on(), *MOVE, *told, *again, watch(12_000), play=play, role=Role.GROUP, limits=END, settings=LIMITS
        )
    )
    assert found.facts.ended_by is ended_by


def test_a_request_without_acknowledgement_on_a_lost_connection_reaches_nobody() -> None:
    """kafka-go with acks=0 writes to the address that its broker has left, until its refresh names the new one."""
    cut = (closed(OLD, by="broker"), at(700), _unread(OLD), at(2000), moved(OLD), announced(OLD))
    asked = (at(4000), ask(), tell(OLD), acked(60, OLD, acks=0))
    found = judge(
        history(
            fault_on(),
            *cut,
            *asked,
            watch(12_000),
            play=KILL,
            warm_up=(at(-1500), ask(), tell(OLD)),
            limits=END,
            settings={"acks": "0", "refresh_ms": "6000", "refresh_least_ms": "100"},
        )
    )
    assert found.facts.still_ms == pytest.approx(4000, abs=100)
    assert (found.facts.ended_by, found.facts.own_limit_ms) == (Ender.PERIODIC, 6000)


def _unread(broker: int) -> Step:
    """Send a request without acknowledgement on the connection to a broker that has ended."""

    def step(script: Script) -> None:
        ended = next(item for item in reversed(script.events) if isinstance(item, Closed))
        script.connections[broker] = ended.conn
        script.request(PRODUCE, broker, row(size=80), acks=0)
        script.connections.pop(broker)

    return step


@pytest.mark.parametrize(
    ("settings", "limits", "limit", "words"),
    [
        ({}, END, OwnLimit.REFRESH, "none of its own limits ended it, the longest of which is its periodic refresh"),
        ({}, replace(END, refresh_helps=False), OwnLimit.NONE, UNENDED),
        ({"refresh_ms": "3600000"}, END, OwnLimit.REFRESH, "not within 15 min, and its periodic refresh of 60 min"),
    ],
)
def test_the_limit_that_was_awaited_in_vain_is_named(
    settings: dict[str, str], limits: Limits, limit: OwnLimit, words: str
) -> None:
    found = judged(*HIT, failed(98, 56), watch(901_000), settings=settings, limits=limits)
    assert found.outcome is Outcome.STUCK
    assert (found.facts.ended_by, found.facts.own_limit) == (Ender.NOTHING, limit)
    assert words in found.reason


def test_a_time_out_that_is_near_the_standstill_is_named() -> None:
    facts = Facts(still_ms=31_000, ended_by=Ender.DISCONNECT, own_limit=OwnLimit.REQUEST, own_limit_ms=30_000)
    assert standstill_text(facts) == (
        "; stood still 31 s, until it asked because a connection was lost (its request time-out: 30 s)"
    )


def test_other_profiles_have_no_such_facts() -> None:
    facts = judged(*HIT, ask(), tell(NEW), acked(60), watch(10_000), limits=Limits(back_off_ms=100)).facts
    assert (facts.still_ms, facts.ended_by, facts.age_ms) == (None, Ender.NONE, None)


# the usual watch


def questions(since_ms: int) -> tuple[Step, ...]:
    """Return fifty discoveries within a second."""
    return (at(since_ms), *(step for _ in range(50) for step in (ask(), tell(OLD), wait(5))))


def test_storms_are_judged_on_the_usual_watch_alone() -> None:
    assert "b" in judged(*HIT, *questions(5000), watch(73_000)).facts.storm
    assert judged(*HIT, *questions(50_000), watch(73_000)).facts.storm == ""


def test_work_that_is_seldom_is_no_gap_of_the_bystander() -> None:
    """The bystander works every five seconds like the rest, and is stopped for longer in the second case."""
    paced = mark(MarkKind.PACED, str(SELDOM_MS))

    def own_gap(until_ms: int) -> float | None:
        steps = (fault_on(), *HIT, at(11_000), paced, watch(73_000))
        found = history(*steps, limits=END, settings=LIMITS, bystander=(12_000, until_ms))
        return judge(found).facts.bystander_own_gap_ms

    assert (own_gap(17_000) or 0) < 1000
    assert (own_gap(47_000) or 0) > 29_000


# planning


def test_clients_are_observed_to_the_end_in_defaults_alone() -> None:
    for profile, whole in (("defaults", True), ("isolated", False)):
        item = planned("sarama@1.43.2", "disk/storage-error", "producer", profiles=[profile])
        assert item.limits.to_the_end is whole


def test_such_cells_have_cohorts_of_their_own() -> None:
    items = [
        planned("sarama@1.43.2", "disk/storage-error", profiles=[name], engine=Engine.KAFKA, brokers=["3.9"])
        for name in ("defaults", "isolated")
    ]
    assert len(into_cohorts([TrialTask(item, 0) for item in items], 8)) == 2


# words of look-ups


def test_the_source_of_an_endless_standstill_is_said() -> None:
    cell = Cell("sarama", "1.43.2", Role.PRODUCER, "defaults", "disk/storage-error", Engine.EMBEDDED, "3.9")
    found = settled_cell(cell, Outcome.STUCK)
    stuck = replace(found, verdicts=(replace(found.verdicts[0], reason=f"stood still 37 s: {UNENDED}"),))
    assert "async_producer.go" in with_kept_brokers({cell: stuck}, families())[cell].keeps
    assert with_kept_brokers({cell: found}, families())[cell].keeps == ""


def test_each_core_library_declares_its_refresh_with_its_source() -> None:
    for name in ("java", "librdkafka", "sarama", "franz-go", "kafka-go", "kafka-python", "aiokafka", "kafkajs"):
        limits = families()[name].behaviour.own_limits
        assert any(item.limit is OwnLimit.REFRESH for item in limits), name
        assert all(item.source for item in limits), name
    assert select_profiles(["defaults"], (), None)
