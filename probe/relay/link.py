"""One connection through the relay: the client's side, the broker's side, and the unchanged bytes between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Protocol

from probe.model import Closed, EngineEvent, EngineKind, Event, Opened
from probe.model.clock import now_us
from probe.protocol.conversation import Conversation
from probe.relay.delay_queue import DelayQueue
from probe.relay.socket_end import BUFFER, SocketEnd

STORM_MS = 5
"""Delay of answers during a lasting storm, as if the brokers were in another zone. A client that repeats requests at
once then sends 200 per second instead of thousands, which would take CPU from all others."""


class LinkPolicy(Protocol):
    """What applies to the links of a broker."""

    blackhole: bool
    """Whether bytes are dropped in both directions."""

    def delay_us(self, link: Link, api: int) -> int:
        """Return the delay of an answer of this API, in microseconds."""

    @property
    def delays(self) -> bool:
        """Whether any answer may be delayed."""

    async def dial(self, side: asyncio.Protocol) -> None:
        """Connect `side` to the broker. Raises OSError, TimeoutError."""

    def emit(self, events: Iterable[Event]) -> None:
        """Report events."""

    def folds(self) -> None:
        """Report the counts of folded frames later; a link holds some."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run in the background."""

    def ended(self, link: Link) -> None:
        """Remove a link both of whose sides have ended."""

    def failed(self, error: OSError) -> None:
        """Report why the broker could not be reached."""


class Link:
    """Forwards and reports bytes, and passes the end of one side on to the other."""

    def __init__(self, policy: LinkPolicy, conversation: Conversation) -> None:
        self.road, self.conversation = policy, conversation
        self.client, self.broker = SocketEnd(self, "client"), SocketEnd(self, "broker")
        self.closed_by = ""
        self.half_open = False
        """Forwards nothing any more in either direction, without an end."""
        self._early = b""
        """Bytes that the client sent before the broker was reached. Reading from the client pauses meanwhile."""
        self._dialling: asyncio.Task[None] | None = None
        self._gate: DelayQueue | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._slowed = False
        self._broker_done = ""
        """`end` or `close`: what the client's side does once the delay queue is empty."""

    def made(self, side: SocketEnd) -> None:
        """Handle a side that has connected; the client's waits for the broker's."""
        if side is self.client and self.closed_by:
            self.client.reset()
        elif side is self.client:
            conversation = self.conversation
            self.road.emit([Opened(at=now_us(), conn=conversation.conn, broker=conversation.broker)])
            if not self._silent:
                self._dialling = self.road.spawn(self._dial())
        elif self.client.lost or self.closed_by:
            self.broker.reset()
        else:
            self.broker.write(self._early)
            self._early = b""
            self.regulate()

    async def _dial(self) -> None:
        try:
            await self.road.dial(self.broker)
        except OSError as error:  # TimeoutError is a subclass
            self.road.failed(error)
            self._close("broker")
            self.client.reset()

    def from_client(self, data: bytes) -> None:
        """Forward to the broker, then report."""
        at = now_us()
        if self.broker.transport is None and not self._silent:
            self._early += data
            self.regulate()
        elif not self._silent:
            self.broker.write(data)
        self._decode(self.conversation.client_bytes, data, at)

    def from_broker(self, data: bytes) -> None:
        """Forward to the client, then report; or delay."""
        if self._silent:
            return
        if self._gate is None and not self._delays:
            self._pass(data)
            return
        if self._gate is None:
            missing, head = self.conversation.answering.position()
            self._gate = DelayQueue(self.conversation.expected, self._delay_us, missing=missing, head=head)
        self._gate.put(data, now_us())
        self._release()

    @property
    def _silent(self) -> bool:
        return self.half_open or self.road.blackhole

    @property
    def _delays(self) -> bool:
        return self._slowed or self.road.delays

    def _delay_us(self, api: int) -> int:
        return self.road.delay_us(self, api) + STORM_MS * 1000 * self._slowed

    def _pass(self, data: bytes) -> None:
        at = now_us()  # before the write: the client's reaction must not get an earlier time
        self.client.write(data)
        self._decode(self.conversation.broker_bytes, data, at)

    def _decode(self, read: Callable[[bytes, int], list[Event]], data: bytes, at: int) -> None:
        try:
            self.road.emit(read(data, at))
        except Exception as error:  # noqa: BLE001  # a fault of our decoder must never disturb forwarding
            self.conversation.fault = f"decoder failed: {error!r}"
        fold = self.conversation.fold
        if fold.folding:
            self.road.folds()
        if fold.lasts is not self._slowed:
            self._slow(at)

    def _slow(self, at: int) -> None:
        """Start to delay answers when a storm lasts, or stop, and report that."""
        self._slowed = self.conversation.fold.lasts
        conn = self.conversation.conn
        text = f"connection {conn} " + ("storms" if self._slowed else "is calm again")
        kind, broker = EngineKind.SLOWED, self.conversation.broker
        self.road.emit(
            [EngineEvent(at=at, kind=kind, broker=broker, value=STORM_MS * self._slowed, text=text, conn=conn)]
        )

    def _release(self) -> None:
        """Forward the bytes that are due, and schedule the rest."""
        gate = self._gate
        if gate is None:
            return
        if data := gate.due(now_us()):
            self._pass(data)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if gate.next_at is not None:
            wait = max(gate.next_at - now_us(), 0) / 1e6
            self._timer = asyncio.get_running_loop().call_later(wait, self._release)
        elif gate.empty and not self._delays:
            self._gate = None
        self.regulate()
        if self._broker_done and gate.next_at is None:
            self._finish_client()

    def regulate(self) -> None:
        """Read from each side only while the other side accepts bytes."""
        ready = self.broker.transport is not None
        self.client.read(self._silent or (ready and not self.broker.blocked))
        self.broker.read(not self.client.blocked and (self._gate is None or self._gate.waiting < BUFFER))

    def finished(self, side: SocketEnd) -> None:
        """Handle the end of a side's stream."""
        self._close(side.name)
        if side is self.client and (self._silent or self.broker.transport is None):
            self.cut("client")
        elif side is self.client:
            self.broker.end()
            if self.broker.eof and not self._gate:
                self.client.close()
        else:
            self._broker_done = self._broker_done or "end"
            self._release_end()

    def lost(self, side: SocketEnd, *, reset: bool) -> None:
        """Handle the loss of a side; the other side ends in the same way."""
        self._close(side.name)
        if side is self.client:
            self._drop()
            (self.broker.reset if reset else self.broker.close)()
        elif reset:
            self._drop()
            self.client.reset()
        else:
            self._broker_done = "close"
            self._release_end()
        if self.client.lost and (self.broker.lost or self.broker.transport is None):
            self.road.ended(self)

    def cut(self, by: str) -> None:
        """Reset both sides."""
        self._close(by)
        self._drop()
        self.client.reset()
        self.broker.reset()

    def _release_end(self) -> None:
        if self._gate is None or self._gate.next_at is None:
            self._finish_client()

    def _finish_client(self) -> None:
        if self._broker_done == "close":
            self.client.close()
        else:
            self.client.end()
            if self.client.eof:
                self.broker.close()

    def _drop(self) -> None:
        """Discard delayed bytes, and a connection attempt that is under way."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._gate = None
        if self._dialling is not None:
            self._dialling.cancel()

    def _close(self, by: str) -> None:
        """Report the end once, with the side that ended first."""
        if self.closed_by:
            return
        self.closed_by = by
        if self.client.transport is None:
            return
        at = now_us()
        self.road.emit(self.conversation.tick(at, final=True))
        self.road.emit([Closed(at=at, conn=self.conversation.conn, broker=self.conversation.broker, by=by)])
