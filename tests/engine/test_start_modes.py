"""The start of a second instance: after the fault hit the first one and immediate moves were announced."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from probe.model import EngineEvent, EngineKind, Role
from probe.recorder import Recorder
from probe.runner.trial import start_modes
from probe.runner.trial.state import TrialState
from tests.support import virtual_time
from tests.support.histories import history
from tests.support.real_cells import planned
from tests.support.transcript_steps import fault_on

AT = 12_000_000


def state_of(election_ms: int | None) -> TrialState:
    begun = history(fault_on())
    header = replace(begun.header, play=replace(begun.header.play, election_ms=election_ms))
    found = TrialState(
        planned("sarama@1.43.3", "start-during/disk/storage-error", str(Role.PRODUCER)), header, Recorder()
    )
    found.on_event(EngineEvent(at=AT, kind=EngineKind.FAULT_ON, broker=1))
    return found


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def met(_: TrialState) -> bool:
        return True

    monkeypatch.setattr(TrialState, "was_hit", met)
    monkeypatch.setattr(start_modes, "SETTLE_S", 0.0)


def test_a_second_start_waits_until_all_brokers_name_the_leader() -> None:
    one = state_of(150)

    async def go() -> None:
        waiting = asyncio.create_task(start_modes._await_hit(one))
        done, _ = await asyncio.wait({waiting}, timeout=0.3)
        assert not done
        one.on_event(EngineEvent(at=AT + 300_000, kind=EngineKind.MOVED, broker=2))
        done, _ = await asyncio.wait({waiting}, timeout=0.3)
        assert not done
        one.on_event(EngineEvent(at=AT + 600_000, kind=EngineKind.ANNOUNCED, broker=2))
        await asyncio.wait_for(waiting, 2.0)

    virtual_time.run(go())


@pytest.mark.parametrize(("election_ms", "limit"), [(None, "SOON_S"), (150, "LATE_S")])
def test_the_wait_is_limited(monkeypatch: pytest.MonkeyPatch, election_ms: int | None, limit: str) -> None:
    monkeypatch.setattr(start_modes, limit, 0.2)
    virtual_time.run(asyncio.wait_for(start_modes._await_hit(state_of(election_ms)), 2.0))


def test_a_second_start_does_not_wait_for_a_long_election() -> None:
    virtual_time.run(asyncio.wait_for(start_modes._await_hit(state_of(9000)), 1.0))


@pytest.mark.parametrize(
    ("scenario", "meets"), [("auth/wrong-password", True), ("start-during/disk/storage-error", False)]
)
def test_no_other_start_is_tried_where_every_start_meets_the_fault(scenario: str, meets: bool) -> None:
    item = planned("sarama@1.43.3", scenario, str(Role.PRODUCER))
    assert start_modes._meets_all(TrialState(item, history(fault_on()).header, Recorder())) is meets
