"""One connection through the relay: the client's side, the broker's side, and the unchanged bytes between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from probe.model import Closed, EngineEvent, EngineKind, Event, Opened, Request
from probe.model.clock import now_us
from probe.protocol.conversation import Conversation
from probe.relay.backlog import Backlog
from probe.relay.delay_queue import DelayQueue
from probe.relay.link_policy import LinkPolicy
from probe.relay.socket_end import BUFFER, SocketEnd
from probe.relay.tls_end import ServerTls, TlsEnd

STORM_MS = 5
"""Delay of answers during a lasting storm, as if the brokers were in another zone. A client that repeats requests at
once then sends 200 per second instead of thousands, which would take CPU from all others."""


class Link:
    """Forwards and reports bytes, and passes the end of one side on to the other."""

    def __init__(
        self, policy: LinkPolicy[Link], conversation: Conversation, backlog: Backlog, tls: ServerTls | None = None
    ) -> None:
        self.policy, self._talk, self._backlog = policy, conversation, backlog
        self.client = SocketEnd(self, "client") if tls is None else TlsEnd(self, "client", tls)
        self.broker = SocketEnd(self, "broker")
        self.closed_by = ""
        self.half_open = False
        """Whether nothing passes any more in either direction, without an end: nobody learns it."""
        self._early = b""
        """Bytes that the client sent before the broker was reached. Reading from the client pauses meanwhile."""
        self._dialling: asyncio.Task[None] | None = None
        self._gate: DelayQueue | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._slowed = False
        self._broker_done = ""
        """`end` or `close`: what the client's side does once the delay queue is empty."""

    @property
    def conversation(self) -> Conversation:
        """The decoder, once it has read all that has passed."""
        self._backlog.read_on()
        return self._talk

    def made(self, side: SocketEnd) -> None:
        """Handle a side that has connected; the client's waits for the broker's."""
        if side is self.client and self.closed_by:
            self.client.reset()
        elif side is self.client:
            self.policy.emit([Opened(at=now_us(), conn=self._talk.conn, broker=self._talk.broker)])
            if not self._silent:
                self._dialling = self.policy.spawn(self._dial())
        elif self.client.lost or self.closed_by:
            self.broker.reset()
        else:
            self.broker.write(self._early)
            self._early = b""
            self.regulate()

    def handshake_failed(self, reason: str, *, meant: bool) -> None:
        """Report a TLS handshake of the client that did not succeed, and whether a scenario's fault is the reason."""
        self._note(EngineKind.HANDSHAKE_FAILED, now_us(), reason, int(meant))

    async def _dial(self) -> None:
        try:
            await self.policy.dial(self.broker)
        except OSError as error:  # TimeoutError is a subclass
            self.policy.failed(error)
            self._close("broker")
            self.client.reset()

    def from_client(self, data: bytes) -> None:
        """Forward to the broker; report later."""
        at = now_us()
        if not self._silent:
            if self.broker.transport is None:
                self._early += data
                self.regulate()
            else:
                self.broker.write(data)
        self._backlog.add(self._read_client, data, at)
        if self.policy.refuses is not None:
            self._backlog.read_on()

    def from_broker(self, data: bytes) -> None:
        """Forward to the client and report later, or delay."""
        if self._silent:
            return
        if self._gate is None and not self._delays:
            self._pass(data)
            return
        if self._gate is None:
            missing, head = self.conversation.answering.position()
            self._gate = DelayQueue(self._api_of, self._delay_us, self._passing, missing=missing, head=head)
        self._gate.put(data, now_us())
        self._release()

    @property
    def _silent(self) -> bool:
        """Whether bytes are dropped in both directions."""
        return self.half_open or self.policy.blackhole

    @property
    def _delays(self) -> bool:
        return self._slowed or self.policy.delays

    def _api_of(self, corr: int) -> int:
        return self.conversation.expected(corr)

    def _delay_us(self, api: int) -> int:
        return self.policy.delay_us(self, api) + STORM_MS * 1000 * self._slowed

    def _passing(self, api: int, size: int) -> int | None:
        return self.policy.passing(self, api, size)

    def _pass(self, data: bytes) -> None:
        at = now_us()  # before the write: the client's reaction must not get an earlier time
        self.client.write(data)
        self._backlog.add(self._read_broker, data, at)

    def _read_client(self, data: bytes, at: int) -> None:
        """Decode bytes that the client sent at `at` microseconds, and report them."""
        events = self._decode(self._talk.client_bytes, data, at)
        refuses = self.policy.refuses
        if refuses is not None and any(isinstance(event, Request) and refuses(event) for event in events):
            self.cut("relay")

    def _read_broker(self, data: bytes, at: int) -> None:
        """Decode bytes that were forwarded to the client at `at` microseconds, and report them."""
        self._decode(self._talk.broker_bytes, data, at)

    def _decode(self, read: Callable[[bytes, int], list[Event]], data: bytes, at: int) -> list[Event]:
        events: list[Event] = []
        try:
            events = read(data, at)
            self.policy.emit(events)
        except Exception as error:  # noqa: BLE001  # a fault of our decoder must never disturb forwarding
            self._talk.fault = f"decoder failed: {error!r}"
        fold = self._talk.fold
        if fold.folding:
            self.policy.folds()
        if fold.lasts is not self._slowed:
            self._slow()
        return events

    def _slow(self) -> None:
        """Start to delay answers when a storm lasts, or stop, and report that."""
        self._slowed = self._talk.fold.lasts
        text = f"connection {self._talk.conn} " + ("storms" if self._slowed else "is calm again")
        self._note(EngineKind.SLOWED, now_us(), text, STORM_MS * self._slowed)

    def _note(self, kind: EngineKind, at: int, text: str, value: int = 0) -> None:
        conn, broker = self._talk.conn, self._talk.broker
        self.policy.emit([EngineEvent(at=at, kind=kind, broker=broker, value=value, text=text, conn=conn)])

    def _release(self) -> None:
        """Forward the bytes that are due, and schedule the rest."""
        gate = self._gate
        if gate is None:
            return
        if data := gate.due(now_us()):
            self._pass(data)
        if gate.over:
            self.finish()
            return
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
        if side is self.broker and self.half_open:
            return
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
        """Handle the loss of a side; the other side ends in the same way, unless it was forgotten."""
        if side is self.client or not self.half_open:
            self._close(side.name)
            self._end_other(side, reset=reset)
        if self.client.lost and (self.broker.lost or self.broker.transport is None):
            self._end()

    def _end(self) -> None:
        """Give the link up, as both sides have ended."""
        self.policy.ended(self)

    def _end_other(self, side: SocketEnd, *, reset: bool) -> None:
        if side is self.client:
            self._drop()
            (self.broker.reset if reset else self.broker.close)()
        elif reset:
            self._drop()
            self.client.reset()
        else:
            self._broker_done = "close"
            self._release_end()

    def cut(self, by: str) -> None:
        """Reset both sides."""
        self._close(by)
        self._drop()
        self.client.reset()
        self.broker.reset()

    def finish(self) -> None:
        """End both sides: the client gets what has passed, and then the end of the stream."""
        self._close("relay")
        self._drop()
        self.broker.reset()
        self.client.close()

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
        self.policy.emit(self.conversation.tick(at, final=True))
        self.policy.emit([Closed(at=at, conn=self._talk.conn, broker=self._talk.broker, by=by)])
