"""The number of times that a running trial is judged."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from probe import verdict
from probe.model import App, AppKind, EngineEvent, EngineKind, History, Role
from probe.recorder import Recorder
from probe.runner.trial.observation import LONGER, CheckBudget
from probe.runner.trial.state import TrialState
from tests.support.histories import history
from tests.support.real_cells import planned

SETTLED = verdict.Outlook(700, settled=True, recovered=True)


class Trial:
    """A trial for which every check gives the same result; counts the checks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, found: verdict.Outlook) -> None:
        item = planned("sarama@1.43.3", "disk/storage-error", "producer")
        self.course = TrialState(item, replace(history(role=Role.PRODUCER).header, play=item.expectation), Recorder())
        self.looks, self.count = CheckBudget(self.course), 0

        def outlook(_: History) -> verdict.Outlook:
            self.count += 1
            return found

        monkeypatch.setattr(verdict, "outlook", outlook)

    def enough(self, elapsed_ms: int) -> tuple[bool, int]:
        """Check the trial; return the answer, and how often the history was judged so far."""
        return asyncio.run(self.looks.enough(elapsed_ms)), self.count


def test_a_client_that_stands_still_to_the_end_is_judged_when_it_serves_or_much_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Hundreds of such trials wait at once, and each check reads the whole history."""
    trial = Trial(monkeypatch, verdict.Outlook(400))
    header = trial.course.header
    limits = replace(header.limits, to_the_end=True)
    trial.course.header = replace(header, limits=limits, settings={"refresh_ms": "600000"})
    assert trial.enough(11_000) == (False, 1)
    for elapsed_ms in range(11_400, 13_700, 400):
        trial.course.on_event(App(at=1, kind=AppKind.SEND_ERROR, instance="me", partition=0))
        assert trial.enough(elapsed_ms) == (False, 1)
    assert trial.enough(round(11_000 * LONGER)) == (False, 2)
    trial.course.on_event(App(at=1, kind=AppKind.ACKED, instance="me", partition=0))
    assert trial.enough(14_500) == (False, 3)
    assert trial.enough(720_000) == (False, 4)


def test_a_recovered_client_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(monkeypatch, SETTLED)
    assert trial.enough(5000) == (False, 1)
    assert trial.enough(5600) == (False, 1)
    assert trial.enough(5700) == (True, 1)
    assert trial.looks.last == SETTLED


def test_a_broker_event_causes_a_new_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault that is reverted late, or a leader that moves again, changes the time of the recovery."""
    trial = Trial(monkeypatch, SETTLED)
    assert trial.enough(5000) == (False, 1)
    trial.course.on_event(EngineEvent(at=1, kind=EngineKind.HEALED))
    assert trial.enough(5700) == (False, 2)
    assert trial.enough(6400) == (True, 2)


def test_a_client_without_recovery_is_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(monkeypatch, verdict.Outlook(700))
    assert trial.enough(5000) == (False, 1)
    assert trial.enough(5700) == (False, 2)
