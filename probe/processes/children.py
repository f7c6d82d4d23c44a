"""Child processes that cannot outlive this one: their standard input is a pipe from here, and they end when it closes.

A child that is stopped (SIGSTOP) or stuck is killed with its whole process group on the way out. If this process is
killed, the pipe closes and the child ends its own group.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence

from probe.files.bytecode import FOLDER
from probe.processes.resources import limit_child, no_process
from probe.processes.scheduling import lower_child, starting
from probe.processes.vfork import Process
from probe.toolchain.tools import cache_root

KEPT_LINES = 30
GRACE_S = 2.0
CAUSES = ("runtime: failed to ", "runtime: cannot ", "fatal error: ", "panic: ")
"""Beginnings of the lines in which Go's runtime says why it ends."""


class Child:
    """A running child process."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.lines: deque[str] = deque(maxlen=KEPT_LINES)
        """Last lines of its standard error."""
        self._cause = ""
        """The first line with which a runtime names its own end; stacks of many lines follow it."""
        self._reading = asyncio.create_task(self._read_errors())

    async def _read_errors(self) -> None:
        while True:
            try:
                line = await self.process.stderr.readline()
            except ValueError:  # a line beyond the stream's limit; it was dropped
                continue
            if not line:
                return
            text = line.decode(errors="replace").rstrip()[:500]
            self.lines.append(text)
            if not self._cause and text.startswith(CAUSES):
                self._cause = text

    @property
    def pid(self) -> int:
        """The process id, which is also the process group."""
        return self.process.pid

    async def read_line(self, timeout_s: float) -> str:
        """Return the next line of standard output. Raises TimeoutError or EOFError."""
        async with asyncio.timeout(timeout_s):
            line = await self.process.stdout.readline()
        if not line:
            raise EOFError
        return line.decode().strip()

    def last_words(self) -> str:
        """Return the line of its standard error that names its end: a runtime's own, else the last; may be empty."""
        return self._cause or (self.lines[-1] if self.lines else "")

    async def end(self) -> int:
        """Close the child's standard input, wait `GRACE_S`, kill its group, and return its exit code."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await self.process.wait()
        self.kill()
        code = await self.process.wait()
        await asyncio.wait({self._reading}, timeout=GRACE_S)
        self._reading.cancel()
        self.process.close()  # the pipes may end after the process, and must be closed before the loop is
        await asyncio.sleep(0)
        return code

    def kill(self) -> None:
        """Kill the child's whole process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)


def _bytecode() -> Mapping[str, str]:
    """Keep the bytecode of Python drivers in our cache; otherwise every start compiles their libraries again."""
    return {"PYTHONPYCACHEPREFIX": str(cache_root() / FOLDER), "PYTHONDONTWRITEBYTECODE": ""}


@contextlib.asynccontextmanager
async def child(
    argv: Sequence[str], *, env: Mapping[str, str] | None = None, passed: Sequence[int] = ()
) -> AsyncIterator[Child]:
    """Start a child process; it and its group are gone at exit. Raises OSError if it cannot be started.

    It gets the descriptors `passed`. Raises ExhaustedError if the system can start no further process.
    """
    try:
        with starting(argv) as command:
            process = Process(command, {**os.environ, **_bytecode(), **(env or {})}, passed)
    except OSError as error:
        raise no_process(error) from error
    running = Child(process)
    try:
        lower_child(process.pid)
        limit_child(process.pid)
        await process.connect()
        yield running
    finally:
        await asyncio.shield(running.end())
