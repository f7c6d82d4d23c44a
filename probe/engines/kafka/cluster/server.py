"""One Java server as a child process: a guard holds our pipe, and ends the server's process group when it closes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from probe.errors import EngineError
from probe.model.clock import now_us
from probe.processes.children import Child, child
from probe.processes.scheduling import lower_child

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
"""A stopped server cannot end itself, so somebody else in its group does. A shell gives background jobs no input of
ours, therefore descriptor 3."""
KEPT_LINES = 400
START_S = 5.0
CLOSE_S = 10.0
POLL_S = 0.05

OnLine = Callable[[int, str], None]
"""Takes a line of the log with the moment at which it was read, in microseconds."""


class Server:
    """A `kafka_ports.ServerProcess`."""

    def __init__(
        self,
        name: str,
        node: int,
        folder: Path,
        argv: Callable[[], Sequence[str]],
        settings: Mapping[str, str],
        serves: Callable[[], Awaitable[None]],
        heard: OnLine,
    ) -> None:
        """Describe it; `argv` is asked at each start, `serves` raises EngineError or OSError until it does."""
        self.name, self.node, self.folder = name, node, folder
        self.settings = dict(settings)
        self.environment: dict[str, str] = {}
        self.pid: int | None = None
        self.paused = False
        self.exit_code: int | None = None
        self.lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._argv, self._serves, self._heard = argv, serves, heard
        self._stack = contextlib.AsyncExitStack()
        self._reading: asyncio.Task[None] | None = None
        self._gone = asyncio.Event()
        self._gone.set()

    @property
    def properties_file(self) -> Path:
        """Return where its properties are written at each start."""
        return self.folder / "server.properties"

    async def start(self) -> None:
        """Start the process and return at once. EngineError if that is impossible or it runs already."""
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
            while not (told := await running.read_line(START_S)).startswith(f"{MARK} pid "):
                self._take(told)  # what the server says first may come before what its guard says
        except (EOFError, TimeoutError):
            await self.close()
            raise EngineError(f"{self.name} did not start: {running.last_words() or 'no reason given'}") from None
        self.pid = int(told.rpartition(" ")[2])
        lower_child(self.pid)
        self._reading = asyncio.create_task(self._read(running))

    async def ready(self, deadline_s: float) -> None:
        """Wait until it serves. EngineError with its last words when it ended, TimeoutError when it is late."""
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
        """Return the last line that tells of trouble, else the last line."""
        troubles = [line for line in self.lines if line.startswith(("ERROR", "FATAL", "Exception", "Error"))]
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
        """End it, whatever it does."""
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
        """Take its log line by line; the guard's last line says how it ended."""
        stream = running.process.stdout
        while True:
            try:
                raw = await stream.readline()
            except ValueError:  # a line beyond the stream's limit; it was dropped
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
        self.lines.append(line)
        self._heard(now_us(), line)
