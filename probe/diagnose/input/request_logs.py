"""Events of brokers' request logs: lines to connections, connections to requests and answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo
from functools import partial

from probe.diagnose.input.capture import TICK_US
from probe.diagnose.input.capture_connection import OF_BROKERS, REPLICA
from probe.diagnose.input.event_order import Ordered
from probe.diagnose.input.files import InputFile
from probe.diagnose.input.flows import AMONG
from probe.diagnose.input.log_lines import read_lines
from probe.diagnose.input.registry import Registry
from probe.diagnose.input.spans import Span
from probe.diagnose.input.streams import IDLE_US
from probe.diagnose.input.time_merge import merged
from probe.diagnose.observation import Source, Wire
from probe.model import Opened
from probe.model.endpoint import Endpoint
from probe.model.handshake import Handshake
from probe.protocol.apis import HANDSHAKE_APIS
from probe.protocol.log_connection import LoggedConversation
from probe.protocol.log_requests import Logged, parse_line

WINDOW_US = 5_000_000
"""Time that events wait. A request that took longer than that to answer comes late, at the time of the last event."""
UNREADABLE, ELSE, TIMELESS = "requests that cannot be read", "something else", "without a time"
LONGEST_CONNECTION = 300
_CONNECTION = re.compile(r"(?P<host>.+):(?P<port>\d{1,5})-(?P<client>.+):(?P<client_port>\d{1,5})-[\d-]+")
"""`broker's address-client's address-number`, as `kafka.network.ConnectionId` writes it."""


class RequestLogs:
    """Request logs, read as one. A line is about a request that was answered: nothing is known of others."""

    def __init__(
        self, files: Sequence[InputFile], registry: Registry, progress: Callable[[], None], zone: tzinfo
    ) -> None:
        """Prepare to read; `zone` is that of time stamps that name none."""
        self._files, self._registry, self._progress, self._zone = files, registry, progress, zone
        self._talks: dict[str, LoggedConversation] = {}
        self.spans: dict[str, Span] = {}
        self._ordered = Ordered()

    def events(self) -> Iterator[Wire]:
        """Yield the events, by time."""
        due = last = 0
        for at, line, name in merged(self._files, partial(read_lines, zone=self._zone)):
            if at:
                span = self.spans.setdefault(name, [at, at])
                last = span[1] = max(span[1], at)
            self._take(at, line, name)
            if at >= due:
                due = at + TICK_US
                self._tick(at)
                self._progress()
                yield from self._ordered.due(at - WINDOW_US)
        for talk in self._talks.values():
            self._end(talk, last)
        self._talks.clear()
        yield from self._ordered.due(None)
        for file in self._files:
            self._registry.damaged(file)

    def handshakes(self) -> dict[int, Handshake]:
        """Return the handshakes of connections that may go on."""
        talks = self._talks.values()
        return {talk.conn: found for talk in talks if (found := talk.handshake()) is not None}

    def _take(self, at: int, line: str, file: str) -> None:
        try:
            found = parse_line(line)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            self._registry.leave(file, UNREADABLE, "lines")
            return
        if found is None:
            if line.strip():
                self._registry.leave(file, ELSE, "lines")
        elif not at:
            self._registry.leave(file, TIMELESS, "lines")
        elif found.of_brokers or REPLICA.fullmatch(found.client_id):
            self._registry.leave(file, AMONG, "lines")
            self._among_brokers(found)
        elif (talk := self._talks.get(found.connection)) is not None or (talk := self._begin(found, at, file)):
            self._name_software(talk, found)
            talk.take(found, at, self._ordered.waiting)
        else:
            self._registry.leave(file, UNREADABLE, "lines")

    def _among_brokers(self, line: Logged) -> None:
        """Note who sent what only brokers and controllers send. A forwarded request has the client id of its client."""
        sides = _CONNECTION.fullmatch(line.connection[:LONGEST_CONNECTION])
        if sides is not None and line.api in OF_BROKERS:
            self._registry.among_brokers.add((sides["client"], line.client_id))

    def _begin(self, line: Logged, at: int, file: str) -> LoggedConversation | None:
        """Return a new conversation, None if the line does not say between whom."""
        sides = _CONNECTION.fullmatch(line.connection[:LONGEST_CONNECTION])
        if sides is None:
            return None
        address = str(Endpoint(host=sides["host"], port=int(sides["port"])))
        client = (sides["client"], int(sides["client_port"]))
        began = line.api in HANDSHAKE_APIS or line.corr == 0
        added = self._registry.add(Source.LOG, file, client, address, began=began)
        self._registry.connections[added.conn] = replace(added, listener=line.listener)
        registry, broker = self._registry, added.broker
        talk = LoggedConversation(added.conn, broker, registry.schemas, registry.names, registry.sessions(broker))
        talk.nodes = registry.nodes
        if began:
            self._ordered.waiting.append(Opened(at=at - line.total_us, conn=added.conn, broker=broker))
        self._talks[line.connection] = talk
        return talk

    def _name_software(self, talk: LoggedConversation, line: Logged) -> None:
        """Keep the name that the client reports; the line of the request that brings it does not have it yet."""
        connection = self._registry.connections[talk.conn]
        if line.software is not None and connection.software is None:
            self._registry.connections[talk.conn] = replace(connection, software=line.software)

    def _tick(self, at: int) -> None:
        for key, talk in list(self._talks.items()):
            if talk.fold.folding:
                self._ordered.waiting += talk.tick(at)
            if at - talk.last_at > IDLE_US:
                self._end(talk, at)
                del self._talks[key]

    def _end(self, talk: LoggedConversation, at: int) -> None:
        self._ordered.waiting += talk.tick(at, final=True)
        self._registry.keep(talk.handshake())
