"""A process started by vfork, with its pipes on the event loop.

uvloop forks: with 450 MB of histories in memory each start kept the loop for 20 ms, and for as long as the child got no
core. `subprocess` takes vfork (CPython 3.10 and later), and 0.5 ms.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO

DECENT_S = 1.0
"""So long after a child's end its threads have left, too, on cores however full."""


class Process:
    """A child process in a session of its own, as far as this project needs one.

    It is there at once, so that whoever made it can end it; what it writes is read after `connect`.
    """

    def __init__(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        """Start a program. OSError if it cannot be started."""
        pipe = subprocess.PIPE
        self._popen = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, env=env, start_new_session=True)
        self.stdin = self._popen.stdin
        self.stdout, self.stderr = asyncio.StreamReader(), asyncio.StreamReader()
        self._transports: list[asyncio.ReadTransport] = []
        self._code = asyncio.get_running_loop().create_future()
        self._waiting: asyncio.Task[None] | None = None
        self._await_end()

    async def connect(self) -> None:
        """Begin to read its standard output and standard error."""
        await self._read(self._popen.stdout, self.stdout)
        await self._read(self._popen.stderr, self.stderr)

    @property
    def pid(self) -> int:
        """Return its id, which is also its group's."""
        return self._popen.pid

    async def wait(self) -> int:
        """Wait until it has ended, and return its exit code, negative for a signal."""
        return await asyncio.shield(self._code)

    def close(self) -> None:
        """Close its pipes; to be called once it has ended."""
        for transport in self._transports:
            transport.close()

    async def _read(self, pipe: IO[bytes] | None, reader: asyncio.StreamReader) -> None:
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        self._transports.append(transport)

    def _await_end(self) -> None:
        """Learn of its end from the kernel, or from a thread where that does not tell (before Linux 5.4)."""
        try:
            ending = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            self._waiting = asyncio.create_task(self._wait_in_thread())
            return
        asyncio.get_running_loop().add_reader(ending, self._ended, ending)

    def _ended(self, ending: int) -> None:
        asyncio.get_running_loop().remove_reader(ending)
        try:
            told = os.waitid(os.P_PIDFD, ending, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:  # whoever started us has children taken by the kernel (SIGCHLD ignored)
            told = None
        os.close(ending)
        code = 0 if told is None else told.si_status if told.si_code == os.CLD_EXITED else -told.si_status
        self._popen.returncode = code  # it asks for no more; the reaper takes what is left
        _reaper.bury(self.pid)
        self._code.set_result(code)

    async def _wait_in_thread(self) -> None:
        self._code.set_result(await asyncio.to_thread(self._popen.wait))


class _Reaper:
    """A thread that takes dead children off the kernel's list, some time after their end.

    At once would be a trap: the kernel then throws away what /proc knows of a child, as its dying threads do, and turns
    a core over until they are done with theirs. With our priority they get no core for that. With one `ps` or `find`
    beside a run that was 10 of 60 s of a core, and the loop's own thread was once kept for 0.2 to 0.9 s.
    """

    def __init__(self) -> None:
        self._dead: queue.SimpleQueue[tuple[float, int]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def bury(self, pid: int) -> None:
        """Take a child that has ended, in a while."""
        self._dead.put((time.monotonic() + DECENT_S, pid))
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="reaper", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            due, pid = self._dead.get()
            time.sleep(max(0.0, due - time.monotonic()))
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


_reaper = _Reaper()
