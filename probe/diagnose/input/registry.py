"""The common part of all files of an input: numbers of connections and brokers, names of topics, what is left over."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from functools import cached_property
from typing import Any

from probe.diagnose.input.boundaries import Ranges, ranges_of
from probe.diagnose.input.files import InputFile
from probe.diagnose.observation import FILES, Connection, Left, Source
from probe.model.handshake import Handshake
from probe.protocol.advertised_nodes import Nodes
from probe.protocol.schemas import Schemas
from probe.protocol.sessions import FetchSessions

NEWER = 5
"""Versions of an API that may follow after the last known one."""


class Registry:
    """The connections of an input, as far as it was read."""

    def __init__(self, schemas: Schemas) -> None:
        self.schemas = schemas
        self.connections: dict[int, Connection] = {}
        self.handshakes: dict[int, Handshake] = {}
        """Of connections that are not decoded any more."""
        self.names: dict[bytes, str] = {}
        """Topic id to name."""
        self.nodes = Nodes()
        self.among_brokers: set[tuple[str, str]] = set()
        """Address and client id of brokers and controllers that talk to each other."""
        self._brokers: dict[str, int] = {}
        self._sessions: defaultdict[int, FetchSessions] = defaultdict(FetchSessions)
        self._left: Counter[tuple[str, str, str]] = Counter()
        self._parts: dict[object, object] = {}

    @cached_property
    def ranges(self) -> Ranges:
        """Return the known versions of requests."""
        return ranges_of(self.schemas)

    @cached_property
    def lenient(self) -> Ranges:
        """Return the versions that a connection can begin with: clients may be newer than the definitions."""
        return {api: (0, high + NEWER) for api, (_, high) in self.ranges.items()}

    def next_number(self) -> int:
        """Return the number of the next connection that is added."""
        return len(self.connections) + 1

    def add(
        self, source: Source, file: str, client: tuple[str, int], broker_address: str, *, began: bool
    ) -> Connection:
        """Add a connection of a client (address, port) to a broker (`host:port`)."""
        connection = Connection(
            conn=self.next_number(),
            source=source,
            file=file,
            client=client[0],
            client_port=client[1],
            broker=self.broker(broker_address),
            broker_address=broker_address,
            began=began,
        )
        self.connections[connection.conn] = connection
        return connection

    def note(self, number: int, **known: Any) -> None:
        """Note more of a connection: fields of `Connection`."""
        self.connections[number] = replace(self.connections[number], **known)

    def broker(self, address: str) -> int:
        """Return the number of a broker's address."""
        return self._brokers.setdefault(address, len(self._brokers) + 1)

    def is_broker(self, address: str) -> bool:
        """Return whether something spoke Kafka's protocol, without TLS, with this address."""
        return address in self._brokers

    def sessions(self, broker: int) -> FetchSessions:
        """Return the fetch sessions of a broker."""
        return self._sessions[broker]

    def keep(self, handshake: Handshake | None) -> None:
        """Keep what a connection sent first, when it is not decoded any more. Equal parts are kept once."""
        if handshake is not None:
            shared = {
                name: self._parts.setdefault((name, value), value)
                for name in ("requests", "versions", "metadata", "fetch", "produce")
                if (value := getattr(handshake, name)) is not None
            }
            self.handshakes[handshake.conn] = replace(handshake, **shared)  # type: ignore[arg-type]  # its own fields

    def leave(self, file: str, reason: str, unit: str, count: int = 1) -> None:
        """Count what says nothing of Kafka's clients."""
        self._left[file, reason, unit] += count

    def damaged(self, file: InputFile) -> None:
        """Count a file that was not read to its end."""
        if file.damage:
            self.leave(file.name, f"not read to its end: {file.damage}", FILES)

    def left(self) -> tuple[Left, ...]:
        """Return what was counted, by file."""
        counted = sorted(self._left.items())
        return tuple(Left(file=file, reason=why, count=count, unit=unit) for (file, why, unit), count in counted)
