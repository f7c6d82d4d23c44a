"""The brokers that answers name: advertised addresses with their ids."""

from __future__ import annotations

from collections.abc import Iterable

MOST_NODES = 10_000
"""Addresses that are kept."""


class Nodes(dict[str, int]):
    """Advertised address of a broker (`host:port`) to its id, by the last answer that named both."""

    def note(self, found: Iterable[tuple[str, int]]) -> None:
        """Keep what an answer names."""
        for address, node in found:
            if address in self or len(self) < MOST_NODES:
                self[address] = node
