"""Brokers by name in whole runs: a real client follows a name, and an interrupted run leaves nothing."""

from __future__ import annotations

import signal
import subprocess
import time
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from probe.model import EngineEvent, EngineKind, History, Opened
from probe.names.namespace import RESOLV
from probe.names.network import missing_network
from probe.store import history, trials
from tests.support.deadlines import LONGEST_S
from tests.support.marked_processes import PROBE, left, marked, started

missing = missing_network()
pytestmark = [pytest.mark.real, pytest.mark.skipif(bool(missing), reason=missing)]
SELECT = ("--client", "kafka-python@3.0.12", "--scenario", "dns/moved", "--role", "producer", "--repeat-budget", "0")
OF_THE_NETWORK = "probe.names.namespace"


def running(results: Path) -> AbstractContextManager[tuple[subprocess.Popen[str], str]]:
    return started([PROBE, "run", *SELECT, "--results", str(results)])


def until_inside(process: subprocess.Popen[str], mark: str) -> None:
    """Wait until a driver runs in the private network: the second one with a connection, since controls come first."""
    deadline = time.monotonic() + LONGEST_S
    while time.monotonic() < deadline and process.poll() is None:
        if sum("--connect" in command for command in marked(mark).values()) >= 2:
            return
        time.sleep(0.1)
    pytest.fail("no driver runs in the private network")


def follows(seen: History) -> bool:
    """Return whether a connection was made to a broker after it had moved behind its name."""
    moves = [item for item in seen.events if isinstance(item, EngineEvent) and item.kind is EngineKind.RELOCATED]
    later = (item for item in seen.events if isinstance(item, Opened) and moves and item.at > moves[0].at)
    return any(item.broker == moves[0].broker for item in later)


def test_a_client_is_asked_to_follow_a_name(tmp_path: Path) -> None:
    before = RESOLV.read_text()
    with running(tmp_path) as (process, mark):
        _, errors = process.communicate(timeout=LONGEST_S)
        assert process.returncode == 0, errors
        assert left(mark) == {}
    assert RESOLV.read_text() == before
    rows = [row for row in trials(str(tmp_path)) if row.cell.scenario == "dns/moved"]
    assert any(follows(history(str(tmp_path), row.run_id, row.cell, row.trial)) for row in rows)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_network(tmp_path: Path, number: signal.Signals) -> None:
    before = RESOLV.read_text()
    with running(tmp_path) as (process, mark):
        until_inside(process, mark)
        assert any(OF_THE_NETWORK in command for command in marked(mark).values())
        process.send_signal(number)
        process.communicate(timeout=LONGEST_S)
        assert left(mark) == {}
    assert RESOLV.read_text() == before
