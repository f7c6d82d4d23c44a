"""The control cell: when its result is known, and what it makes of the client's other cells."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import AppKind, Event, History, MarkKind, Outcome, Response, Row
from probe.protocol.apis import FETCH
from probe.runner.trial.compatibility import answers_met, connected
from probe.verdict import judge
from probe.verdict.control import ControlResult, settle_control, with_control
from tests.support.histories import history
from tests.support.transcript import STEADY
from tests.support.transcript_steps import app, fault_on, mark, produce_answer, watch

CLEAN, STORMS, STUCK, BROKEN = Outcome.CLEAN, Outcome.STORMS, Outcome.STUCK, Outcome.BROKEN


@pytest.mark.parametrize(
    ("outcomes", "result"),
    [
        ([], None),
        ([CLEAN], ControlResult(CLEAN, 1)),
        ([CLEAN, STORMS], ControlResult(CLEAN, 1)),
        ([Outcome.UNSUPPORTED], ControlResult(Outcome.UNSUPPORTED, 1)),
        ([BROKEN], ControlResult(BROKEN, 1)),
        ([BROKEN, BROKEN], ControlResult(BROKEN, 1)),
        ([BROKEN, CLEAN], ControlResult(CLEAN, 1)),
        ([BROKEN, STORMS, STORMS], None),
        ([BROKEN, STORMS, CLEAN, STORMS], ControlResult(STORMS, 2)),
        ([STORMS], None),
        ([STORMS, STORMS], None),
        ([STORMS, STORMS, STORMS], ControlResult(STORMS, 3)),
        ([STORMS, CLEAN, STORMS], ControlResult(STORMS, 2)),
        ([STORMS, CLEAN, CLEAN], ControlResult(CLEAN, 2)),
        ([STORMS, BROKEN, BROKEN], ControlResult(BROKEN, 2)),
        ([STORMS, CLEAN, STUCK], ControlResult(Outcome.FLAKY, 1)),
    ],
)
def test_three_trials_settle_a_control_cell_that_is_not_clean(
    outcomes: list[Outcome], result: ControlResult | None
) -> None:
    assert settle_control(outcomes) == result


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (ControlResult(STORMS, 3), Outcome.UNSUPPORTED),
        (ControlResult(STUCK, 2), Outcome.UNSUPPORTED),
        (ControlResult(Outcome.UNSUPPORTED, 1), Outcome.UNSUPPORTED),
        (ControlResult(STORMS, 1), BROKEN),
        (ControlResult(Outcome.FLAKY, 1), BROKEN),
        (ControlResult(BROKEN, 3), BROKEN),
        (ControlResult(CLEAN, 1), Outcome.NOT_PROVOKED),
        (None, Outcome.NOT_PROVOKED),
    ],
)
def test_other_cells_follow_the_control_cell(result: ControlResult | None, outcome: Outcome) -> None:
    trial = history(fault_on(), watch(10_000))
    found = judge(replace(trial, header=with_control(trial.header, result)))
    assert found.outcome is outcome
    if outcome is Outcome.UNSUPPORTED:
        assert "its control cell, steady" in found.reason
        failed = replace(trial, header=with_control(replace(trial.header, problems=("warm-up did not end",)), result))
        assert judge(failed).outcome is outcome


def test_a_client_that_never_serves_is_stuck_and_one_that_ends_is_fatal() -> None:
    unserved = history(produce_answer(87), mark(MarkKind.STOPPING), play=STEADY, unserved="it was answered 87")
    found = judge(unserved)
    assert (found.outcome, found.reason.partition(";")[0]) == (STUCK, "it was answered 87")
    ended = history(produce_answer(87), app(AppKind.FATAL, text="gone"), play=STEADY, unserved="it was answered 87")
    assert judge(ended).outcome is Outcome.FATAL
    assert "gone" in judge(ended).reason


def test_a_client_that_nobody_answered_says_nothing() -> None:
    ended = history(app(AppKind.FATAL, text="no library"), play=STEADY)
    unanswered = [event for event in ended.events if not isinstance(event, Response)]
    assert judge(ended).outcome is Outcome.FATAL
    assert judge(History(ended.header, tuple(unanswered))).outcome is BROKEN


def test_the_reason_names_what_was_answered() -> None:
    def answer(code: int) -> Response:
        rows = (Row(topic="t", partition=0, code=code),)
        return Response(at=1, conn=1, broker=1, corr=1, api=FETCH, version=4, sent_at=0, rows=rows)

    events: list[Event] = [answer(0), *(answer(-1) for _ in range(3)), answer(6)]
    assert not connected([])
    assert connected(events)
    assert answers_met(events) == (
        "it was answered UNKNOWN_SERVER_ERROR -1 to Fetch (3 times), NOT_LEADER_OR_FOLLOWER 6 to Fetch (1 times)"
    )
    assert answers_met([answer(0)]) == "no answer was an error"
    reported = app(AppKind.RECEIVE_ERROR, 56)
    assert "reported" in answers_met([*history(reported).events])
