"""The brokers of a cluster as a value: their node ids, and which broker follows another one. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

COUNT = 3
"""Brokers of every cluster, among whose places scenarios and seeds choose."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """The node ids of a cluster's brokers, by place: 0 is the first. Methods raise ValueError for an unknown id."""

    ids: tuple[int, ...]
    bootstrap: int = 0
    """Stands for a node id: the relay's address that leads to a broker and never moves, like that of a load
    balancer."""

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def addresses(self) -> tuple[int, ...]:
        """Return what the relay has an address for: the bootstrap address, then every broker."""
        return (self.bootstrap, *self.ids)

    def at(self, place: int) -> int:
        """Return the broker at a place; after the last one comes the first."""
        return self.ids[place % len(self.ids)]

    def place(self, node: int) -> int:
        """Return the place of a broker."""
        return self.ids.index(node)

    def beginning(self, node: int) -> tuple[int, ...]:
        """Return all brokers, beginning with this one, each followed by its successor."""
        first = self.place(node)
        return (*self.ids[first:], *self.ids[:first])

    def next(self, node: int) -> int:
        """Return the broker that takes over from a failing one: the one after it, and the first one after the last."""
        return self.at(self.place(node) + 1)

    def others(self, *nodes: int) -> tuple[int, ...]:
        """Return the brokers besides these."""
        return tuple(node for node in self.ids if node not in nodes)

    def turns(self, old: int) -> tuple[int, ...]:
        """Return the brokers in the order of `turn` in steps: the failing one first, then the others by place."""
        return (old, *self.others(old))

    def turned(self, nodes: tuple[int, ...], planned: int, own: int) -> tuple[int, ...]:
        """Return these brokers of PLANNED as brokers here, where `own` has the part of `planned` there.

        The bootstrap address stays one.
        """
        by = self.place(own) - PLANNED.place(planned)
        places = (None if node == PLANNED.bootstrap else PLANNED.place(node) for node in nodes)
        return tuple(self.bootstrap if place is None else self.at(place + by) for place in places)


PLANNED = Nodes(tuple(range(1, COUNT + 1)))
"""The brokers of a trial until its cluster names its own ids: the number of each is its place, counted from 1."""
