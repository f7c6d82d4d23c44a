"""A process started by vfork, with its pipes on the event loop.

uvloop forks: with 450 MB of histories in memory each start kept the loop for 20 ms, and for as long as the child got no
core. `subprocess` takes vfork (CPython 3.10 and later), and 0.5 ms.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO


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
        """Learn of its end from the kernel, or from a thread where that does not tell (before Linux 5.3)."""
        try:
            ending = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            self._take_code()
            return
        asyncio.get_running_loop().add_reader(ending, self._ended, ending)

    def _ended(self, ending: int) -> None:
        asyncio.get_running_loop().remove_reader(ending)
        os.close(ending)
        self._take_code()

    def _take_code(self) -> None:
        """Take its exit code in a thread: Linux kept who asked for 0.2 to 0.9 s on full cores, of the dead, too."""
        self._waiting = asyncio.create_task(self._wait_in_thread())

    async def _wait_in_thread(self) -> None:
        self._code.set_result(await asyncio.to_thread(self._popen.wait))
