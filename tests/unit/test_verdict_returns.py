"""A target moves away and comes back: actions and answers of an earlier term do not count."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Outcome, Reroute, Role, Verdict
from probe.verdict import judge
from probe.verdict.discovery import find_discoveries
from probe.verdict.hits import find_hits
from probe.verdict.triggers import explain
from probe.verdict.wire_evidence import WireEvidence
from tests.support.histories import history
from tests.support.transcript import NEW, OLD, STORAGE_ERROR
from tests.support.transcript_steps import (
    Step,
    announced,
    ask,
    at,
    fault_on,
    fetch_answer,
    fetched,
    moved,
    tell,
    wait,
    watch,
)

ROLLING = replace(STORAGE_ERROR, codes=(6, 74), causes=("error", "disconnect"), election_ms=None, watch_ms=15000)
FUTILE = [fetch_answer(74, broker=NEW)] * 60
"""Fetches without back-off, which good consumers send until a discovery is answered."""


def judged(*last: Step) -> Verdict:
    away = (fault_on(), moved(NEW), fetch_answer(6), announced(NEW), ask(), tell(NEW), fetched(30))
    back = (at(4000), moved(OLD), *FUTILE, announced(OLD), *FUTILE, *last)
    return judge(history(*away, *back, fetched(60, broker=OLD), watch(12000), role=Role.CONSUMER, play=ROLLING))


def test_refetching_until_a_useful_answer_is_no_storm() -> None:
    found = judged(ask(), tell(OLD))
    assert (found.outcome, found.facts.reroute, found.facts.storm) == (Outcome.REFRESHES, Reroute.REFRESH, "")


def test_a_stale_answer_of_an_earlier_term_is_not_useful() -> None:
    """The client receives a stale leader and asks again because of the error."""
    away = (
        fault_on(),
        moved(NEW),
        announced(NEW),
        wait(300),
        fetch_answer(6),
        ask(),
        tell(OLD),
        wait(50),
        ask(),
        tell(NEW),
    )
    found = judge(
        history(
            *away,
            fetched(20),
            at(4000),
            moved(OLD),
            announced(OLD),
            fetch_answer(6, broker=NEW),
            ask(),
            tell(OLD),
            fetched(60, broker=OLD),
            watch(12000),
            role=Role.CONSUMER,
            play=ROLLING,
        )
    )
    assert (found.outcome, found.facts.storm) == (Outcome.REFRESHES, "")
    evidence = WireEvidence(history(*away, at(4000), moved(OLD), announced(OLD), role=Role.CONSUMER, play=ROLLING))
    asked = [item for item in find_discoveries(evidence) if item.at > evidence.timeline.begin]
    assert [item.useful for item in asked] == [False, True]
    assert [str(item.trigger) for item in explain(evidence, tuple(asked), find_hits(evidence))] == ["error", "error"]


def test_a_return_without_a_discovery_is_late() -> None:
    found = judged()
    assert (found.outcome, found.facts.rescued_by) == (Outcome.LATE, "retry")


def test_refetching_after_a_useful_answer_is_a_storm() -> None:
    assert judged(ask(), tell(OLD), *FUTILE).facts.storm == "d"
