"""Who leads and coordinates, by the answers that were seen, and which node listens at which address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from probe.diagnose.objects import Item

VOTES = 32
"""Answers per address that are enough to say which node listens there."""
MOVES = 64
"""The last moves of an object that are kept."""
UNKNOWN_NODE = 1_000_000
"""Addresses whose node is not known are numbered from here on, above all node ids in use."""


@dataclass(slots=True)
class Reign:
    """Who serves one object."""

    node: int
    since: int
    """Time of the first answer that named it."""
    epoch: int | None = None
    moves: list[tuple[int, int]] = field(default_factory=list)
    """(time, node): first answers that named another node than the answers before."""


@dataclass(slots=True)
class _Place:
    """An address of the input at which a broker listens."""

    address: str
    listener: str
    led: Counter[int] = field(default_factory=Counter)
    """Nodes that served there what only they can serve, by the answers until then."""
    read: Counter[int] = field(default_factory=Counter)
    """Leaders of partitions that were read there; followers in sync serve consumers, too (KIP-392)."""


class Leaders:
    """Leaders and coordinators in all answers of an input.

    Events name brokers by the number of their address, answers by node id. Which node listens at an address is said by
    answers that name brokers with their addresses. Where addresses are translated on the way, it follows from work that
    succeeded there while answers named that node.
    """

    def __init__(self, nodes: Mapping[str, int] | None = None) -> None:
        """`nodes` has advertised addresses (`host:port`) with their ids; it may grow."""
        self._nodes: Mapping[str, int] = {} if nodes is None else nodes
        self._ports: dict[str, int] = {}
        self._known = 0
        """Number of addresses in `_nodes` from which `_ports` was made."""
        self._places: dict[int, _Place] = {}
        self._reigns: dict[Item, Reign] = {}

    @property
    def cluster(self) -> frozenset[int]:
        """Return the ids of all brokers that answers named with their addresses."""
        return frozenset(self._nodes.values())

    def listens(self, number: int, address: str, listener: str = "") -> None:
        """Note an address of the input by its number."""
        if number not in self._places:
            self._places[number] = _Place(address, listener)

    def places(self, listener: str | None = None) -> Iterator[tuple[int, int | None]]:
        """Yield the numbers of all addresses, or of those of a listener, with their nodes as far as known."""
        for number, place in self._places.items():
            if listener in {None, place.listener}:
                yield number, self.node_at(number)

    def named(self, item: Item, node: int, epoch: int | None, at: int) -> None:
        """Note that an answer named a node. An answer with an older epoch than known says nothing new."""
        reign = self._reigns.get(item)
        if reign is None:
            self._reigns[item] = Reign(node, at, epoch)
            return
        older = epoch is not None and reign.epoch is not None and epoch < reign.epoch
        if older:
            return
        reign.epoch = epoch if epoch is not None else reign.epoch
        if node != reign.node:
            reign.node, reign.since = node, at
            reign.moves.append((at, node))
            del reign.moves[:-MOVES]

    def served(self, item: Item, address: int, *, read: bool = False) -> None:
        """Note that a broker served an object; `read`: by a fetch."""
        place = self._places.setdefault(address, _Place("", ""))
        votes = place.read if read else place.led
        if votes.total() < VOTES and (reign := self._reigns.get(item)) is not None:
            votes[reign.node] += 1

    def reign(self, item: Item) -> Reign | None:
        """Return who serves an object by the last answers; None if none named it."""
        return self._reigns.get(item)

    def node_at(self, address: int) -> int | None:
        """Return the node that listens at an address; None if nothing shows it."""
        place = self._places.get(address)
        if place is None:
            return None
        if (node := self._advertised(place.address)) is not None:
            return node
        if place.led:
            return place.led.most_common(1)[0][0]
        elsewhere = {
            self._advertised(other.address)
            for number, other in self._places.items()
            if number != address and other.listener == place.listener
        }
        return next((node for node, _ in place.read.most_common() if node not in elsewhere), None)

    def _advertised(self, address: str) -> int | None:
        """Return the node that advertises an address, or as the only one its port: hosts have names and addresses."""
        if (node := self._nodes.get(address)) is not None:
            return node
        if self._known != len(self._nodes):
            self._known = len(self._nodes)
            ports = {known.rpartition(":")[2]: node for known, node in self._nodes.items()}
            self._ports = ports if len(ports) == len(self._nodes) > 1 else {}
        return self._ports.get(address.rpartition(":")[2])

    def number(self, address: int) -> int:
        """Return the node at an address, or a number that no node has."""
        node = self.node_at(address)
        return UNKNOWN_NODE + address if node is None else node

    def led_by(self, node: int) -> list[Item]:
        """Return the objects that a node serves by the last answers."""
        return sorted(item for item, reign in self._reigns.items() if reign.node == node)
