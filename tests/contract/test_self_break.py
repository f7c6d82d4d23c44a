"""Faults of the harness itself never end as a pass."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from probe.engines.embedded.engine import Embedded
from probe.model import App, AppKind, Event, Outcome, Response, Role, Verdict, Workload
from probe.ports import RelayPort, Sink
from probe.runner import Tools
from probe.scenarios.scenario import Absence
from tests.support.real_cells import planned, play

pytestmark = pytest.mark.real
RDK = "librdkafka@2.4.0"
LIAR = Path(__file__).parents[1] / "support" / "lying_driver.py"


def test_a_fault_without_effect_is_not_provoked() -> None:
    item = planned(RDK, "disk/storage-error")
    mute = replace(item, variant=replace(item.variant, steps=()))
    ((_, found),) = play([mute])
    assert found.outcome is Outcome.NOT_PROVOKED
    assert found.conforms is None


def test_a_relay_that_loses_events_is_broken() -> None:
    def lossy(engine: Embedded) -> Embedded:
        @contextlib.asynccontextmanager
        async def open_relay(brokers: Sequence[int], sink: Sink, names: dict[bytes, str]) -> AsyncIterator[RelayPort]:
            seen = 0

            def lose(event: Event) -> None:
                nonlocal seen
                seen += isinstance(event, Response)
                if seen % 10 == 9 and isinstance(event, Response):
                    raise RuntimeError("an event is lost")
                sink(event)

            inner: AbstractAsyncContextManager[RelayPort] = engine.open_relay(brokers, lose, names)
            async with inner as relay:
                yield relay

        return replace(engine, open_relay=open_relay)

    ((history, found),) = play([planned(RDK, "disk/storage-error")], change=lossy, attempts=1)
    assert found.outcome is Outcome.BROKEN
    assert any("lost" in problem for problem in history.header.problems)


def verdict_on_a_liar(lie: str, workload: Workload) -> Verdict:
    item = planned(RDK, "disk/storage-error")
    item = replace(item, cell=replace(item.cell, workload=workload))
    changed = {item.cell.client: lambda argv: (sys.executable, str(LIAR), lie, *argv[2:])}
    ((_, found),) = play([item], argv=changed)
    return found


@pytest.mark.parametrize("workload", Workload)
def test_the_read_back_finds_acknowledgements_of_records_that_were_never_sent(workload: Workload) -> None:
    found = verdict_on_a_liar("unsent", workload)
    assert found.outcome is Outcome.VIOLATES
    assert found.facts.lost
    assert found.conforms is not True


@pytest.mark.parametrize("workload", [Workload.PIPELINED, Workload.KEYED])
def test_records_that_are_never_reported_are_found(workload: Workload) -> None:
    found = verdict_on_a_liar("unreported", workload)
    assert found.outcome is Outcome.VIOLATES
    assert found.facts.unresolved
    assert found.facts.phantom == 0
    assert "without an outcome" in found.reason
    assert found.conforms is not True


@pytest.mark.parametrize("workload", Workload)
def test_records_that_nobody_sent_are_found(workload: Workload) -> None:
    found = verdict_on_a_liar("unasked", workload)
    assert found.outcome is Outcome.VIOLATES
    assert found.facts.phantom
    assert (found.facts.lost, found.facts.unresolved or 0) == (0, 0)
    assert "in the log that nobody sent" in found.reason


def test_a_partition_that_nobody_owns_is_found() -> None:
    """The member that is left reports the partitions of the killed one, and does not read them."""
    item = planned(RDK, "group/member-killed", Role.GROUP)
    changed = {item.cell.client: lambda argv: (sys.executable, str(LIAR), "unowned", *argv[2:])}
    ((_, found),) = play([item], argv=changed)
    assert (found.outcome, found.conforms) == (Outcome.STUCK, False)
    assert found.reason.startswith("no member of the group reads partition")


def test_a_transaction_that_hung_and_is_reported_as_committed_is_found() -> None:
    item = planned(RDK, "txn/timed-out", "transactional")
    absent = Absence(short_ms=14_000, long_ms=14_000, busy=True)
    play_ = replace(item.expectation, watch_ms=24_000)
    variant = replace(item.variant, absence=absent, heal_after_ms=absent.short_ms, expectation=play_)
    item = replace(item, variant=variant, expectation=play_)
    changed = {item.cell.client: lambda argv: (sys.executable, str(LIAR), "hung", *argv[2:])}
    ((history, found),) = play([item], argv=changed)
    assert any(isinstance(event, App) and event.kind is AppKind.FATAL for event in history.events)
    assert (found.outcome, found.conforms, found.facts.lost) == (Outcome.VIOLATES, False, 2)


def test_a_stalled_loop_is_broken() -> None:
    def stall(_: Tools) -> None:
        loop = asyncio.get_running_loop()
        for second in range(4, 40):
            loop.call_later(second / 2, time.sleep, 0.35)

    ((_, found),) = play([planned(RDK, "disk/storage-error")], meanwhile=stall, attempts=1)
    assert found.outcome is Outcome.BROKEN
    assert "stall" in found.reason or "loop" in found.reason


def test_a_starved_fake_cluster_is_broken(tmp_path: Path) -> None:
    pid, program = tmp_path / "pid", tmp_path / "fake-cluster"

    def known(engine: Embedded) -> Embedded:
        program.write_text(f'#!/bin/sh\necho $$ > {pid}\nexec {engine.binary} "$@"\n')
        program.chmod(0o755)
        return replace(engine, binary=program)

    def send(what: signal.Signals) -> None:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            os.kill(int(pid.read_text()), what)

    def starve(_: Tools) -> None:
        loop = asyncio.get_running_loop()
        for second in range(3, 40, 3):
            loop.call_later(second, send, signal.SIGSTOP)
            loop.call_later(second + 0.95, send, signal.SIGCONT)

    ((history, found),) = play([planned(RDK, "disk/storage-error")], change=known, meanwhile=starve, attempts=1)
    assert found.outcome is Outcome.BROKEN
    assert any("the fake cluster got no core for" in problem for problem in history.header.problems)
