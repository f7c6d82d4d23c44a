"""The relay's part for one broker: its port, the broker's own address, and the network faults."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import Any, Protocol

from probe.errors import RelayError
from probe.model import Closed, Event, Opened
from probe.model.clock import now_us
from probe.model.endpoint import Endpoint
from probe.processes.resources import translated
from probe.protocol.conversation import Conversation
from probe.protocol.sessions import FetchSessions
from probe.relay.backlog import Backlog
from probe.relay.first_answers import FirstAnswers
from probe.relay.link import Link
from probe.relay.listener import Hosts, Listener, Place
from probe.relay.request_gate import Refuses
from probe.relay.sealed_link import new_link
from probe.relay.syn_probe import has_attempts
from probe.relay.tls_end import ServerTls

DIAL_S = 10.0
"""A client's connection is reset if the broker is unknown or cannot be reached for this time."""
ATTEMPT_CHECK_S = 0.05
"""Interval of checks for connection attempts. A client repeats its SYN after a second, so shorter ones gain nothing."""
NEVER_US = 1 << 60


class Host(Protocol):
    """Needs of a broker proxy, which its relay serves."""

    @property
    def backlog(self) -> Backlog:
        """Bytes that have passed and are not decoded yet."""

    @property
    def held(self) -> Mapping[int, int]:
        """API key to microseconds, of the answers that are delayed."""

    @property
    def tls(self) -> ServerTls | None:
        """The relay's side of TLS with clients; None where they speak plain."""

    def conversation(self, proxy: BrokerProxy) -> Conversation:
        """Start a conversation with a new connection number."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run in the background, at most until the relay ends."""

    def emit(self, events: Iterable[Event]) -> None:
        """Report events."""

    def folds(self) -> None:
        """Report the counts of folded frames later; a link holds some."""

    def settle(self, link: Link) -> None:
        """Take over the counts of a link that has ended."""

    def failed(self, error: OSError) -> None:
        """Record that the system refused a connection, perhaps because a resource of this machine is exhausted."""


class BrokerProxy:
    """The listener of one broker, its links and its faults."""

    def __init__(self, host: Host, broker: int, hosts: Hosts) -> None:
        self.broker = broker
        self._host, self._hosts = host, hosts
        self.listener = self._new_listener()
        self.blackhole = False
        self.slow_us = 0
        self.ease_us = 0
        """Delay of every answer while a client stands still: one that asks again at once needs less of the machine."""
        self.refuses: Refuses | None = None
        """Says on which requests the connection is reset; None = on none."""
        self._lost = FirstAnswers()
        self._late = FirstAnswers()
        self._late_us = 0
        self._cut = FirstAnswers()
        self._passing: tuple[int, ...] = ()
        """Bytes that pass of each answer that is cut; negative: all but that number."""
        self.links: set[Link] = set()
        self.sessions = FetchSessions()
        self._upstream: Endpoint | None = None
        self._known = asyncio.Event()
        self._former: list[Listener] = []
        self._turning: asyncio.Task[None] | None = None

    def forward(self, address: Endpoint) -> None:
        """Set the broker's address."""
        self._upstream = address
        self._known.set()

    def enter(self, peer: socket.socket) -> None:
        """Take a connection that a client made."""
        link = new_link(self, self._host.conversation(self), self._host.backlog, self._host.tls)
        self.links.add(link)
        self.spawn(self._adopt(link, peer))

    def refuse_after_attempt(self) -> None:
        """Let no client connect until one tries, report the attempt, and refuse from then on. Raises OSError."""
        self.settle()
        self.listener.fill_backlog()
        self._turning = self._host.spawn(self._refuse_after_attempt())

    def settle(self) -> None:
        """Stop waiting for an attempt."""
        if self._turning is not None:
            self._turning.cancel()
            self._turning = None

    async def _refuse_after_attempt(self) -> None:
        # without the kernel's list it refuses at once, and the attempt stays unproved
        with contextlib.suppress(OSError, RelayError):
            while not has_attempts(self.listener.port, self.listener.fillers):  # noqa: ASYNC110  # there is no event for it
                await asyncio.sleep(ATTEMPT_CHECK_S)
            conn = self._host.conversation(self).conn
            self.emit([Opened(at=now_us(), conn=conn, broker=self.broker)])
            self.emit([Closed(at=now_us(), conn=conn, broker=self.broker, by="relay")])
        self.listener.stop_accepting()

    def move(self, *, silent: bool = False) -> Endpoint:
        """Take another port, and another name, and return both; the old port stays bound and refuses. Raises OSError.

        `silent`: the old port answers nothing instead, and connections stay half open.
        """
        if silent:
            self.listener.fill_backlog()
            self.blackhole = False
            for link in self.links:
                link.half_open = True
        else:
            self.listener.stop_accepting()
        self._former.append(self.listener)
        self._hosts.name_anew(self.broker)
        self.listener = self._new_listener()
        self.listener.open()
        return self.listener.address

    def move_behind_name(self, *, keeps: bool = False) -> None:
        """Listen at another address behind the broker's name, on the same port; the old one refuses. RelayError.

        `keeps`: the name leads to the old address as well, first, where attempts get no answer.
        """
        with translated(RelayError):
            if keeps:
                self.listener.fill_backlog()
                self._former.append(self.listener)
            else:
                self.listener.close()
            self.listener = self._new_listener(self.listener.port, beside=keeps)
            self.listener.open()

    def hide_name(self) -> None:
        """Let the broker's name lead nowhere, until it moves. Raises RelayError without names."""
        self._hosts.hide(self.broker)

    def _new_listener(self, port: int = 0, *, beside: bool = False) -> Listener:
        address = self._hosts.settle(self.broker, beside=beside)
        place = Place(address=address, host=self._hosts.name(self.broker), socket=self._hosts.socket)
        return Listener(place, self.enter, self._host.failed, port)

    def swap(self, other: BrokerProxy) -> None:
        """Exchange ports with another broker; both refuse until they are opened."""
        for proxy in (self, other):
            proxy.listener.stop_accepting()
        self.listener, other.listener = other.listener, self.listener
        for proxy in (self, other):
            proxy.listener.entered = proxy.enter

    def close(self) -> None:
        """Release all ports."""
        for listener in (self.listener, *self._former):
            listener.close()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run in the background."""
        return self._host.spawn(work)

    async def _adopt(self, link: Link, peer: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(lambda: link.client, peer)
        except BaseException:
            if link.client.transport is None:
                peer.close()
                self.ended(link)
            raise

    async def dial(self, side: asyncio.Protocol) -> None:
        """Connect to the broker, waiting for its address first. Raises OSError, TimeoutError."""
        async with asyncio.timeout(DIAL_S):
            await self._known.wait()
            assert self._upstream is not None
            await asyncio.get_running_loop().create_connection(lambda: side, self._upstream.host, self._upstream.port)

    def lose(self, apis: Iterable[int], times: int) -> None:
        """Reset the connection instead of sending an answer of these APIs, `times` times per client id."""
        self._lost = FirstAnswers(apis, times)

    def keep_back(self, apis: Iterable[int], times: int, keep_ms: int) -> None:
        """Delay answers of these APIs by `keep_ms`, `times` times per client id; answers behind them wait, too."""
        self._late, self._late_us = FirstAnswers(apis, times), keep_ms * 1000

    def cut_answers(self, apis: Iterable[int], passing: Sequence[int]) -> None:
        """End the connection inside an answer of these APIs, once for each of `passing` per client id."""
        self._cut, self._passing = FirstAnswers(apis, len(passing)), tuple(passing)

    @property
    def delays(self) -> bool:
        """Whether any answer may be delayed, cut or lost."""
        return bool(self.slow_us or self.ease_us or self._host.held or self._lost or self._late or self._cut)

    def delay_us(self, link: Link, api: int) -> int:
        """Return the delay of an answer of this API in microseconds; `NEVER_US` for a lost answer."""
        client = link.conversation.client_id
        if self._lost.take(client, api) is not None:
            asyncio.get_running_loop().call_soon(link.cut, "relay")
            return NEVER_US
        late_us = 0 if self._late.take(client, api) is None else self._late_us
        return self.slow_us + self.ease_us + late_us + self._host.held.get(api, 0)

    def passing(self, link: Link, api: int, size: int) -> int | None:
        """Return how many bytes of an answer of `size` bytes pass before its connection ends. None = all of them."""
        place = self._cut.take(link.conversation.client_id, api)
        if place is None:
            return None
        most = self._passing[place]
        return max(size + most, 0) if most < 0 else min(most, size - 1)

    def emit(self, events: Iterable[Event]) -> None:
        """Report events."""
        self._host.emit(events)

    def folds(self) -> None:
        """Report the counts of folded frames later; a link holds some."""
        self._host.folds()

    def ended(self, link: Link) -> None:
        """Remove a link that has ended."""
        self.links.discard(link)
        self._host.settle(link)

    def failed(self, error: OSError) -> None:
        """Report why a broker could not be reached."""
        self._host.failed(error)
