"""An input for tests of diagnoses, written as a transcript: who sent what, and what the answer was.

    script = WireScript()
    orders = script.client("orders")
    orders.works(3)
    orders.fails(56, times=40, every_ms=250)
    diagnosis = script.diagnose()

Clients produce to one partition, which broker 1 leads at the start; 11, 12 and 13 are the numbers of the addresses at
which brokers 1, 2 and 3 listen. Time is in milliseconds of one clock that all clients share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from probe.diagnose.analysis import analyse
from probe.diagnose.client_identity import Library
from probe.diagnose.diagnosis import Diagnosis
from probe.diagnose.findings import ClientFinding
from probe.diagnose.observation import Connection, Left, LogZone, Source, Wire
from probe.model import Closed, Folded, Opened, Request, Response, Row
from probe.model.handshake import Handshake
from probe.protocol import apis

TOPIC, GROUP, TXN_ID = "orders", "shippers", "ledger"
OLD, NEW, OTHER = 11, 12, 13
NODES = {OLD: 1, NEW: 2, OTHER: 3}
MS = 1000
START = 1_790_000_000_000_000
"""Time of the first event, in microseconds since 1970."""


def by_report(
    handshakes: Sequence[Handshake],
    began: frozenset[int],  # what a client reports does not depend on it
    reported: tuple[str, str] | None,
) -> Library | None:
    """Return what the client says of itself, without believing it."""
    said = reported
    for one in handshakes:
        if said is None and one.software_name is not None:
            said = (one.software_name, one.software_version or "")
    return None if said is None else Library(reported=" ".join(said).strip())


@dataclass
class WireScript:
    """The events of an input; it is an input itself."""

    source: Source = Source.CAPTURE
    now: int = START
    written: list[Wire] = field(default_factory=list)
    connections: dict[int, Connection] = field(default_factory=dict)
    leader: int = 1
    """Node that Metadata answers name."""
    until: int = 0
    skipped: tuple[Left, ...] = ()
    sent_first: dict[int, Handshake] = field(default_factory=dict)
    names: dict[bytes, str] = field(default_factory=dict)
    nodes: dict[str, int] = field(default_factory=dict)
    among_brokers: set[tuple[str, str]] = field(default_factory=set)
    log_zone: LogZone | None = None

    def client(self, client_id: str = "orders-writer", address: str = "10.0.0.7", **more: Any) -> Talk:
        return Talk(self, client_id, address, **more)

    def wait(self, ms: float) -> None:
        self.now += round(ms * MS)

    def ends_after(self, ms: float) -> None:
        """The input ends later than its last event."""
        self.until = self.now + round(ms * MS)

    def events(self) -> Iterator[Wire]:
        yield from sorted(self.written, key=lambda event: event.at)

    def watched(self, at: int) -> int:
        return max(at, self.until, self.written[-1].at if self.written else 0)

    def handshakes(self) -> dict[int, Handshake]:
        return self.sent_first

    def left(self) -> tuple[Left, ...]:
        return self.skipped

    def diagnose(self, **more: Any) -> Diagnosis:
        settings = {"whose": by_report, "back_off_ms": lambda _: 100} | more
        return analyse(self, **settings)

    def only(self, **more: Any) -> ClientFinding:
        """Diagnose, and return the only client."""
        (found,) = self.diagnose(**more).clients
        return found


@dataclass
class Talk:
    """One client of a transcript."""

    script: WireScript
    client_id: str
    address: str
    row: Row = field(default_factory=lambda: Row(topic=TOPIC, partition=0))
    api: int = apis.PRODUCE
    version: int = 7
    acks: int | None = None
    open_at: dict[int, int] = field(default_factory=dict)
    """Number of the broker's address to the connection."""
    corr: int = 0

    def connect(self, broker: int) -> int:
        """Open a connection, and ask for versions on it."""
        conn = len(self.script.connections) + 1
        self.open_at[broker] = conn
        self.script.connections[conn] = Connection(
            conn=conn,
            source=self.script.source,
            file="a.pcap",
            client=self.address,
            client_port=40_000 + conn,
            broker=broker,
            broker_address=f"10.0.1.{broker}:9092",
            began=True,
        )
        self.script.written.append(Opened(at=self.script.now, conn=conn, broker=broker))
        self.answer(self.request(apis.API_VERSIONS, broker))
        return conn

    def request(self, api: int, broker: int, *rows: Row, **more: Any) -> Request:
        conn = self.open_at[broker] if broker in self.open_at else self.connect(broker)
        self.corr += 1
        asked = Request(
            at=self.script.now,
            conn=conn,
            broker=broker,
            corr=self.corr,
            api=api,
            version=self.version,
            client_id=self.client_id,
            rows=rows,
            size=300,
            **more,
        )
        self.script.written.append(asked)
        return asked

    def answer(self, asked: Request, *rows: Row, after_ms: float = 1, code: int = 0) -> None:
        self.script.wait(after_ms)
        self.script.written.append(
            Response(
                at=self.script.now,
                conn=asked.conn,
                broker=asked.broker,
                corr=asked.corr,
                api=asked.api,
                version=asked.version,
                sent_at=asked.at,
                rows=rows,
                code=code,
                size=60,
            )
        )

    def _attempt(self, broker: int, code: int) -> None:
        asked = self.request(self.api, broker, self.row, acks=self.acks)
        if self.acks != 0:
            self.answer(asked, with_code(self.row, code))

    def works(self, times: int = 3, *, broker: int = OLD, every_ms: float = 200) -> None:
        """Work about its object is answered well."""
        for _ in range(times):
            self._attempt(broker, 0)
            self.script.wait(every_ms)

    def fails(self, code: int, *, times: int = 1, broker: int = OLD, every_ms: float = 100) -> None:
        """Work about its object is answered with an error."""
        for _ in range(times):
            self._attempt(broker, code)
            self.script.wait(every_ms)

    def asks(self, *, broker: int = OTHER, leader: int | None = None, code: int = 0) -> None:
        """It asks who leads, and is given the leader of the script."""
        named = self.script.leader if leader is None else leader
        asked = self.request(apis.METADATA, broker, Row(topic=TOPIC))
        self.answer(asked, Row(topic=TOPIC, partition=0, leader=named, code=code, epoch=named))

    def waits_for(self, api: int | None = None, *, broker: int = OLD) -> Request:
        """It sends a request that nobody answers."""
        return self.request(self.api if api is None else api, broker, self.row)

    def is_cut(self, broker: int = OLD, by: str = "broker") -> None:
        """Its connection to a broker ends."""
        self.script.written.append(Closed(at=self.script.now, conn=self.open_at.pop(broker), broker=broker, by=by))

    def storms(self, code: int, *, requests: int, seconds: float, broker: int = OLD) -> None:
        """Frames of it were folded into counts."""
        conn = self.open_at[broker]
        until = self.script.now + round(seconds * 1e6)
        self.script.written.append(
            Folded(at=self.script.now, until=until, conn=conn, broker=broker, api=self.api, version=self.version,
                   requests=requests, responses=requests, bytes=360 * requests, rows=(with_code(self.row, code),))
        )  # fmt: skip
        self.script.now = until


def with_code(row: Row, code: int) -> Row:
    return Row(topic=row.topic, partition=row.partition, key=row.key, code=code)
