"""Triggers of discoveries: by elimination, in the order of docs/verdicts.md."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import Expectation, Facts, Outcome, Reroute, Role, Row, Target, Trigger
from probe.verdict import judge
from probe.verdict.discovery import find_discoveries
from probe.verdict.hits import find_hits
from probe.verdict.triggers import explain
from probe.verdict.wire_evidence import WireEvidence
from tests.support.histories import history
from tests.support.transcript import (
    COORDINATOR,
    GROUP,
    HANG,
    HEARTBEAT,
    KILL,
    METADATA,
    NEW,
    OLD,
    PRODUCE,
    STORAGE_ERROR,
    THIRD,
)
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
    moved,
    opened,
    produce_answer,
    row,
    tell,
    wait,
    watch,
)
from tests.support.verdict_case import MOVE

TICKING: tuple[Step, ...] = (
    at(-1750), ask(), tell(OLD), at(-1250), ask(), tell(OLD), at(-750), ask(), tell(OLD), at(-250), ask(), tell(OLD),
)  # fmt: skip
EVERY_500 = {"refresh_ms": "500"}


def facts(*steps: Step, play: Expectation = STORAGE_ERROR, role: Role = Role.PRODUCER, **more: object) -> Facts:
    return judge(history(fault_on(), *steps, watch(10_000), play=play, role=role, **more)).facts


def trigger(*steps: Step, play: Expectation = STORAGE_ERROR, **more: object) -> Trigger | None:
    return facts(*steps, play=play, **more).refresh_trigger


def each_trigger(
    *steps: Step, play: Expectation = STORAGE_ERROR, role: Role = Role.PRODUCER, **more: object
) -> list[str]:
    """Return the trigger of every discovery since the fault."""
    evidence = WireEvidence(history(fault_on(), *steps, watch(10_000), play=play, role=role, **more))
    explained = explain(evidence, find_discoveries(evidence), find_hits(evidence))
    return [str(item.trigger) for item in explained if item.at >= evidence.timeline.begin]


# discoveries


def test_metadata_for_the_topic_or_all_topics_is_a_discovery() -> None:
    assert trigger(produce_answer(56), ask()) is Trigger.ERROR
    assert trigger(produce_answer(56), ask(everything=True)) is Trigger.ERROR


def test_metadata_for_other_topics_is_a_side_request() -> None:
    aside = call(METADATA, THIRD, answer=())
    other = call(METADATA, THIRD, Row(topic="other"), answer=())
    found = facts(produce_answer(56), aside, other)
    assert (found.refresh_trigger, found.refreshes, found.side_requests) == (Trigger.NONE, 0, 2)


def test_find_coordinator_for_the_group_is_a_discovery() -> None:
    hit = call(HEARTBEAT, OLD, Row(key=GROUP), answer=(Row(key=GROUP, code=16),), code=16)
    found = facts(hit, ask(), play=COORDINATOR, role=Role.GROUP)
    assert (found.refresh_trigger, found.refreshes) == (Trigger.ERROR, 1)
    other = call(10, THIRD, Row(key="other", key_type=0), answer=())
    transaction = call(10, THIRD, Row(key=GROUP, key_type=1), answer=())
    topic = call(METADATA, THIRD, Row(topic="t"), answer=())
    found = facts(hit, other, transaction, topic, play=COORDINATOR, role=Role.GROUP)
    assert (found.refresh_trigger, found.side_requests) == (Trigger.NONE, 3)


# error


def test_hits_and_time_before_the_discovery_are_counted() -> None:
    found = facts(produce_answer(56), wait(99), produce_answer(56), wait(16), ask())
    assert (found.hits_before_ask, found.refreshes) == (2, 1)
    assert found.refresh_ms == 120


def test_a_stale_answer_keeps_the_error_as_the_cause() -> None:
    """The first Metadata answer after a disk failure is usually stale."""
    stale = (produce_answer(56), ask(), tell(OLD), *MOVE, wait(1000), ask(), tell(NEW), acked(80))
    found = judge(history(fault_on(), *stale, watch(10_000)))
    assert (found.outcome, found.facts.refreshes, found.facts.reroute) == (Outcome.REFRESHES, 2, Reroute.REFRESH)


def test_an_error_stays_the_cause_however_old_it_is() -> None:
    """Under blind retries every moment is shortly after an error, so a time window would prove nothing."""
    assert trigger(produce_answer(56), wait(6000), ask()) is Trigger.ERROR


def test_a_useful_answer_ends_the_error_as_a_cause() -> None:
    again = (acked(20), ask(), tell(NEW))
    assert each_trigger(produce_answer(56), *MOVE, ask(), tell(NEW), *again) == ["error", "unknown"]
    assert each_trigger(produce_answer(56), ask(), tell(OLD), *MOVE, *again) == ["error", "error"]
    late = (acked(3), produce_answer(7, NEW), wait(5), ask())
    assert each_trigger(produce_answer(56), *MOVE, ask(), tell(NEW), *late) == ["error", "error"]


def test_an_answer_without_the_coordinator_ends_no_cause() -> None:
    hit = call(HEARTBEAT, OLD, Row(key=GROUP), answer=(Row(key=GROUP, code=16),), code=16)
    move = (at(150), moved(topic="", key=GROUP), announced(topic="", key=GROUP))

    def triggers(**answer: object) -> list[str]:
        steps = (hit, *move, ask(), tell(**answer), wait(500), ask(), tell(NEW))
        return each_trigger(*steps, play=COORDINATOR, role=Role.GROUP)

    assert triggers(leader=NEW) == ["error", "unknown"]
    assert triggers(leader=OLD) == ["error", "error"]
    assert triggers(leader=NEW, code=15) == ["error", "error"]
    assert triggers(leader=-1, code=15) == ["error", "error"]


def test_any_error_about_the_object_is_an_error() -> None:
    """Idempotent Java producers receive 45 after the 6."""
    play = replace(STORAGE_ERROR, causes=("error",))
    steps = (*MOVE, produce_answer(56), ask(), tell(NEW), produce_answer(45, NEW), ask(), tell(NEW), acked(80))
    assert judge(history(fault_on(), *steps, watch(10_000), play=play)).outcome is Outcome.REFRESHES


# disconnect


def test_disconnect_needs_a_lost_connection_and_no_error() -> None:
    assert trigger(closed(OLD), ask(), play=KILL) is Trigger.DISCONNECT
    assert trigger(closed(OLD), produce_answer(6), ask(), play=KILL) is Trigger.ERROR


def test_a_close_after_an_error_leaves_the_error_as_the_cause() -> None:
    steps = (*MOVE, produce_answer(56), wait(100), ask(), tell(NEW))
    soon = (wait(100), closed(OLD, "client"), wait(5), ask())
    later = (wait(1000), closed(OLD, "client"), wait(5), ask())
    assert each_trigger(*steps, *soon, bystander=False) == ["error", "error"]
    assert each_trigger(*steps, *later, bystander=False) == ["error", "unknown"]
    assert each_trigger(*steps, wait(100), closed(OLD, "broker"), wait(5), ask(), bystander=False) == [
        "error",
        "disconnect",
    ]


def test_a_close_with_an_open_request_is_a_lost_connection() -> None:
    silent = (call(PRODUCE, OLD, row(), answer=None), wait(1100))
    assert trigger(*silent, closed(OLD, "client"), wait(5), ask(), play=HANG) is Trigger.DISCONNECT


def test_a_timeout_follows_the_client_settings() -> None:
    silent = (call(PRODUCE, OLD, row(), answer=None), wait(3000), ask())
    assert trigger(*silent, play=HANG) is Trigger.DISCONNECT
    assert trigger(*silent, play=HANG, settings={"request_timeout_ms": "30000"}) is Trigger.UNKNOWN
    assert trigger(*silent, play=HANG, settings={"socket_timeout_ms": "2000"}) is Trigger.DISCONNECT


def test_a_voluntary_close_is_no_lost_connection() -> None:
    steps = (*MOVE, produce_answer(56), ask(), tell(NEW), wait(1500))
    idle = (opened(THIRD), closed(THIRD, "client"), wait(5), ask())
    open_request = (call(PRODUCE, THIRD, row(1), answer=None), closed(THIRD, "client"), wait(5), ask())
    assert each_trigger(*steps, *idle) == ["error", "unknown"]
    assert each_trigger(*steps, *open_request) == ["error", "disconnect"]


def test_a_refused_connection_is_a_disconnect() -> None:
    def refused(script: object) -> None:
        from probe.model import Closed, Opened  # noqa: PLC0415  # used by this step only

        script.add(Opened(at=script.now, conn=99, broker=OLD))  # type: ignore[attr-defined]
        script.add(Closed(at=script.now + 100, conn=99, broker=OLD, by="client"))  # type: ignore[attr-defined]

    hung = (call(PRODUCE, OLD, row(), answer=None), wait(1100), refused, wait(5), ask())
    assert trigger(*hung, play=HANG, settings={"request_timeout_ms": "30000"}) is Trigger.DISCONNECT


# periodic


def test_a_periodic_refresh_is_predicted_from_earlier_ones() -> None:
    steps = (produce_answer(56), at(250), ask())
    assert trigger(*steps, warm_up=TICKING, settings=EVERY_500) is Trigger.PERIODIC
    assert trigger(*steps, warm_up=TICKING) is Trigger.PERIODIC  # observed, although not configured
    assert trigger(*steps) is Trigger.ERROR


@pytest.mark.parametrize(("ms", "expected"), [(225, Trigger.PERIODIC), (290, Trigger.ERROR), (750, Trigger.PERIODIC)])
def test_a_periodic_refresh_has_a_time_tolerance(ms: int, expected: Trigger) -> None:
    assert trigger(produce_answer(56), at(ms), ask(), warm_up=TICKING, settings=EVERY_500) is expected


# 40 and 49 ms late; a third error that may have made it ask; later than a tenth of the interval; early
@pytest.mark.parametrize(("errors", "ms", "late"), [(3, 290, 1), (3, 299, 1), (2, 290, 0), (3, 315, 0), (3, 210, 0)])
def test_a_client_that_ignored_three_errors_may_refresh_late(errors: int, ms: int, late: int) -> None:
    steps = (*errors * (produce_answer(56), wait(5)), at(ms), ask())
    assert (trigger(*steps, warm_up=TICKING, settings=EVERY_500) is Trigger.PERIODIC) == late


def test_the_interval_restarts_with_every_discovery() -> None:
    """Java's metadata age restarts with every answer."""
    again = tuple(step for ms in range(602, 9000, 501) for step in (at(ms), ask(), tell(NEW)))
    steps = (produce_answer(56), at(100), ask(), tell(OLD), *MOVE, *again)
    found = facts(*steps, warm_up=TICKING, settings=EVERY_500)
    assert (found.refresh_trigger, found.refreshes, found.storm) == (Trigger.ERROR, 18, "")
    assert "a" in facts(*steps).storm


def test_retries_at_the_start_are_no_periodic_refresh() -> None:
    burst = tuple(step for ms in (-1900, -1890, -1880, -1870) for step in (at(ms), ask(), tell(OLD)))
    assert trigger(produce_answer(56), at(250), ask(), warm_up=burst) is Trigger.ERROR


def test_a_long_interval_has_no_refresh_within_a_trial() -> None:
    assert trigger(produce_answer(56), at(250), ask(), settings={"refresh_ms": "600000"}) is Trigger.ERROR


@pytest.mark.parametrize(
    ("most", "ms", "expected"),
    [
        ("6000", 250, Trigger.PERIODIC),
        ("6000", 1900, Trigger.PERIODIC),
        ("2000", 4500, Trigger.ERROR),
        ("86400000", 250, Trigger.ERROR),  # a refresh is possible but unlikely
    ],
)
def test_a_random_interval_explains_any_discovery(most: str, ms: int, expected: Trigger) -> None:
    """kafka-go draws each interval between zero and its MetadataTTL, so any moment may be a refresh."""
    drawn = {"refresh_ms": most, "refresh_least_ms": "0"}
    assert trigger(produce_answer(56), at(ms), ask(), settings=drawn) is expected


def test_a_discovery_is_no_recovery() -> None:
    """sarama before 1.43.3 with a short refresh receives the new leader and still writes to the old one."""
    schedule = tuple(step for ms in range(250, 9750, 500) for step in (at(ms), ask(), tell(NEW), failed(3)))
    found = judge(history(fault_on(), *MOVE, *schedule, watch(10_000), warm_up=TICKING, settings=EVERY_500))
    assert (found.outcome, found.facts.refresh_trigger) == (Outcome.STUCK, Trigger.PERIODIC)
    assert "periodic refresh" in found.reason


def test_a_late_client_may_be_rescued_by_a_periodic_refresh() -> None:
    steps = (produce_answer(56), *MOVE, at(750), ask(), tell(NEW), acked(60))
    found = judge(history(fault_on(), *steps, watch(10_000), warm_up=TICKING, settings=EVERY_500))
    assert (found.outcome, found.facts.rescued_by, found.facts.reroute) == (
        Outcome.LATE,
        "periodic",
        Reroute.PERIODIC,
    )


# connect

WORK: Step = call(PRODUCE, NEW, row(1), answer=(row(1),))
TO_ASK: tuple[Step, ...] = (opened(NEW), ask(NEW), tell(OLD))
"""A connection before the fault with a discovery only."""
ASKS: tuple[Step, ...] = (*TO_ASK, WORK)
"""A connection before the fault that starts with a discovery."""
WORKS: tuple[Step, ...] = (opened(NEW), WORK)
TWICE: tuple[Step, ...] = (*ASKS, closed(OLD, "client"), opened(OLD), ask(OLD), tell(OLD), acked(10, OLD))
RECONNECTED: tuple[Step, ...] = (produce_answer(56), wait(20), opened(THIRD), ask(THIRD))
HABIT: tuple[Step, ...] = (*ASKS, closed(NEW, "client"), *TWICE)


def test_connect_needs_a_habit_of_asking_on_connect() -> None:
    assert trigger(*RECONNECTED, warm_up=HABIT) is Trigger.CONNECT
    assert trigger(*RECONNECTED, warm_up=TWICE) is Trigger.ERROR
    assert trigger(*RECONNECTED, warm_up=WORKS) is Trigger.ERROR
    assert trigger(*RECONNECTED, warm_up=ASKS) is Trigger.ERROR


def test_a_connection_made_for_a_discovery_shows_no_habit() -> None:
    made_to_ask = (*TO_ASK, closed(NEW, "client"), *TO_ASK, closed(NEW, "client"), *TO_ASK, *WORKS)
    assert trigger(*RECONNECTED, warm_up=made_to_ask) is Trigger.ERROR


def test_most_connections_must_begin_with_a_discovery() -> None:
    others = (closed(NEW, "client"), *WORKS) * 3
    assert trigger(*RECONNECTED, warm_up=(*HABIT, *others)) is Trigger.ERROR


def test_the_first_connections_show_no_habit() -> None:
    assert trigger(*RECONNECTED, warm_up=(at(-2900), *HABIT)) is Trigger.ERROR  # opened before warm-up ended
    assert trigger(produce_answer(56), opened(THIRD), ask(THIRD)) is Trigger.ERROR


def test_connect_is_the_first_request_after_the_handshake_only() -> None:
    later = (produce_answer(56), opened(THIRD), call(PRODUCE, THIRD, row(1), answer=(row(1),)), ask(THIRD))
    assert trigger(*later, warm_up=HABIT) is Trigger.ERROR
    old_connection = (produce_answer(56), ask(OLD))
    assert trigger(*old_connection, warm_up=HABIT) is Trigger.ERROR


def test_connect_is_never_a_cause() -> None:
    steps = (produce_answer(56), *MOVE, opened(THIRD), ask(THIRD), tell(NEW), acked(80))
    found = judge(history(fault_on(), *steps, watch(10_000), warm_up=HABIT))
    assert (found.outcome, found.facts.rescued_by, found.facts.reroute) == (Outcome.LATE, "connect", Reroute.CONNECT)


# startup, bootstrap, unknown


def test_discoveries_at_the_start_have_another_cause() -> None:
    assert facts(produce_answer(56)).refreshes == 0


def test_bootstrap_needs_the_loss_of_all_known_brokers() -> None:
    play = replace(KILL, causes=("bootstrap",), target=Target.CLUSTER)
    gone = (closed(OLD), closed(THIRD))
    again = (wait(10), opened(THIRD), ask(THIRD))
    assert trigger(*gone, *again, play=play, bystander=False) is Trigger.BOOTSTRAP
    assert trigger(closed(OLD), wait(10), ask(THIRD), play=play, bystander=False) is Trigger.DISCONNECT
    assert trigger(closed(OLD), wait(10), opened(NEW), ask(NEW), play=play, bystander=False) is Trigger.DISCONNECT
    assert trigger(*gone, wait(10), opened(4), ask(4), play=play, bystander=False) is Trigger.DISCONNECT
    assert trigger(*gone, *again, play=KILL, bystander=False) is Trigger.DISCONNECT


def test_unknown_is_the_remaining_trigger() -> None:
    steps = (call(PRODUCE, OLD, row(), answer=None), wait(1500), ask())
    assert trigger(*steps, play=HANG, settings={"request_timeout_ms": "9000"}) is Trigger.UNKNOWN


def test_none_is_for_clients_without_a_discovery() -> None:
    found = facts(produce_answer(56))
    assert (found.refresh_trigger, found.refresh_ms, found.hits_before_ask) == (Trigger.NONE, None, None)
