"""Who leads and coordinates, by the answers that were seen, and which node listens at which address."""

from __future__ import annotations

from collections import Counter
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


class Leaders:
    """What all answers of an input say about leaders and coordinators.

    Events name brokers by the number of their address, answers by node id. Which node listens at an address follows
    from work that succeeded there while answers named that node.
    """

    def __init__(self) -> None:
        self._reigns: dict[Item, Reign] = {}
        self._votes: dict[int, Counter[int]] = {}
        self._counted: Counter[int] = Counter()

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

    def served(self, item: Item, address: int) -> None:
        """Note that a broker served an object."""
        if self._counted[address] < VOTES and (reign := self._reigns.get(item)) is not None:
            self._counted[address] += 1
            self._votes.setdefault(address, Counter())[reign.node] += 1

    def reign(self, item: Item) -> Reign | None:
        """Return who serves an object by the last answers; None if none named it."""
        return self._reigns.get(item)

    def node_at(self, address: int) -> int | None:
        """Return the node that listens at an address; None if nothing shows it."""
        votes = self._votes.get(address)
        return votes.most_common(1)[0][0] if votes else None

    def number(self, address: int) -> int:
        """Return the node at an address, or a number that no node has."""
        node = self.node_at(address)
        return UNKNOWN_NODE + address if node is None else node

    def led_by(self, node: int) -> list[Item]:
        """Return the objects that a node serves by the last answers."""
        return sorted(item for item, reign in self._reigns.items() if reign.node == node)
