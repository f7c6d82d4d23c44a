"""Clients that are programs on lines of JSON: their greeting, and what the adapter makes of their lines."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

import pytest

from probe.cli.wiring import driver_promises
from probe.cli.wiring.catalogue import choose_clients
from probe.cli.wiring.driver_promises import Promise
from probe.cli.wiring.run_selection import RunSelection
from probe.driver_contract import driver_pb2 as pb
from probe.errors import ProvisionError
from probe.model import CONTROL, Engine, Outcome
from probe.runner.trial.compatibility import FAKE_REFUSES
from tests.support.deadlines import LONGEST_S

PYTHON = Path(__file__).resolve().parents[2] / "clients" / "python"
GREETING = {"event": "hello", "name": "toy", "version": "1.2.3", "roles": ["producer"]}
GOOD = """
import json, sys
def say(event, **more): print(json.dumps({"event": event, **more}), flush=True)
for text in sys.stdin:
    line = json.loads(text)
    if line["op"] == "start" and line["role"] != "producer":
        say("unsupported", text="no " + line["role"])
        break
    if line["op"] == "start":
        say("ready", settings={"acks": "all"})
    if line["op"] == "send":
        say("acked", partition=line["partition"], sequence=line["sequence"], offset=7)
    if line["op"] == "stop":
        say("closed")
        break
"""


def program(folder: Path, body: str, greeting: object = GREETING) -> Path:
    path = folder / "my-driver"
    path.write_text(f"#!{sys.executable}\nprint({json.dumps(json.dumps(greeting))}, flush=True)\n{body}")
    path.chmod(0o755)
    return path


class Kept:
    """An outbox that keeps events."""

    def __init__(self) -> None:
        self.events: list[pb.Event] = []
        self.acked = threading.Event()

    def add(self, event: pb.Event) -> None:
        self.events.append(event)
        if event.kind == pb.ACKED:
            self.acked.set()


def played(path: Path, role: str = "producer", *, waits: bool = True) -> Kept:
    """Run a program as an instance until a record is acknowledged, then stop it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PYTHON))
        from driver_runtime.library import Stopping  # noqa: PLC0415  # found by the line above
        from driver_runtime.reports import Reports  # noqa: PLC0415  # as above
        from program_adapter.roles import run_role  # noqa: PLC0415  # as above
    kept, stop = Kept(), Stopping()
    reports = Reports("i1", kept)
    start = pb.Start(
        instance="i1", client_id="c", role=role, profile="isolated", partitions=[0], interval_ms=5, max_in_flight=2
    )
    failed: list[BaseException] = []

    def run() -> None:
        try:
            run_role(str(path), start, reports, stop)
        except Exception as error:  # noqa: BLE001  # the caller raises it
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    if waits:
        assert kept.acked.wait(LONGEST_S)
        stop.ask(LONGEST_S)
    thread.join(LONGEST_S)
    assert not thread.is_alive()
    if failed:
        raise failed[0]
    return kept


def test_a_program_describes_its_family(tmp_path: Path) -> None:
    (chosen,) = choose_clients([f"exec:{program(tmp_path, GOOD)}"])
    assert str(chosen.client).startswith("exec-toy@1.2.3+local.")
    assert list(chosen.family.roles) == ["producer"]
    plan, _ = RunSelection(chosen=(chosen,), scenarios=["disk/storage-error"]).whole()
    assert {item.cell.scenario for item in plan.cells} == {CONTROL, "disk/storage-error"}


def test_another_content_is_another_version(tmp_path: Path) -> None:
    before = choose_clients([f"exec:{program(tmp_path, GOOD)}"])[0].client
    assert choose_clients([f"exec:{program(tmp_path, GOOD + '#')}"])[0].client != before


@pytest.mark.parametrize(
    ("greeting", "says"),
    [
        ("hi", "its first line is no greeting but"),
        ({**GREETING, "name": "My Client"}, "name 'My Client' has other characters"),
        ({**GREETING, "version": "latest"}, "version 'latest' is none of a library"),
        ({**GREETING, "roles": ["admin"]}, "roles ['admin'] are not of producer, consumer, group"),
        ({**GREETING, "event": "ready"}, "its first line is no greeting but"),
    ],
)
def test_a_greeting_that_is_none_is_said_in_one_line(tmp_path: Path, greeting: object, says: str) -> None:
    with pytest.raises(ProvisionError) as caught:
        choose_clients([f"exec:{program(tmp_path, GOOD, greeting)}"])
    assert says in str(caught.value)
    assert "docs/join.md" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_program_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ProvisionError, match="is no program that can be started"):
        choose_clients([f"exec:{tmp_path / 'nothing'}"])


def test_lines_become_events_in_order(tmp_path: Path) -> None:
    kept = played(program(tmp_path, GOOD))
    kinds = [event.kind for event in kept.events]
    assert kinds[0] == pb.READY
    assert dict(kept.events[0].settings) == {"acks": "all"}
    sent = [event.sequence for event in kept.events if event.kind == pb.SENT]
    assert sent == list(range(len(sent)))
    acked = next(event for event in kept.events if event.kind == pb.ACKED)
    assert (acked.sequence, acked.offset) == (0, 7)


def test_a_role_that_it_lacks_is_unsupported(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="no group"):
        played(program(tmp_path, GOOD), "group", waits=False)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise SystemExit(3)", "ended by itself"),
        ("import sys; sys.stdin.readline(); print('{}', flush=True)", "a line that the contract does not have"),
        ("import sys; sys.stdin.readline(); print('hello', flush=True)", "a line that is no JSON object: 'hello'"),
        ('import sys; sys.stdin.readline(); print(\'{"event": "fatal", "text": "dead"}\', flush=True)', "dead"),
    ],
)
def test_a_program_that_breaks_the_contract_ends_the_instance_with_the_reason(
    tmp_path: Path, body: str, says: str
) -> None:
    with pytest.raises(Exception, match=says) as caught:
        played(program(tmp_path, body), waits=False)
    assert caught.type.__name__ in {"Unusable", "LineError"}


def saying(folder: Path, said: bytes) -> Path:
    """Write a program that says these bytes, whatever it reads."""
    (folder / "said").write_bytes(said)
    path = folder / "sayer"
    path.write_text('#!/bin/sh\nexec cat "$(dirname "$0")/said"\n')
    path.chmod(0o755)
    return path


NESTED = b"[" * 9999
READY = b'{"event": "ready"}\n'


@pytest.mark.parametrize(
    "said",
    [
        b"\xff\xfe" + json.dumps(GREETING).encode(),
        NESTED,
        json.dumps(GREETING).encode().replace(b"}", b', "back_off_ms": 1e999}'),
        json.dumps(GREETING).encode().replace(b"1.2.3", b"1.2.3\x00"),
    ],
)
def test_whatever_a_program_says_first_is_refused_in_one_line(tmp_path: Path, said: bytes) -> None:
    with pytest.raises(ProvisionError, match=r"its first line is no greeting but .*; docs/join\.md") as caught:
        choose_clients([f"exec:{saying(tmp_path, said)}"])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("said", "says"),
    [
        (b"\xff\n", "no JSON object"),
        (NESTED + b"\n", "no JSON object"),
        (b'{"event": "notice", "text": "' + b"x" * 2_000_000 + b'"}\n', "no JSON object"),
        (b'{"event": "ready", "settings": ["acks"]}\n', "the contract does not have"),
        (b'{"event": ["ready"]}\n', "the contract does not have"),
        (READY + b'{"event": "receive_error", "error": "text"}\n', "the contract does not have"),
        (READY + b'{"event": "receive_error", "error": {"code": 1e999}}\n', "the contract does not have"),
        (READY + b'{"event": "notice", "text": "\\ud800"}\n', "the contract does not have"),
    ],
    ids=range(8),  # the environment of a child has the id of the test
)
def test_whatever_a_program_writes_ends_the_instance_in_one_short_line(tmp_path: Path, said: bytes, says: str) -> None:
    with pytest.raises(Exception, match=says) as caught:
        played(saying(tmp_path, said), waits=False)
    assert caught.type.__name__ == "LineError"
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_reason_that_no_message_can_hold_is_sent_without_what_it_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="no \\?") as caught:
        played(saying(tmp_path, b'{"event": "unsupported", "text": "no \\ud800"}\n'), waits=False)
    assert str(caught.value).encode() == b"no ?"


def of_contract(folder: Path, outcome: Outcome, reason: str, monkeypatch: pytest.MonkeyPatch) -> list[Promise]:
    """Return the promises of a program that is ready for every role, and whose trials end with an outcome."""
    silent = 'import sys\nfor line in sys.stdin: print(\'{"event": "ready"}\', flush=True)\n'
    (chosen,) = choose_clients([f"exec:{program(folder, silent)}"])

    class Result:
        def __init__(self, plan: object) -> None:
            (cell,) = [item.cell for item in plan.cells]  # type: ignore[attr-defined]  # a plan
            self.outcomes = {cell: {outcome}}
            self.reasons = {(cell, outcome): reason}

    monkeypatch.setattr(driver_promises, "run_planned", lambda plan, *_: Result(plan))
    return list(driver_promises.promises(chosen, str(folder), Engine.EMBEDDED, "3.9"))


def test_check_driver_names_the_promise_that_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = of_contract(tmp_path, Outcome.STUCK, "never served", monkeypatch)
    assert [one.is_kept for one in found] == [True, False, False]
    assert "hello, ready" in found[1].seen
    assert "never served" in found[2].seen


@pytest.mark.parametrize(("reason", "is_open"), [(f"{FAKE_REFUSES} Fetch v0", True), ("no role", False)])
def test_what_fake_brokers_refuse_is_no_broken_promise(
    tmp_path: Path, reason: str, is_open: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = of_contract(tmp_path, Outcome.UNSUPPORTED, reason, monkeypatch)
    assert [one.is_open for one in found] == [False, False, is_open]


def test_the_page_names_every_event_and_its_skeleton_is_short() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PYTHON))
        from program_adapter.roles import EVENTS  # noqa: PLC0415  # found by the line above
    page = (PYTHON.parents[1] / "docs" / "join.md").read_text()
    written = page.partition("### What it writes")[2].partition("\nAn `error`")[0]
    rows = [row.split("|")[1] for row in written.splitlines() if row.startswith("| `")]
    named = {name.strip().strip("`") for row in rows for name in row.split(",")} - {"event"}
    assert named == {*EVENTS, "hello", "closed", "unsupported", "fatal"}
    skeleton = (PYTHON.parents[1] / "docs" / "my-driver").read_text()
    compile(skeleton, "my-driver", "exec")
    assert len(skeleton.splitlines()) <= 80
