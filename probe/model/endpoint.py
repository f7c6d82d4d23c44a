"""The address of a listening socket."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

LOOPBACK = "127.0.0.1"
"""Host of all listeners of a trial: relay, brokers and ZooKeeper."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Endpoint:
    """A host and a TCP port; as text `host:port`."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Endpoint:
        """Parse `host:port`. Raises ValueError.

        >>> Endpoint.parse("127.0.0.1:9092")
        Endpoint(host='127.0.0.1', port=9092)
        """
        host, _, port = text.rpartition(":")
        return cls(host=host, port=int(port))

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def as_text(endpoints: Iterable[Endpoint]) -> str:
    """Return endpoints separated by commas, as configurations of Kafka write them."""
    return ",".join(map(str, endpoints))
