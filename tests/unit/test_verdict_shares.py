"""The promise of a share group: at least once until a record is accepted, and not again once that was confirmed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from probe.model import AppKind, Outcome, Role, Verdict
from probe.protocol.apis import SHARE_FETCH, SHARE_GROUP_HEARTBEAT
from probe.protocol.names import error_code
from tests.support.share_steps import accept, confirm, deliver, fed, give, shared
from tests.support.transcript import AFFECTED, GROUP, OLD, THIRD, Script
from tests.support.transcript_steps import Step, at, call, error, row
from tests.support.verdict_case import MOVE_ASKED, expectation_of, judged

STORAGE_ERROR = error_code("KAFKA_STORAGE_ERROR")
INVALID_RECORD_STATE = error_code("INVALID_RECORD_STATE")
MET: tuple[Step, ...] = (call(SHARE_FETCH, OLD, row(), answer=(row(code=STORAGE_ERROR),)), *MOVE_ASKED)


def verdict(*steps: Step, before: tuple[Step, ...] = MET, ms: int = 10_000) -> Verdict:
    play = expectation_of("disk/storage-error", Role.SHARE)
    return judged(*before, shared(30), *steps, shared(60), play=play, role=Role.SHARE, ms=ms)


def on_record(*events: Callable[[Script, int], None]) -> Step:
    """Return the step in which these things happen to one more record."""

    def step(script: Script) -> None:
        offset = fed(script)
        for event in events:
            event(script, offset)

    return step


def refused(script: Script, offset: int) -> None:
    accept(script, offset, code=INVALID_RECORD_STATE)
    failed = error(INVALID_RECORD_STATE)
    script.app(AppKind.COMMIT_ERROR, partition=AFFECTED, offset=offset, error=failed)


def test_a_good_share_consumer_follows_its_leader() -> None:
    found = verdict()
    assert found.outcome is Outcome.REFRESHES, found.reason
    assert found.conforms is True
    assert (found.facts.lost, found.facts.duplicated) == (0, 0)


def test_a_refused_acceptance_reaches_the_application_and_its_record_comes_again() -> None:
    found = verdict(on_record(give, deliver, refused, give, deliver, accept, confirm))
    assert found.outcome is Outcome.SURFACES, found.reason
    assert found.conforms is True
    assert (found.facts.lost, found.facts.duplicated, found.facts.failed_ops) == (0, 0, 1)


def test_a_record_that_was_accepted_without_an_answer_to_the_application_may_come_again() -> None:
    found = verdict(on_record(give, deliver, accept, give, deliver, accept, confirm))
    assert found.outcome is Outcome.REFRESHES, found.reason


@pytest.mark.parametrize(
    ("events", "words", "lost", "again"),
    [
        ((give, accept, confirm), "1 record accepted and never delivered", 1, 0),
        ((give, accept), "1 record accepted and never delivered", 1, 0),
        ((give, deliver, accept, confirm, deliver), "1 record delivered again after a confirmed acceptance", 0, 1),
        ((give, deliver, accept, confirm, confirm), "1 record accepted twice", 0, 1),
        (
            (give, deliver, refused, give, accept, confirm),
            "1 record accepted again without the delivery before it",
            0,
            1,
        ),
    ],
)
def test_broken_promises(events: tuple[Callable[[Script, int], None], ...], words: str, lost: int, again: int) -> None:
    found = verdict(on_record(*events))
    assert found.outcome is Outcome.VIOLATES, found.reason
    assert words in found.reason
    assert (found.facts.lost, found.facts.duplicated) == (lost, again)


def test_a_record_that_was_refused_and_never_came_again_is_not_lost_yet() -> None:
    """It is locked until the end of its acquisition lock, which may come after the trial."""
    found = verdict(on_record(give, refused))
    assert found.facts.lost == 0


def test_a_share_group_owes_heartbeats() -> None:
    """Brokers set the interval, 5 s, whatever the library reports."""
    beat = call(SHARE_GROUP_HEARTBEAT, THIRD, row(key=GROUP), answer=(row(key=GROUP),))
    silent = verdict(before=(beat, *MET), ms=30_000)
    assert silent.outcome is Outcome.STUCK
    assert "no heartbeat in" in silent.reason
    kept = verdict(at(28_000), beat, before=(beat, *MET), ms=30_000)
    assert kept.outcome is Outcome.REFRESHES, kept.reason
