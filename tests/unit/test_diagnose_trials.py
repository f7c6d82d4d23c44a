"""A diagnosis of a trial's wire events, without its engine and its application, agrees with its verdict."""

from __future__ import annotations

import pytest

from probe.diagnose.analysis import analyse
from probe.diagnose.findings import ClientFinding, Status
from probe.diagnose.leaders import UNKNOWN_NODE, Leaders
from probe.diagnose.objects import Item, Kind
from probe.diagnose.stored_trials import ADDRESSES, TrialInput
from probe.model import History, Outcome
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import OLD
from tests.support.transcript_steps import (
    acked,
    announced,
    ask,
    closed,
    failed,
    fault_on,
    healed,
    moved,
    tell,
    wait,
    watch,
)

MOVES = (fault_on(), failed(2), moved(), announced())
TRIALS: dict[str, tuple[History, Outcome, Status]] = {
    "asks and moves": (history(*MOVES, ask(), tell(), acked(60), watch(10_000)), Outcome.SURFACES, Status.RECOVERED),
    "never asks": (history(*MOVES, failed(120), watch(14_000)), Outcome.STUCK, Status.STUCK),
    "asks and stays": (history(*MOVES, ask(), tell(), failed(120), watch(14_000)), Outcome.STUCK, Status.STUCK),
    "meets nothing": (history(fault_on(), acked(99, OLD), watch(10_000)), Outcome.NOT_PROVOKED, Status.HEALTHY),
}


def diagnosed(trial: History) -> ClientFinding:
    (found,) = analyse(TrialInput(trial), whose=lambda *_: None, back_off_ms=lambda _: 100).clients
    return found


@pytest.mark.parametrize("name", TRIALS)
def test_a_diagnosis_agrees_with_the_verdict(name: str) -> None:
    trial, outcome, status = TRIALS[name]
    assert judge(trial).outcome is outcome
    assert diagnosed(trial).status is status


def test_the_input_ends_with_the_window_of_the_trial() -> None:
    """After the revert a stuck client recovers, which says nothing of what it did under the fault."""
    trial = history(*MOVES, failed(120), watch(14_000), healed(), closed(), wait(50), ask(), tell(), acked(60))
    assert diagnosed(trial).status is Status.STUCK


def test_a_capture_shows_addresses_and_no_node_ids() -> None:
    source = TrialInput(TRIALS["asks and moves"][0])
    assert {event.broker for event in source.events()} <= set(range(ADDRESSES, ADDRESSES + 10))


def test_the_node_of_an_address_follows_from_what_it_serves() -> None:
    leaders, item = Leaders(), Item(Kind.PARTITION, "orders", 0)
    assert (leaders.node_at(11), leaders.number(11)) == (None, UNKNOWN_NODE + 11)
    leaders.named(item, 1, 5, at=10)
    leaders.served(item, 11)
    assert (leaders.node_at(11), leaders.number(11)) == (1, 1)
    leaders.named(item, 2, 4, at=20)
    assert leaders.led_by(1) == [item], "an answer with an older epoch says nothing new"
    leaders.named(item, 2, 6, at=30)
    assert (leaders.led_by(1), leaders.led_by(2)) == ([], [item])
