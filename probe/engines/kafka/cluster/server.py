"""A Java server as a child process. A guard kills the server's process group when the probe's pipe closes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from probe.errors import EngineError
from probe.model.clock import now_us
from probe.processes.children import Child, child
from probe.processes.scheduling import lower_child
from probe.protocol.log_requests import MARK as MARK_OF_REQUESTS

MARK = "probe-guard"
GUARD = f"""exec 3<&0
"$@" </dev/null 3<&- 2>&1 &
server=$!
echo "{MARK} pid $server"
(cat <&3 >/dev/null; kill -KILL 0) &
wait $server
echo "{MARK} exit $?"
kill -KILL 0
"""
"""The guard: a paused server cannot end itself, so another process in its group kills it.

A shell does not pass standard input to background jobs, therefore the pipe is descriptor 3.
"""
_TROUBLE = re.compile(r"(?!ERROR Exiting Kafka)(ERROR|FATAL|Exception|Error|[\w.$]+(Exception|Error)(: |$))")
"""Lines of a log that tell of an error: a logged one, or the name and message of a class of exceptions."""
KEPT_LINES = 400
START_S = 5.0
CLOSE_S = 10.0
POLL_S = 0.05

OnLine = Callable[[int, str], None]
"""Takes the time at which a line of the log was read, in microseconds, and the line."""


class Server:
    """A server process; implements `probe.engines.kafka.ports.ServerProcess`."""

    def __init__(
        self,
        name: str,
        node: int,
        folder: Path,
        argv: Callable[[], Sequence[str]],
        settings: Mapping[str, str],
        serves: Callable[[], Awaitable[None]],
        on_line: OnLine,
    ) -> None:
        """Create a server that is not started yet.

        `argv` returns the command at each start. `serves` raises EngineError or OSError until the server serves.
        """
        self.name, self.node, self.folder = name, node, folder
        self.settings = dict(settings)
        self.environment: dict[str, str] = {}
        self.pid: int | None = None
        self.paused = False
        self.exit_code: int | None = None
        self.lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._argv, self._serves, self._on_line = argv, serves, on_line
        self._stack = contextlib.AsyncExitStack()
        self._reading: asyncio.Task[None] | None = None
        self._gone = asyncio.Event()
        self._gone.set()

    @property
    def properties_file(self) -> Path:
        """Return the path of its properties, which each start writes."""
        return self.folder / "server.properties"

    async def start(self) -> None:
        """Start the process and return at once. EngineError if that fails or if it runs already."""
        if not self._gone.is_set():
            raise EngineError(f"{self.name} runs already")
        await self.close()
        text = "".join(f"{key}={value}\n" for key, value in self.settings.items())
        self.properties_file.write_text(text)
        argv = ["sh", "-c", GUARD, "guard", *self._argv()]
        running = await self._stack.enter_async_context(child(argv, env=self.environment))
        self._gone.clear()
        self.exit_code = None
        try:
            while not (line := await running.read_line(START_S)).startswith(f"{MARK} pid "):
                self._take(line)  # the server's first lines may come before the guard's
        except (EOFError, TimeoutError):
            await self.close()
            raise EngineError(f"{self.name} did not start: {running.last_words() or 'no reason given'}") from None
        self.pid = int(line.rpartition(" ")[2])
        lower_child(self.pid)
        self._reading = asyncio.create_task(self._read(running))

    async def ready(self, deadline_s: float) -> None:
        """Wait until it serves. EngineError with its last lines if it ended, TimeoutError if it is late."""
        end = time.monotonic() + deadline_s
        while True:
            if self._gone.is_set():
                raise EngineError(f"{self.name} ended with exit code {self.exit_code}: {self.last_words()}")
            try:
                return await self._serves()
            except (OSError, EngineError) as error:
                if time.monotonic() > end:
                    raise TimeoutError(f"{self.name} did not serve within {deadline_s:.0f} s: {error}") from None
            await asyncio.sleep(POLL_S)

    def last_words(self) -> str:
        """Return the last line about an error that says more than that the server ends, otherwise the last line."""
        troubles = [line for line in self.lines if _TROUBLE.match(line)]
        return (troubles or list(self.lines) or ["no reason given"])[-1]

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self._signal(signal.SIGKILL)

    def pause(self) -> None:
        """Send SIGSTOP."""
        self._signal(signal.SIGSTOP)
        self.paused = self.pid is not None

    def resume(self) -> None:
        """Send SIGCONT."""
        self._signal(signal.SIGCONT)
        self.paused = False

    async def ended(self, deadline_s: float) -> int:
        """Wait until the process is gone, and return its exit code. TimeoutError."""
        try:
            async with asyncio.timeout(deadline_s):
                await self._gone.wait()
        except TimeoutError:
            raise TimeoutError(f"{self.name} did not end within {deadline_s:.0f} s") from None
        return self.exit_code if self.exit_code is not None else -signal.SIGKILL

    async def close(self) -> None:
        """Kill the process, and release its resources."""
        self.kill()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self._gone.wait()
        await self._stack.aclose()
        if self._reading is not None:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading
            self._reading = None
        self._end(None)

    def _signal(self, number: signal.Signals) -> None:
        if self.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def _end(self, code: int | None) -> None:
        self.pid, self.paused = None, False
        if code is not None:
            self.exit_code = code
        self._gone.set()

    async def _read(self, running: Child) -> None:
        """Read the log line by line; the guard's last line has the exit code."""
        stream = running.process.stdout
        while True:
            try:
                raw = await stream.readline()
            except ValueError:  # a line beyond the stream's limit, which was dropped
                continue
            if not raw:
                break
            line = raw.decode(errors="replace").rstrip()
            if line.startswith(f"{MARK} exit "):
                code = int(line.rpartition(" ")[2])
                self._end(128 - code if code > 128 else code)
                break
            self._take(line)
        self._end(None)

    def _take(self, line: str) -> None:
        if MARK_OF_REQUESTS not in line:
            self.lines.append(line)
        self._on_line(now_us(), line)
