"""Signals and a full disk outside of a run: one line, the right exit code and no waiting."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from probe.cli import app as command
from probe.cli.wiring.signals import restored_handlers
from spark.output import sweep
from tests.support.deadlines import LONGEST_S
from tests.support.packets import Packet, Talk, pcap, produce, produced

BUSY = """
import threading, time
from probe.cli import app
def work():
    threading.Thread(target=time.sleep, args=(6000,)).start()  # such as one that builds a driver
    print("up", flush=True)
    time.sleep(6000)
app.app = work
app.main()
"""


def said_after(program: str, number: signal.Signals, code: int) -> list[str]:
    """Send a signal to a program once it has printed a line; return what it said of that before it ended."""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"up\n"
            process.send_signal(number)
            _, errors = process.communicate(timeout=LONGEST_S)
        finally:
            process.kill()
    assert process.returncode == code, errors
    return errors.decode().splitlines()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_any_command_at_once(number: signal.Signals, code: int) -> None:
    (line,) = said_after(BUSY, number, code)
    assert line.startswith("probe: ended by a signal; stored results")


def test_a_full_disk_is_reported_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/cache/obtained/x")

    monkeypatch.setattr(command, "app", full)
    with restored_handlers(), pytest.raises(SystemExit) as caught:
        command.main()
    assert caught.value.code == 3
    (line,) = "".join(capsys.readouterr().err.splitlines(keepends=True)).splitlines()
    assert "/cache/obtained/x cannot be written: No space left on device; free space" in line


def test_other_system_errors_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def odd() -> None:
        raise ConnectionResetError(errno.ECONNRESET, "reset")

    monkeypatch.setattr(command, "app", odd)
    with restored_handlers(), pytest.raises(ConnectionResetError):
        command.main()


def test_half_written_tables_of_a_killed_publisher_are_removed(tmp_path: Path) -> None:
    stay = ["matrix.csv", "history.parquet", ".locks", ".metrics.prom.77", ".site-ab12"]
    for name in [*stay, ".history.parquet.77", ".matrix.csv.4711"]:
        (tmp_path / name).touch()
    sweep(str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(stay)


def test_ctrl_c_ends_what_feeds_a_diagnosis_and_the_diagnosis_reports_what_it_read() -> None:
    data = pcap(sorted((one for talk in range(40) for one in many(talk)), key=lambda one: one.at))
    argv = [sys.executable, "-m", "probe.cli.app", "diagnose", "-", "--results", "no-results"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            assert process.stdin is not None
            process.stdin.write(data)  # more than a pipe holds, so that it has begun to read
            process.stdin.flush()
            process.send_signal(signal.SIGINT)
            said, errors = process.communicate(timeout=LONGEST_S)
        finally:
            process.kill()
    assert process.returncode == 1
    assert "40 clients" in said.decode()
    assert "Ctrl-C again ends without a report" in errors.decode()


def many(number: int) -> list[Packet]:
    talk = Talk(client=(f"10.0.1.{number}", 40_001)).open()
    for corr in range(60):
        talk.ask(produce(corr)).answer(produced(corr))
        talk.at += 200_000
    return talk.packets


STARTING = """
import sys
class Slow:
    def find_spec(self, name, *_):
        if name == "typer":
            print("up", flush=True)
            import time
            time.sleep(6000)
sys.meta_path.insert(0, Slow())
from probe.cli import main
main()
"""
ENDING = """
import threading, time
from probe.cli import app, main
app.app = lambda: None
threading._register_atexit(lambda: (print("up", flush=True), time.sleep(6000)))
main()
"""
"""A command that has ended, while the interpreter waits for its threads."""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(("program", "lines"), [(STARTING, 1), (ENDING, 0)])
def test_a_signal_before_the_imports_and_after_the_command_shows_no_traceback(
    number: signal.Signals, code: int, program: str, lines: int
) -> None:
    said = said_after(program, number, code)
    assert len(said) == lines, said
    assert all(line.startswith("probe: ended by a signal") for line in said)
