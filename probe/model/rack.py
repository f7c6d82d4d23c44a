"""Racks of brokers, and the rack in which a reader is: followers in its rack serve it (KIP-392). Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Rack(StrEnum):
    """The broker in whose rack a client is, as a profile writes it. Every broker has a rack of its own."""

    FOLLOWER = "follower"
    """That of a broker that follows the affected partition, so that this follower serves the client."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the written form. ValueError, with the way out, for anything else.

        >>> str(Rack.parse("follower"))
        'follower'
        """
        if text not in list(cls):
            raise ValueError(f"there is no {text!r}; write {', '.join(cls)}")
        return cls(text)


def rack_of(node: int) -> str:
    """Return the name of a broker's rack: Kafka's `broker.rack`.

    >>> rack_of(2)
    'rack-2'
    """
    return f"rack-{node}"
