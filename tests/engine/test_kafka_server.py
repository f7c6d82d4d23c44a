"""A server as a child process: its output, its signals, and its end when it is paused or the parent is killed."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from probe.engines.kafka.cluster import workspace
from probe.engines.kafka.cluster.server import GUARD, Server
from probe.engines.kafka.cluster.workspace import free_addresses
from probe.errors import EngineError
from probe.processes.temporary_folders import temporary_folder
from tests.support.deadlines import LONGEST_S

HELLO = ["sh", "-c", 'echo "INFO hello"; exec sleep 60']


def server(folder: Path, argv: list[str], on_line: Callable[[int, str], None] = lambda at, line: None) -> Server:
    async def serves() -> None:
        if not made.lines:
            raise EngineError("it has printed nothing yet")

    made = Server("broker 1", 1, folder, lambda: argv, {"a": "b"}, serves, on_line)
    return made


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone(pid: int, within_s: float = 5.0) -> bool:
    end = time.monotonic() + within_s
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not alive(pid)


def test_a_restarted_server_has_the_changed_settings(tmp_path: Path) -> None:
    async def go() -> None:
        lines: list[str] = []
        one = server(tmp_path, HELLO, lambda at, line: lines.append(line))
        await one.start()
        await one.ready(5)
        assert lines == ["INFO hello"]
        with pytest.raises(EngineError, match="runs already"):
            await one.start()
        one.terminate()
        assert await one.ended(5) == -signal.SIGTERM
        assert one.pid is None
        one.settings["a"] = "c"
        await one.start()
        assert one.properties_file.read_text() == "a=c\n"
        await one.close()

    asyncio.run(go())


def test_output_before_the_guards_answer_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "probe.engines.kafka.cluster.server.GUARD", GUARD.replace("server=$!\n", "server=$!\nsleep 0.3\n")
    )
    lines: list[str] = []

    async def go() -> None:
        one = server(tmp_path, HELLO, lambda _, line: lines.append(line))
        await one.start()
        assert one.pid is not None
        await one.close()

    asyncio.run(go())
    assert lines == ["INFO hello"]


def test_a_paused_server_is_ended(tmp_path: Path) -> None:
    async def go() -> int:
        one = server(tmp_path, HELLO)
        await one.start()
        await one.ready(5)
        assert one.pid is not None
        pid = one.pid
        one.pause()
        assert one.paused
        await one.close()
        return pid

    assert gone(asyncio.run(go()))


def test_the_exit_of_a_server_is_an_error(tmp_path: Path) -> None:
    async def go() -> None:
        one = server(tmp_path, ["sh", "-c", "sleep 0.1; exit 3"])
        await one.start()
        with pytest.raises(EngineError, match=r"broker 1 ended with exit code 3: no reason given"):
            await one.ready(5)
        await one.close()

    asyncio.run(go())


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
sys.path[:0] = {path!r}
from tests.engine.test_kafka_server import HELLO, server
from probe.processes.temporary_folders import temporary_folder
async def go():
    async with temporary_folder() as folder:
        one = server(folder, HELLO)
        await one.start()
        await one.ready(5)
        one.pause()
        print(one.pid, folder, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(go())
"""


def test_nothing_is_left_after_a_kill_of_the_parent() -> None:
    code = KILLED.format(path=[str(Path(__file__).parents[2])])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    pid, folder = done.stdout.split()
    assert gone(int(pid))
    end = time.monotonic() + LONGEST_S
    while Path(folder).exists() and time.monotonic() < end:
        time.sleep(0.1)
    assert not Path(folder).exists()


def test_a_temporary_folder_is_removed() -> None:
    async def go() -> Path:
        async with temporary_folder() as folder:
            (folder / "d0").mkdir()
            return folder

    assert not asyncio.run(go()).exists()


def test_addresses_are_free_and_differ() -> None:
    free = free_addresses()
    assert len({next(free) for _ in range(8)}) == 8


def test_clusters_use_memory_unless_full_or_tmpdir_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(workspace, "MEMORY", tmp_path)
    monkeypatch.setattr(workspace, "ROOM", 1)
    assert workspace.quick_folder() == tmp_path
    monkeypatch.setattr(workspace, "ROOM", 1 << 60)
    assert workspace.quick_folder() is None
    monkeypatch.setattr(workspace, "ROOM", 1)
    monkeypatch.setattr(workspace, "MEMORY", tmp_path / "none")
    assert workspace.quick_folder() is None
    monkeypatch.setattr(workspace, "MEMORY", tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert workspace.quick_folder() is None


@pytest.mark.parametrize(
    ("log", "word"),
    [
        (
            ["ERROR Fatal", "a.b.LateException: no", "\tat a.b.C", "ERROR Exiting Kafka."],
            "a.b.LateException: no",
        ),
        (["ERROR no disk", "INFO shut down completed"], "ERROR no disk"),
        (["INFO starts", "INFO Exception is a word"], "INFO Exception"),
    ],
)
def test_the_last_words_of_a_server_name_the_reason(tmp_path: Path, log: list[str], word: str) -> None:
    made = server(tmp_path, HELLO)
    made.lines.extend(log)
    assert made.last_words().startswith(word)
