"""A run disables Python's cycle collector, so the events of a finished trial must not be part of a cycle."""

from __future__ import annotations

import weakref
from typing import Any

import pytest

from probe.recorder import Recorder
from probe.runner.loop_lag import no_collector
from tests.support.real_cells import planned, play


@pytest.mark.real
def test_the_events_of_a_trial_are_freed_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[weakref.ref[Recorder]] = []

    class Noted(Recorder):
        def __init__(self, **kind: Any) -> None:
            super().__init__(**kind)
            seen.append(weakref.ref(self))

    monkeypatch.setattr("probe.runner.trial.state.Recorder", Noted)
    with no_collector():
        played = play([planned("sarama@1.43.3", name) for name in ("leader/elected", "net/refused")])
        assert all(history.events for history, _ in played)
        assert len(seen) >= 2
        assert not [ref for ref in seen if ref() is not None]
