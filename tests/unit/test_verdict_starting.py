"""A client that starts under the fault: start and length of its observation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import App, AppKind, EngineEvent, History, Mark, Outcome, Reaction, Role
from probe.protocol.names import api_key
from probe.verdict import certain, judge, outlook
from tests.support.histories import history
from tests.support.transcript import NEW, OLD, STORAGE_ERROR
from tests.support.transcript_steps import Step, acked, app, at, call, closed, fault_on, wait, watch

JOIN_GROUP = api_key("JoinGroup")


def test_a_start_under_the_fault_is_observed_from_ready_on() -> None:
    """A driver may take ten seconds to start, and the client must have its full time after that."""
    play = replace(STORAGE_ERROR, expects=Reaction.NOTHING, conforms=(Outcome.CLEAN,))

    def late(*steps: Step, running: bool = True) -> History:
        whole = history(fault_on(), at(11_700), app(AppKind.READY), *steps, play=play, running=running)
        ready = next(event.at for event in whole.events if isinstance(event, App) and event.kind is AppKind.READY)
        others = (EngineEvent, Mark)
        events = tuple(item for item in whole.events if item.at >= ready or isinstance(item, others))
        sent = {(item.partition, item.sequence) for item in events if isinstance(item, App)}
        stored = tuple(item for item in whole.header.stored if (item.partition, item.sequence) in sent)
        return replace(whole, events=events, header=replace(whole.header, stored=stored))

    assert not certain(late(wait(300)))
    assert judge(late(wait(300), running=False)).outcome is Outcome.WAITING
    assert not certain(late(wait(9_800)))
    assert certain(late(wait(10_000)))
    assert judge(late(wait(10_000), running=False)).outcome is Outcome.STUCK
    served = late(acked(20, NEW))
    assert not certain(served)
    assert 7_000 < outlook(served).left_ms < 9_000
    found = judge(late(acked(105, NEW), running=False))
    assert (found.outcome, found.conforms) == (Outcome.CLEAN, True), "a start is no outage"
    assert (found.facts.bystander_gap_ms or 0) < 1_000


@pytest.mark.parametrize(("session_ms", "waits"), [("30000", True), ("9000", False), ("", False)])
def test_a_join_may_wait_for_the_session_of_the_old_member(session_ms: str, waits: bool) -> None:
    """The previous member left without LeaveGroup, so that its session must expire first."""
    play = replace(STORAGE_ERROR, expects=Reaction.NOTHING, conforms=(Outcome.CLEAN,))
    join = call(JOIN_GROUP, OLD, answer=None)
    steps = (fault_on(), join, watch(10_995), closed(OLD, by="client"))
    observed = history(*steps, play=play, role=Role.GROUP, settings={"session_timeout_ms": session_ms})
    assert judge(observed).outcome is (Outcome.WAITING if waits else Outcome.STUCK)
