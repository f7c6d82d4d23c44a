"""Which brokers an input shows, and what of a client may happen elsewhere (pure).

Where the traffic of one broker is recorded, a client that went on to another one seems to send nothing any more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from probe.diagnose.clients import ClientState
from probe.diagnose.leaders import Leaders
from probe.diagnose.objects import Item, Kind
from probe.diagnose.observation import Connection, Source

MORE_THAN_ONE = 2
"""Addresses of brokers that show that an input has more than the traffic of one broker."""


@dataclass(slots=True)
class Hosts:
    """Targets of the connections of each host, over all clients on it."""

    brokers: dict[str, set[int]]
    """Numbers of the addresses of brokers."""
    by_file: dict[tuple[str, str], set[int]]
    """The same in one capture: a recording at a broker has one broker, one at the client has several."""

    def note(self, connection: Connection) -> None:
        """Note a connection."""
        self.brokers.setdefault(connection.client, set()).add(connection.broker)
        if connection.source is Source.CAPTURE:
            self.by_file.setdefault((connection.client, connection.file), set()).add(connection.broker)

    def several(self, client: str) -> bool:
        """Return whether connections of a host lead to more than one address."""
        return len(self.brokers.get(client, ())) >= MORE_THAN_ONE

    def at_client(self, client: str, files: Iterable[str], leaders: Leaders) -> bool:
        """Return whether some capture shows connections of a host to several brokers: it was taken at the client."""
        return any(
            len({leaders.number(number) for number in self.by_file.get((client, file), ())}) >= MORE_THAN_ONE
            for file in files
        )


@dataclass(frozen=True, slots=True)
class Coverage:
    """The part of one client's traffic that an input shows."""

    leaders: Leaders
    shown: frozenset[int]
    """Nodes at which the client could be seen."""
    unnamed: int
    """Addresses at which it could be seen, whose node is not known."""
    at_client: bool
    """All that it says to any broker is in the input."""
    alone: bool
    """Only one address of a broker was seen with its host."""

    def missing(self, item: Item) -> str:
        """Return why the client may work on an object elsewhere; empty if that would be in the input."""
        cluster = self.leaders.cluster
        hidden = cluster - self.shown
        reign = self.leaders.reign(item)
        if reign is not None and reign.node not in self.shown and self.unnamed < max(1, len(hidden)):
            does = "leads" if item.kind is Kind.PARTITION else "coordinates"
            return f"broker {reign.node}, which {does} now, is not in the input: record there, too"
        if self.at_client:
            return ""
        if len(hidden) > self.unnamed:
            return f"{_named(hidden)} not in the input: record there, too"
        return "only one broker is in the input: record at the others, too" if self.alone and not cluster else ""


def coverage(client: ClientState, leaders: Leaders, hosts: Hosts, connections: Mapping[int, Connection]) -> Coverage:
    """Return what an input shows of a client."""
    mine = [connections[conn] for conn in client.conns if conn in connections]
    listener = mine[0].listener if mine and mine[0].source is Source.LOG else None
    places = list(leaders.places(listener))
    return Coverage(
        leaders=leaders,
        shown=frozenset(node for _, node in places if node is not None),
        unnamed=sum(node is None for _, node in places),
        at_client=hosts.at_client(client.key.address, {one.file for one in mine}, leaders),
        alone=not hosts.several(client.key.address),
    )


def _named(nodes: Collection[int]) -> str:
    *some, last = map(str, sorted(nodes))
    return f"brokers {', '.join(some)} and {last} are" if some else f"broker {last} is"
