"""Observations of a passive observer: connections of clients to brokers, and the events on them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from enum import StrEnum
from typing import NamedTuple, Protocol
from zoneinfo import ZoneInfo

from probe.model import Closed, Folded, Opened, Request, Response
from probe.model.handshake import Handshake

Wire = Opened | Request | Response | Folded | Closed


FILES = "files"
"""Unit of what is left of a whole file."""


class Source(StrEnum):
    """Kind of the input that a connection was seen in."""

    CAPTURE = "capture"
    LOG = "request log"


class ZoneBy(StrEnum):
    """The source of the time zone of a request log."""

    OPTION = "option"
    CAPTURE = "capture"
    """Requests that a capture has, too, show it."""
    ASSUMED = "assumed"


class LogZone(NamedTuple):
    """The time zone of a request log whose time stamps name none."""

    zone: tzinfo
    by: ZoneBy


def zone_text(zone: tzinfo, at: int) -> str:
    """Return a zone as words, such as `UTC+05:30` or `Europe/Berlin`. `at` is a time in microseconds since 1970."""
    return str(zone) if isinstance(zone, ZoneInfo) else datetime.fromtimestamp(at / 1e6, zone).tzname() or str(zone)


class Mismatch(StrEnum):
    """The way in which a client and a listener fail to speak with each other."""

    PLAINTEXT_TO_TLS = "it speaks plaintext, and the listener answers with a TLS alert"
    TLS_TO_PLAINTEXT = "it speaks TLS, and its ClientHello gets no answer, as at a plaintext listener"


class LogIn(NamedTuple):
    """The log-in of a client on a connection (SASL)."""

    mechanism: str
    """Such as `PLAIN`; empty = not seen."""
    session_ms: int = 0
    """Time after which the broker wants another log-in (KIP-368); 0 = none was granted, or it has no end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One connection of a client to a broker."""

    conn: int
    """Unique in an input; `conn` of its events."""
    source: Source
    file: str
    """Name of the file it was first seen in."""
    client: str
    """Address of the client, without its port."""
    client_port: int
    broker: int
    """Number of the broker's address in this input; `broker` of its events. It is no node id."""
    broker_address: str
    """`host:port` of the broker's side, or the log's listener where the log names no address."""
    began: bool
    """The beginning of the connection was seen."""
    listener: str = ""
    """Request log: the listener's name."""
    log_in: LogIn | None = None
    """Capture: the latest log-in; None without one. Grows while events are read."""
    mismatch: Mismatch | None = None
    """Capture: why nothing else could follow; known when the connection ends."""
    software: tuple[str, str] | None = None
    """Request log: the name and version that the client reported (KIP-511)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Bytes or lines of an input that say nothing of Kafka clients, counted by reason."""

    file: str
    reason: str
    """One line, such as `encrypted (TLS)`, `not Kafka`, `lost segments`, `request log without bodies`."""
    count: int
    unit: str
    """`connections`, `packets`, `bytes` or `lines`; `FILES` where it is said of a whole file."""


class Input(Protocol):
    """An input, read once from beginning to end."""

    connections: dict[int, Connection]
    """By number; grows while events are read."""
    names: Mapping[bytes, str]
    """Topic id to name, as far as an answer named both; grows while events are read."""
    nodes: Mapping[str, int]
    """Advertised address of a broker (`host:port`) to its id, by the last answer that named both."""
    among_brokers: Collection[tuple[str, str]]
    """Address and client id of brokers and controllers that talk to each other; grows while events are read."""
    log_zone: LogZone | None
    """Zone of the request logs; None without one, or if their time stamps name it."""

    def watched(self, at: int) -> int:
        """Return up to when the input shows what goes on from a time on: files may be of different hours."""
        ...

    def events(self) -> Iterator[Wire]:
        """Yield events of all connections, by time (microseconds since 1970)."""
        ...

    def handshakes(self) -> dict[int, Handshake]:
        """Return what each connection sent first, by its number, as far as seen."""
        ...

    def left(self) -> tuple[Left, ...]:
        """Return what was not decoded, when all is read."""
        ...
