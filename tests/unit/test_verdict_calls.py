"""The longest time that a call of the application blocked, and the limit that a library promises for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import AppKind, ClientError, Outcome, Role, Verdict
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import HANG, NEW, PRODUCE, Script
from tests.support.transcript_steps import (
    Step,
    announced,
    app,
    ask,
    at,
    call,
    fault_on,
    moved,
    row,
    tell,
    transactions,
    watch,
)

SILENT = replace(HANG, prompt_ms=30_000)
LIMIT = {"call_limit_ms": "3000", "request_timeout_ms": "800"}
EXPIRED = ClientError(-1, "", "TimeoutException")


def ends(kind: AppKind, after_ms: int, **more: object) -> Step:
    """End the transaction under way some time after the fault."""

    def step(script: Script) -> None:
        at(after_ms)(script)
        script.app(kind, sequence=script.sequences[-1], **more)

    return step


def begins(script: Script) -> None:
    """Begin a transaction whose record the broker does not answer."""
    script.app(AppKind.TXN_BEGUN, sequence=script.next_sequence(-1))
    number = script.next_sequence(0)
    script.app(AppKind.SENT, partition=0, sequence=number)
    script.store(0, number)
    call(PRODUCE, 1, row(size=80), answer=None)(script)


MOVED: tuple[Step, ...] = (at(900), moved(), at(950), announced(), at(1000), ask(), tell(NEW))


def judged(*steps: Step, settings: dict[str, str] | None = None) -> Verdict:
    trial = (fault_on(), begins, *MOVED, *steps, transactions(60), watch(40_000))
    given = LIMIT if settings is None else settings
    return judge(history(*trial, play=SILENT, role=Role.TRANSACTIONAL, settings=given, bystander=False))


def test_a_call_that_blocks_beyond_its_limit_breaks_a_promise() -> None:
    """Java 2.1.1 waits in commitTransaction whatever max.block.ms says (KAFKA-7763)."""
    found = judged(ends(AppKind.TXN_COMMITTED, 23_000))
    assert (found.outcome, found.conforms) == (Outcome.VIOLATES, False)
    assert found.reason == "a promise was broken: a call blocked for 23.0 s, its limit is 3 s"
    assert found.facts.blocked_ms == pytest.approx(23_000, abs=10)


def test_a_limit_that_nobody_promises_is_not_judged() -> None:
    found = judged(ends(AppKind.TXN_COMMITTED, 2500), settings={})
    assert found.outcome is not Outcome.VIOLATES
    assert found.facts.blocked_ms == pytest.approx(2500, abs=10)
    assert judged(ends(AppKind.TXN_COMMITTED, 4500)).outcome is not Outcome.VIOLATES  # a limit and two seconds


def test_a_call_that_does_not_return_blocks_until_the_end_of_the_window() -> None:
    steps = (fault_on(), begins, *MOVED, watch(40_000))
    trial = history(*steps, play=SILENT, role=Role.TRANSACTIONAL, settings=LIMIT, bystander=False)
    assert judge(trial).facts.blocked_ms == pytest.approx(40_000, abs=10)
    assert judge(trial).outcome is Outcome.VIOLATES


def test_an_error_at_the_limit_is_what_it_promises() -> None:
    """Java 2.3.1 throws TimeoutException after max.block.ms, and the call is repeated."""
    expired: Step = ends(AppKind.TXN_ERROR, 3010, error=EXPIRED)
    found = judged(expired, ends(AppKind.TXN_COMMITTED, 3500))
    assert (found.outcome, found.conforms, found.facts.errors_surfaced) == (Outcome.SURFACES, True, 1)
    assert found.facts.blocked_ms == pytest.approx(3008, abs=10)


def test_an_error_before_the_limit_does_not_conform() -> None:
    soon: Step = ends(AppKind.TXN_ERROR, 1500, error=EXPIRED)
    found = judged(soon, ends(AppKind.TXN_COMMITTED, 1600))
    assert (found.outcome, found.conforms) == (Outcome.SURFACES, False)
    other: Step = app(AppKind.SEND_ERROR, 7, partition=0)
    at_limit = ends(AppKind.TXN_ERROR, 3010, error=EXPIRED)
    assert judged(at_limit, other, ends(AppKind.TXN_COMMITTED, 3500)).conforms is False


def test_other_roles_show_no_calls() -> None:
    assert judge(history(fault_on(), watch(10_000), settings=LIMIT)).facts.blocked_ms is None
