"""The relay of one cluster: a port in front of each broker, network faults, and counts for cross-checks."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Coroutine, Iterable, Mapping, MutableMapping, Sequence
from ssl import SSLContext
from types import TracebackType
from typing import Any

from probe.errors import ExhaustedError, RelayError
from probe.model import Event
from probe.model.clock import now_us
from probe.model.endpoint import Endpoint
from probe.model.handshake import Handshake
from probe.ports import Pcapng, Sink, discard
from probe.processes.resources import exhaustion, translated
from probe.protocol.conversation import Conversation
from probe.protocol.schemas import Schemas
from probe.relay.backlog import Backlog
from probe.relay.broker_proxy import BrokerProxy
from probe.relay.capture import Capture, CapturingConversation
from probe.relay.first_connections import FirstConnections
from probe.relay.frame_counts import add_counts, frames_of
from probe.relay.idle_links import IdleLinks
from probe.relay.link import Link
from probe.relay.listener import Hosts, LoopbackHosts
from probe.relay.request_gate import RequestGate, versions_above
from probe.relay.sealed_link import Passage, SealedConversation
from probe.relay.tls_end import ServerTls

TICK_S = 0.25
DRAIN_S = 2.0
IDLE_CHECK_S = 0.1
"""Interval of looks for idle connections; it is small against the seconds after which they are idle."""
MAX_FAULTS = 100


class Relay:
    """A `probe.ports.Tap`, used with `async with`; all its sockets and tasks are gone at exit."""

    def __init__(
        self,
        *,
        brokers: Iterable[int],
        sink: Sink,
        schemas: Schemas,
        topic_names: MutableMapping[bytes, str] | None = None,
        capture: bool = False,
        backlog: Backlog | None = None,
        hosts: Hosts | None = None,
    ) -> None:
        """Take the hosts at which it listens, None = 127.0.0.1. Relays with one `backlog` are decoded together."""
        self._brokers, self._sink, self._schemas = tuple(brokers), sink, schemas
        self._hosts: Hosts = LoopbackHosts() if hosts is None else hosts
        self.topic_names: MutableMapping[bytes, str] = {} if topic_names is None else topic_names
        """Topic id to name; learned from responses, and from callers that add to it."""
        self.backlog = Backlog() if backlog is None else backlog
        """Bytes that have passed and are not decoded yet."""
        self.tls: ServerTls | None = None
        """The relay's side of TLS with clients; None where they speak plain."""
        self.passage = Passage(self._links)
        self.held: dict[int, int] = {}
        """API key to microseconds, of the answers that are delayed."""
        self._proxies: dict[int, BrokerProxy] = {}
        self._conn = 0
        self._capture = Capture(schemas) if capture else None
        self._first = FirstConnections()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ticker: asyncio.TimerHandle | None = None
        self._expiry: asyncio.Task[None] | None = None
        self._forwarded: tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]] = (Counter(), Counter())
        self._changed = asyncio.Event()
        self._reported = 0
        self._exhausted: ExhaustedError | None = None
        self.faults: list[str] = []
        """Reasons why connections could not be decoded to their end."""

    async def __aenter__(self) -> Relay:
        try:
            with translated(RelayError):
                for broker in self._brokers:
                    proxy = self._proxies[broker] = BrokerProxy(self, broker, self._hosts)
                    proxy.listener.open()
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for proxy in self._proxies.values():
            proxy.close()
        for link in self._links():
            link.cut("relay")
        if self._ticker is not None:
            self._ticker.cancel()
        for task in self._tasks:
            task.cancel()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_S):
                while self._tasks or self._links():
                    self._changed.clear()
                    await self._changed.wait()
        self._sink = discard  # breaks reference cycles that would keep what the sink holds

    # The protocol of ports.Tap

    def address(self, broker: int) -> Endpoint:
        """Return the address that clients use for a broker. Raises KeyError."""
        return self._proxies[broker].listener.address

    async def cut(self, broker: int, client_id: str = "") -> int:
        """Reset established connections to a broker (of one client id, or all); return how many."""
        chosen = [
            link
            for link in self._proxies[broker].links
            if not link.closed_by and (not client_id or link.conversation.client_id == client_id)
        ]
        for link in chosen:
            link.cut("relay")
        await asyncio.sleep(0)
        return len(chosen)

    def refuse(self, broker: int) -> None:
        """Refuse new connections to a broker from now on, keeping its port."""
        self._proxies[broker].settle()
        self._proxies[broker].listener.stop_accepting()

    def accept(self, broker: int) -> None:
        """Accept connections again. Raises RelayError."""
        proxy = self._proxies[broker]
        if not proxy.blackhole:
            proxy.settle()
            with translated(RelayError):
                proxy.listener.open()

    def read_on(self) -> None:
        """Report all that has passed until now."""
        self.backlog.read_on()

    def at_once(self) -> contextlib.AbstractContextManager[None]:
        """Report what passes at once, inside the block."""
        return self.backlog.at_once()

    def hold(self, apis: Sequence[int], hold_ms: int) -> None:
        """Delay answers of these APIs by `hold_ms`; empty `apis` ends it, except for answers already delayed."""
        self.held = dict.fromkeys(apis, hold_ms * 1000) if hold_ms > 0 else {}

    def handshakes(self, client_id: str) -> tuple[Handshake, ...]:
        """Return what this client has sent first: its first connection of every set of purposes, by connection."""
        return self._first.handshakes(client_id, (link.conversation for link in self._links()))

    def captured(self, names: Sequence[str] = ()) -> Pcapng | None:
        """Return the bytes so far (of these client ids, or all), once; None without `capture`."""
        self.read_on()
        return None if self._capture is None else self._capture.hand_out(names)

    # More network faults

    def secure(self, tls: SSLContext, *, flawed: bool = False, closes: bool = False) -> None:
        """Speak TLS with new connections, with this side of it; `flawed`, `closes`: handshakes are meant to fail."""
        self.tls = ServerTls(tls, flawed or closes, closes)

    def forward(self, broker: int, address: Endpoint) -> None:
        """Set the address of a broker; connections that came earlier have waited for it."""
        self._proxies[broker].forward(address)

    def slow(self, broker: int, delay_ms: int) -> None:
        """Delay all answers of a broker by `delay_ms`; 0 ends it."""
        self._proxies[broker].slow_us = delay_ms * 1000

    def ease(self, delay_ms: int) -> None:
        """Delay all answers of all brokers by `delay_ms`; 0 ends it."""
        for proxy in self._proxies.values():
            proxy.ease_us = delay_ms * 1000

    def blackhole(self, broker: int, on: bool = True) -> None:
        """Read and report what clients send to a broker, and forward nothing in either direction.

        Connection attempts stay unanswered. When the blackhole ends, the connections that lost bytes are reset.
        Raises RelayError.
        """
        proxy = self._proxies[broker]
        with translated(RelayError):
            if proxy.blackhole and not on:
                for link in list(proxy.links):
                    link.cut("relay")
                proxy.listener.stop_accepting()
                proxy.listener.open()
            elif on and not proxy.blackhole:
                proxy.listener.fill_backlog()
        proxy.blackhole = on

    def refuse_after_attempt(self, broker: int) -> None:
        """Refuse connections to a broker after a first attempt, which is reported. Raises RelayError."""
        with translated(RelayError):
            self._proxies[broker].refuse_after_attempt()

    def lose(self, broker: int, apis: Sequence[int], times: int) -> None:
        """Reset a connection instead of sending an answer of these APIs, `times` times per client id; 0 ends it."""
        self._proxies[broker].lose(apis, times)

    def keep_back(self, broker: int, apis: Sequence[int], times: int, keep_ms: int) -> None:
        """Delay answers of these APIs by `keep_ms`, `times` times per client id; 0 times ends it for later answers."""
        self._proxies[broker].keep_back(apis, times, keep_ms)

    def cut_answers(self, broker: int, apis: Sequence[int], passing: Sequence[int]) -> None:
        """End a connection inside an answer of these APIs, once per client id for each number of bytes that pass.

        A negative number passes all but that number of bytes. No numbers end the fault.
        """
        self._proxies[broker].cut_answers(apis, passing)

    def expire_idle(self, after_ms: int, *, forgotten: bool = False) -> None:
        """Close connections over which nothing passed for `after_ms`; 0 ends it. `forgotten`: they stay, half open."""
        if self._expiry is not None:
            self._expiry.cancel()
        self._expiry = self.spawn(self._expire(after_ms, forgotten=forgotten)) if after_ms else None

    def limit_versions(self, broker: int, highest: int | None) -> None:
        """Reset connections on ApiVersions of a version above `highest`; None ends it."""
        self.read_on()
        self._proxies[broker].refuses = None if highest is None else versions_above(highest)

    def refuse_above(self, apis: Sequence[int], per_s: int) -> None:
        """Reset a connection on a request of these APIs above `per_s` a second, of all clients; 0 ends it."""
        self.read_on()
        gate = RequestGate(apis, per_s) if per_s else None
        for proxy in self._proxies.values():
            proxy.refuses = gate

    def move(self, broker: int, *, silent: bool = False) -> Endpoint:
        """Take another port for a broker, and another name where it has one; open it and return both. RelayError.

        `silent`: the old port and its connections answer nothing from now on, without an end.
        """
        with translated(RelayError):
            return self._proxies[broker].move(silent=silent)

    def move_behind_name(self, broker: int, *, keeps: bool = False) -> None:
        """Let a broker listen at another address behind its name, which `keeps` the old one, too. Raises RelayError."""
        self._proxies[broker].move_behind_name(keeps=keeps)

    def hide_name(self, broker: int) -> None:
        """Let the name of a broker lead nowhere until it moves behind it. Raises RelayError."""
        self._proxies[broker].hide_name()

    def swap(self, broker: int, other: int) -> None:
        """Exchange the ports of two brokers; both refuse until they accept again."""
        self._proxies[broker].swap(self._proxies[other])

    # Counts

    def counts(self) -> Mapping[tuple[int, int], tuple[int, int]]:
        """Return {(broker, API key): (requests, responses)}: all frames that passed, reported or folded."""
        requests, responses = (Counter(counter) for counter in self._forwarded)
        for link in self._links():
            add_counts(requests, responses, link.conversation)
        return {key: (requests[key], responses[key]) for key in sorted(requests.keys() | responses.keys())}

    def dropped(self) -> int:
        """Return how many of these frames did not reach the sink. `faults` says what could not be counted."""
        passed = sum(requests + responses for requests, responses in self.counts().values())
        return passed - self._reported - sum(link.conversation.fold.held for link in self._links())

    def check(self) -> None:
        """Raise ExhaustedError if a connection failed because a resource of this machine is exhausted."""
        if self._exhausted is not None:
            raise self._exhausted

    # For broker proxies and links

    def failed(self, error: OSError) -> None:
        """Record an exhausted resource; an unreachable broker is a normal part of trials."""
        self._exhausted = self._exhausted or exhaustion(error)

    def conversation(self, proxy: BrokerProxy) -> Conversation:
        """Start a conversation with a new connection number."""
        self._conn += 1
        arguments = (self._conn, proxy.broker, self._schemas, self.topic_names, proxy.sessions)
        if self.passage.begun:
            return SealedConversation(self.passage, *arguments)
        if self._capture is None:
            return Conversation(*arguments)
        return CapturingConversation(*arguments).keep(self._capture, proxy.listener.port)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run in the background, at most until the relay ends."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def emit(self, events: Iterable[Event]) -> None:
        """Report events; a sink that raises loses them, which `dropped` shows."""
        for event in events:
            try:
                self._sink(event)
                self._reported += frames_of(event)
            except Exception:  # noqa: BLE001, S110  # what a sink lost shows in `dropped`
                pass
            if self._capture is not None:
                self._capture.note(event)

    def folds(self) -> None:
        """Report the counts of folded frames later; a link holds some.

        No timer runs without them: those of a hundred idle relays would wake this process hundreds of times a second.
        """
        if self._ticker is None:
            self._ticker = asyncio.get_running_loop().call_later(TICK_S, self._tick)

    def settle(self, link: Link) -> None:
        """Take over the counts of a link that has ended."""
        add_counts(*self._forwarded, link.conversation)
        self._first.take(link.conversation)
        self._changed.set()
        if link.conversation.fault and len(self.faults) < MAX_FAULTS:
            self.faults.append(f"connection {link.conversation.conn}: {link.conversation.fault}")

    async def _expire(self, after_ms: int, *, forgotten: bool) -> None:
        idle = IdleLinks(after_ms * 1000)
        while True:
            for link in list(idle.look(self._links(), now_us())):
                if forgotten:
                    link.half_open = True
                else:
                    link.finish()
            await asyncio.sleep(IDLE_CHECK_S)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._changed.set()

    def _links(self) -> list[Link]:
        return [link for proxy in self._proxies.values() for link in proxy.links]

    def _tick(self) -> None:
        """Emit the counts of folded frames once their second is over."""
        self._ticker = None
        for link in self._links():
            if link.conversation.fold.folding:
                self.emit(link.conversation.tick(now_us()))
                self.folds()
