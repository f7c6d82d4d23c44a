"""A process started by vfork, with its pipes on the event loop.

uvloop forks, which blocks the loop for long when this process is large or the child gets no core. `subprocess` uses
vfork (CPython 3.10 and later), which is fast; see docs/performance.md.
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
"""Time after a child's end until its threads have ended, too, even on full cores."""


class Process:
    """A child process in a session of its own, with the methods that this project needs.

    The process runs when the constructor returns, so that the caller can end it. Its output is read after `connect`.
    """

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], passed: Sequence[int] = ()) -> None:
        """Start a program that gets the descriptors `passed`. Raises OSError if it cannot be started."""
        pipe = subprocess.PIPE
        self._popen = subprocess.Popen(
            argv, stdin=pipe, stdout=pipe, stderr=pipe, env=env, start_new_session=True, pass_fds=passed
        )
        self.stdin = self._popen.stdin
        self.stdout, self.stderr = asyncio.StreamReader(), asyncio.StreamReader()
        self._transports: list[asyncio.ReadTransport] = []
        self._code = asyncio.get_running_loop().create_future()
        self._waiting: asyncio.Task[None] | None = None
        self._await_end()

    async def connect(self) -> None:
        """Start to read standard output and standard error."""
        await self._read(self._popen.stdout, self.stdout)
        await self._read(self._popen.stderr, self.stderr)

    @property
    def pid(self) -> int:
        """The process id, which is also its group's."""
        return self._popen.pid

    async def wait(self) -> int:
        """Wait for the end of the process; return its exit code, negative for a signal."""
        return await asyncio.shield(self._code)

    def close(self) -> None:
        """Close the pipes, after the process has ended."""
        for transport in self._transports:
            transport.close()

    async def _read(self, pipe: IO[bytes] | None, reader: asyncio.StreamReader) -> None:
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        self._transports.append(transport)

    def _await_end(self) -> None:
        """Wait for the end by the kernel's notification, or in a thread where there is none (before Linux 5.4)."""
        try:
            ending = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            self._waiting = asyncio.create_task(self._wait_in_thread())
            return
        asyncio.get_running_loop().add_reader(ending, self._ended, ending)

    def _ended(self, ending: int) -> None:
        asyncio.get_running_loop().remove_reader(ending)
        try:
            status = os.waitid(os.P_PIDFD, ending, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:  # SIGCHLD is ignored, so the kernel took the child
            status = None
        os.close(ending)
        code = 0 if status is None else status.si_status if status.si_code == os.CLD_EXITED else -status.si_status
        self._popen.returncode = code  # keeps Popen from waiting; the reaper does that
        _reaper.bury(self.pid)
        self._code.set_result(code)

    async def _wait_in_thread(self) -> None:
        self._code.set_result(await asyncio.to_thread(self._popen.wait))


class _Reaper:
    """A thread that waits for ended children, some time after their end.

    To wait at once is slow: the kernel then removes the /proc entries of a child while its threads do the same, and
    keeps a core busy until they are done. Below our priority they get no core for that. The effect is large if another
    program, such as `ps`, reads /proc during a run.
    """

    def __init__(self) -> None:
        self._dead: queue.SimpleQueue[tuple[float, int]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def bury(self, pid: int) -> None:
        """Wait for an ended child after `DECENT_S`."""
        self._dead.put((time.monotonic() + DECENT_S, pid))
        with self._lock:
            if self._thread is None:
                thread = threading.Thread(target=self._work, name="reaper", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # no further thread can be started; the next child that ends tries again
                    return
                self._thread = thread

    def _work(self) -> None:
        while True:
            due, pid = self._dead.get()
            time.sleep(max(0.0, due - time.monotonic()))
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


_reaper = _Reaper()
