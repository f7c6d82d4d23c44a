"""When a trial that is watched is looked at."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from probe import verdict
from probe.model import EngineEvent, EngineKind, History, Role
from probe.recorder import Recorder
from probe.runner.trial.observation import CheckBudget
from probe.runner.trial.state import TrialState
from tests.support.histories import history
from tests.support.real_cells import planned

SETTLED = verdict.Outlook(700, settled=True, recovered=True)


class Trial:
    """A trial of which each look finds the same; it counts them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, found: verdict.Outlook) -> None:
        item = planned("sarama@1.43.3", "disk/storage-error", "producer")
        self.course = TrialState(item, replace(history(role=Role.PRODUCER).header, play=item.expectation), Recorder())
        self.looks, self.count = CheckBudget(self.course), 0

        def outlook(_: History) -> verdict.Outlook:
            self.count += 1
            return found

        monkeypatch.setattr(verdict, "outlook", outlook)

    def enough(self, elapsed_ms: int) -> tuple[bool, int]:
        """Ask; return the answer, and how often the history was looked at so far."""
        return asyncio.run(self.looks.enough(elapsed_ms)), self.count


def test_who_has_recovered_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(monkeypatch, SETTLED)
    assert trial.enough(5000) == (False, 1)
    assert trial.enough(5600) == (False, 1)
    assert trial.enough(5700) == (True, 1)
    assert trial.looks.last == SETTLED


def test_what_the_brokers_do_meanwhile_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault that is healed late, or a leader that moves again, dates the recovery anew."""
    trial = Trial(monkeypatch, SETTLED)
    assert trial.enough(5000) == (False, 1)
    trial.course.on_event(EngineEvent(at=1, kind=EngineKind.HEALED))
    assert trial.enough(5700) == (False, 2)
    assert trial.enough(6400) == (True, 2)


def test_who_has_not_recovered_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(monkeypatch, verdict.Outlook(700))
    assert trial.enough(5000) == (False, 1)
    assert trial.enough(5700) == (False, 2)
