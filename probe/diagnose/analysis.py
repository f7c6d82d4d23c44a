"""Read an input once, from its beginning to its end, and say what became of each client (pure)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from probe.diagnose.assessment import View, findings_of
from probe.diagnose.brokers import Brokers
from probe.diagnose.client_identity import Library, Whose
from probe.diagnose.client_libraries import Libraries
from probe.diagnose.client_storms import connects_too_often
from probe.diagnose.clients import FIRST_CONNS, ClientKey, ClientState, Link, is_over
from probe.diagnose.coverage import Coverage, Hosts, coverage
from probe.diagnose.diagnosis import Diagnosis
from probe.diagnose.event_reader import Reader
from probe.diagnose.findings import ClientFinding, Finding, Status, client_finding, merged
from probe.diagnose.leaders import Leaders
from probe.diagnose.log_ins import latest
from probe.diagnose.observation import Connection, Input, Wire
from probe.diagnose.pending_requests import Awaited
from probe.diagnose.standstill import Standing
from probe.diagnose.topic_names import Aliases, learned, name_client, name_findings, named_event, named_item
from probe.model import Closed, Folded, Opened, Request, Response
from probe.verdict.apis import DISCOVERY

KNOWN = 200
"""Findings of a client beyond which those about one object become one."""


@dataclass(slots=True)
class _Reading:
    """The state while an input is read."""

    source: Input
    back_off_ms: Callable[[Library], int]
    libraries: Libraries
    pictures: int
    """Number of troubles whose events are still to be kept for timelines."""
    reserved: int = 0
    """Number of these for troubles that are not over."""
    leaders: Leaders = field(init=False)
    brokers: Brokers = field(default_factory=Brokers)
    readers: dict[ClientKey, Reader] = field(default_factory=dict)
    by_conn: dict[int, Reader] = field(default_factory=dict)
    unnamed: dict[int, Opened] = field(default_factory=dict)
    """Connections that have sent no request."""
    awaited: Awaited = field(default_factory=Awaited)
    findings: dict[ClientKey, list[Finding]] = field(default_factory=dict)
    aliases: Aliases = field(default_factory=dict)
    """Names of topics that were known by their ids alone."""
    hosts: Hosts = field(default_factory=lambda: Hosts({}, {}))
    begin: int = 0
    now: int = 0
    events: int = 0

    def __post_init__(self) -> None:
        self.leaders = Leaders(self.source.nodes)

    def take(self, event: Wire) -> None:
        self.now = max(self.now, event.at)
        self.begin = self.begin or event.at
        self.events += 1
        self.awaited.expire(self.now, self.source.watched)
        if self.aliases:
            event = named_event(event, self.aliases)
        match event:
            case Request():
                self._request(event)
            case Response():
                if (reader := self.by_conn.get(event.conn)) is not None:
                    reader.response(event)
                    if reader.client.unnamed and event.api in DISCOVERY:
                        self.name_topics(reader.client.unnamed)
                    self.brokers.answered(event)
            case Folded():
                if (reader := self.by_conn.get(event.conn)) is not None:
                    reader.folded(event)
                    self.brokers.folded(event)
            case Opened():
                self.unnamed[event.conn] = event
                self._note(event)
            case Closed():
                self._closed(event)

    def name_topics(self, unnamed: Iterable[str]) -> None:
        """Give topics that are known by their ids the names that answers have given them since."""
        found = learned(self.source.names, unnamed)
        if not found:
            return
        self.aliases |= found
        for key, reader in self.readers.items():
            name_client(reader.client, found)
            name_findings(self.findings.get(key, []), found)
        self.brokers.replace_items(lambda item: named_item(item, found))

    def _request(self, event: Request) -> None:
        reader = self.by_conn.get(event.conn)
        if reader is None:
            reader = self._named(event.conn, event.client_id, event)
        client = reader.client
        client.last_at = event.at
        if client.troubled and is_over(client, event.at):
            self.judge(client, event.at)
        if reader.request(event):
            self.awaited.add(reader, event)

    def _named(self, conn: int, client_id: str, event: Wire) -> Reader:
        """Return the client of a connection that sends its first request."""
        connection = self._note(event)
        key = ClientKey(connection.client, client_id)
        reader = self.readers.get(key)
        if reader is None:
            client = ClientState(key, connection.source, first_at=event.at)
            reader = self.readers[key] = Reader(client, self.leaders)
        client = reader.client
        client.connections += 1
        client.brokers.add(event.broker)
        if len(client.conns) < FIRST_CONNS:
            client.conns.append(conn)
        if (opened := self.unnamed.pop(conn, None)) is not None:
            reader.opened(opened)
        else:
            client.links[conn] = Link()
            client.closed = False
        self.by_conn[conn] = reader
        return reader

    def _closed(self, event: Closed) -> None:
        reader = self.by_conn.pop(event.conn, None)
        connection = self.source.connections.get(event.conn)
        if reader is None and connection is not None and connection.mismatch is not None:
            reader = self._named(event.conn, "", event)
            self.by_conn.pop(event.conn)
        if reader is None and (opened := self.unnamed.pop(event.conn, None)) is not None:
            reader = self._alone_at(event.conn)
            if reader is not None:
                reader.client.connections += 1
                reader.opened(opened)
        if reader is not None:
            reader.client.last_at = event.at
            reader.end(event, connection)

    def _alone_at(self, conn: int) -> Reader | None:
        """Return the only client of a host, whose a connection without a request must be."""
        connection = self.source.connections.get(conn)
        host = connection.client if connection is not None else ""
        there = [reader for key, reader in self.readers.items() if key.address == host]
        return there[0] if len(there) == 1 else None

    def _note(self, event: Wire) -> Connection:
        connection = self.source.connections[event.conn]
        self.hosts.note(connection)
        self.brokers.known(event.broker, connection)
        self.leaders.listens(event.broker, connection.broker_address, connection.listener)
        return connection

    def judge(self, client: ClientState, now: int) -> None:
        """Judge the troubles of a client, and begin anew."""
        library = self.libraries.of(client)
        found = findings_of(
            client,
            self.leaders,
            now,
            back_off_ms=self.back_off_ms(library),
            view=self._view(client, self.back_off_ms(library)),
        )
        known = self.findings.setdefault(client.key, [])
        known.extend(map(self._pictured, found))
        if len(known) > KNOWN:
            known[:] = merged(known)
        for item in client.troubled:
            client.items[item].trouble = None
        client.troubled.clear()
        client.kept.end()

    def _view(self, client: ClientState, back_off_ms: int) -> View:
        known = self.source.connections
        return View(
            brokers=self.hosts.several(client.key.address),
            clocks=len({known[conn].file for conn in client.conns if conn in known}) > 1,
            coverage=self.coverage(client),
            connects=connects_too_often(client, back_off_ms),
        )

    def coverage(self, client: ClientState) -> Coverage:
        """Return what the input shows of a client."""
        return coverage(client, self.leaders, self.hosts, self.source.connections)

    def _pictured(self, finding: Finding) -> Finding:
        """Return a finding with its events only if there is still a timeline for it."""
        reserved = self.reserved if finding.status is Status.RECOVERED else 0
        if finding.history is None or self.pictures <= reserved:
            return replace(finding, history=None)
        self.pictures -= 1
        return finding


def analyse(
    source: Input,
    *,
    whose: Whose,
    back_off_ms: Callable[[Library], int],
    pictures: int = 0,
) -> Diagnosis:
    """Read all events of an input, and judge its clients.

    `whose` names the library of a client, `back_off_ms` that library's back-off between retries. The
    events of `pictures` troubles are kept for timelines, half of them for troubles that are not over.
    """
    reading = _Reading(source, back_off_ms, Libraries(source, whose), pictures, pictures // 2)
    for event in source.events():
        reading.take(event)
    now = reading.now = source.watched(reading.now)
    reading.awaited.expire(now, source.watched)
    reading.name_topics({name for reader in reading.readers.values() for name in reader.client.unnamed})
    found = []
    clients = {key: one for key, one in reading.readers.items() if key not in source.among_brokers}
    standing = Standing([one.client for one in clients.values()], reading.brokers, reading.coverage, now)
    for key, reader in clients.items():
        client, library = reader.client, reading.libraries.of(reader.client, complete=True)
        still = list(standing.findings(client))
        if client.troubled:
            reading.judge(client, source.watched(client.last_at))
        troubles = [*reading.findings.get(key, ()), *still]
        found.append(
            client_finding(
                client, troubles, library, now, back_off_ms(library), latest(source.connections, client.conns)
            )
        )
    return Diagnosis(
        clients=tuple(sorted(found, key=ClientFinding.rank)),
        brokers=reading.brokers.views(reading.leaders),
        left=source.left(),
        begin=reading.begin,
        until=now,
        events=reading.events,
        sources=tuple(sorted({one.source for one in source.connections.values()})),
        log_zone=source.log_zone,
    )
