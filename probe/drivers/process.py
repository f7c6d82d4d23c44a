"""One driver process and its instances."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

from probe.driver_contract import driver_pb2 as pb
from probe.drivers.clock import POLL_S, Clock
from probe.drivers.conversion import ENDINGS, to_app, to_start
from probe.drivers.error_folding import ErrorFolding
from probe.errors import DriverError, SilentDriverError
from probe.model import App, AppKind, Client
from probe.model.clock import now_us
from probe.ports import Sink, Start
from probe.processes.children import Child, child
from probe.processes.resources import said_exhaustion, translated
from probe.processes.suspension import suspended
from probe.toolchain.local_places import without_places

PING_EVERY_S = 10.0
FIRST_PINGS = 5
EARLY_PING_S = 0.05
"""Time from the first pings to the next while the clock is not trusted; it doubles with every further ping."""
PATIENCE_S = 3.0
"""A driver that is busy for longer may start instances; its histories carry the error bound of its clock."""
EXIT_S = 1.0
ANSWER_S = 10.0
"""A driver that has answered no ping for this time answers nothing any more: a library keeps its only thread busy."""

Write = Callable[[pb.ToDriver], Awaitable[None]]


class RunningInstance:
    """One client instance in a driver process."""

    def __init__(self, process: DriverProcess, start: Start, sink: Sink) -> None:
        self._process = process
        self._sink = sink
        self.name = start.instance
        self.ended = asyncio.Event()
        self.died = ""
        """Reason why the driver process ended, if it ended under this instance."""
        self._folding = ErrorFolding()
        self.clock_error_us = 0
        """Largest error bound of the times of its events."""

    def handle(self, event: App, bound_us: int = 0) -> None:
        """Pass an event on; the first ending event ends the instance, later events are dropped."""
        if self.ended.is_set():
            return
        self.clock_error_us = max(self.clock_error_us, bound_us)
        if (kept := self._folding.take(event)) is not None:
            self._sink(kept)
        if event.kind in ENDINGS:
            self.ended.set()

    def on_lost(self, reason: str) -> None:
        """End the instance because its process is gone."""
        if not self.ended.is_set():
            self.died = reason
            self.handle(App(at=now_us(), kind=AppKind.FATAL, instance=self.name, text=reason))

    @property
    def pid(self) -> int:
        """The id of its process; 0 if that never ran."""
        return self._process.pid

    def set_interval(self, interval_ms: int) -> None:
        """Set the interval between two operations, in milliseconds."""
        self._process.send(pb.ToDriver(pace=pb.Pace(instance=self.name, interval_ms=interval_ms)))

    def handle_for(self, handler_ms: int) -> None:
        """Let the application handle the next record for this number of milliseconds."""
        self._process.send(pb.ToDriver(handle=pb.Handle(instance=self.name, handler_ms=handler_ms)))

    def suspended(self) -> contextlib.AbstractAsyncContextManager[None]:
        """Stop the process of this instance, which has it alone, inside the block."""
        return self._process.suspended()

    def kill(self) -> None:
        """Kill the process of this instance, which has it alone."""
        self._process.kill()

    async def stop(self, deadline_ms: int) -> None:
        """Ask the instance to close; return when it has ended, or shortly after the deadline."""
        self._process.send(pb.ToDriver(stop=pb.Stop(instance=self.name, deadline_ms=deadline_ms)))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(deadline_ms / 1000 + 1.0):
                await self.ended.wait()

    async def check(self) -> None:
        """Ping the process of this instance; if it does not answer, it ends, and all its instances with it."""
        await self._process.check()


class DriverProcess:
    """A driver process from its start to its end."""

    def __init__(self, client: Client, capacity: int) -> None:
        self.client = client
        self.clock = Clock()
        self._capacity = capacity
        self._reserved = 0
        self._instances: dict[str, RunningInstance] = {}
        self._outbox: asyncio.Queue[pb.ToDriver] = asyncio.Queue()
        self._attached = asyncio.Event()
        self._greeted = False
        """Whether it has said Hello."""
        self._failure = ""
        self._retired = False
        self._suspended = False
        self._child: Child | None = None

    @contextlib.asynccontextmanager
    async def run(self, argv: Sequence[str], env: Mapping[str, str]) -> AsyncIterator[None]:
        """Run the process inside the block; its instances are lost when it ends."""
        async with child(argv, env=env) as running:
            self._child = running
            watching = asyncio.create_task(self._watch(running))
            try:
                yield
            finally:
                self._lose("the run is over")
                watching.cancel()

    async def _watch(self, running: Child) -> None:
        code = await running.process.wait()
        words = without_places(running.last_words())
        self._lose(f"the driver process ended with code {code}" + (f": {words}" if words else ""))

    def _lose(self, reason: str) -> None:
        self._failure = self._failure or reason
        self._attached.set()
        for instance in list(self._instances.values()):
            instance.on_lost(reason)

    async def attached(self, timeout_s: float) -> None:
        """Wait for the driver's Hello and for its first answers to pings.

        Raises SilentDriverError if they did not come within `timeout_s`, DriverError if it ended.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._attached.wait()
        failed: type[DriverError] = DriverError
        if not self._attached.is_set():
            failed = SilentDriverError
            self._lose(f"no {'answer to a ping' if self._greeted else 'Hello'} within {timeout_s:.0f} s")
        if self._failure:
            self.kill()
            words = f"driver of {self.client}: {self._failure}"
            raise said_exhaustion(words) or failed(words)

    @property
    def pid(self) -> int:
        """The id of the process; 0 if it never ran."""
        return 0 if self._child is None else self._child.pid

    @property
    def gone(self) -> bool:
        """Whether the process can take no more instances, ever."""
        return bool(self._failure) or self._retired

    @contextlib.asynccontextmanager
    async def suspended(self) -> AsyncIterator[None]:
        """Stop the process inside the block. It gets no pings meanwhile, as it could not answer them in time.

        Raises DriverError if it was never started, or if its guard cannot be started.
        """
        if self._child is None:
            raise DriverError(f"driver of {self.client}: it does not run, so it cannot be stopped")
        self._suspended = True
        try:
            with translated(DriverError):
                async with suspended(self._child.pid):
                    yield
        finally:
            self._suspended = False

    def room(self) -> bool:
        """Return whether one more instance fits."""
        return not self.gone and self._reserved < self._capacity

    def reserve(self) -> None:
        """Count one more instance."""
        self._reserved += 1

    def start(self, start: Start, sink: Sink) -> RunningInstance:
        """Start a reserved instance."""
        instance = RunningInstance(self, start, sink)
        self._instances[start.instance] = instance
        if self._failure:
            instance.on_lost(self._failure)
        self.send(pb.ToDriver(start=to_start(start)))
        return instance

    def release(self, instance: RunningInstance) -> None:
        """Free an instance's place. A process with an instance that did not end takes no more, and ends when empty."""
        self._instances.pop(instance.name, None)
        self._reserved -= 1
        if not instance.ended.is_set():
            self._retired = True
        self._end_if_done()

    def _end_if_done(self) -> None:
        if (self._retired or self._capacity == 1) and not self._reserved:
            self.kill()

    def retire(self) -> None:
        """Take no more instances."""
        self._retired = True

    def finish(self) -> None:
        """Take no more instances, and end once none is left."""
        self.retire()
        self._end_if_done()

    def kill(self) -> None:
        """Kill the process."""
        if self._child is not None:
            self._child.kill()

    def send(self, message: pb.ToDriver) -> None:
        """Queue a message for the driver."""
        self._outbox.put_nowait(message)

    async def serve(self, hello: pb.Hello, incoming: AsyncIterator[pb.FromDriver], write: Write) -> None:
        """Exchange messages with the attached driver until its stream ends."""
        self._greeted = True
        if hello.version != self.client.version or hello.family != self.client.family:
            self._lose(f"it reports {hello.family}@{hello.version}, not {self.client}")
            return
        tasks = [asyncio.create_task(self._write(write)), asyncio.create_task(self._ping())]
        try:
            async for message in incoming:
                self._handle(message)
        finally:
            for task in tasks:
                task.cancel()
            await self._last_words()
            self._lose("the driver's stream ended")

    async def _last_words(self) -> None:
        """Let a process that ends say why, which is known a moment after the end of its stream."""
        for _ in range(round(EXIT_S / POLL_S)):
            if self._failure or self._child is None:
                return
            await asyncio.sleep(POLL_S)

    async def _write(self, write: Write) -> None:
        while True:
            await write(await self._outbox.get())

    async def _ping(self) -> None:
        for _ in range(FIRST_PINGS):
            self._send_ping()
            await asyncio.sleep(0.01)
        wait_s = EARLY_PING_S
        while True:
            await asyncio.sleep(PING_EVERY_S if self.clock.trusted else wait_s)
            wait_s = min(2 * wait_s, PING_EVERY_S)
            if wait_s > PATIENCE_S and self.clock.known:
                self._attached.set()
            if not self._suspended:
                self._send_ping()

    def _send_ping(self) -> int:
        identity = self.clock.ping()
        self.send(pb.ToDriver(ping=pb.Ping(id=identity)))
        return identity

    async def check(self) -> None:
        """Ping the process; if it does not answer, end it, since nothing in it runs any more."""
        if not self._failure and not await self.clock.answered(self._send_ping(), ANSWER_S):
            self._lose(f"the driver process answered nothing for {ANSWER_S:.0f} s")
            self.kill()

    def _handle(self, message: pb.FromDriver) -> None:
        which = message.WhichOneof("message")
        if which == "pong":
            self.clock.pong(message.pong.id, message.pong.clock_us)
            if self.clock.trusted:
                self._attached.set()
        elif which == "events":
            for event in message.events.events:
                if event.kind == pb.CLOSED and event.text:
                    self.retire()
                if instance := self._instances.get(event.instance):
                    app = to_app(event, self.clock)
                    instance.handle(app, self.clock.bound_us)
