"""Steps on old clusters that only real brokers support: unknown API keys, coordinators that restart together."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SendUnknownKeys:
    """Newer clients send the failing broker bursts of requests with an API key that it does not know."""

    key: int
    burst: int
    """Requests per burst."""
    every_ms: int
    until_ms: int
    """Time after which no further burst comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FillOffsets:
    """Before the fault, filler commits are written to each partition of the offsets topic: `entries` per partition."""

    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartBrokers:
    """Brokers are restarted, all brokers of a wave at once. A wave starts when the previous one is back and in sync.

    Brokers by turn: 0 = the coordinator of the affected objects, 1 and 2 = the others, by number.
    """

    waves: tuple[tuple[int, ...], ...]
    offsets_read_ms: int = 0
    """Delay of each read of closed segments of the offsets topic, from the brokers' start until reverted."""
    delete_offsets: bool = False
    """While the brokers are down, the segments of the offsets topic are deleted."""


CoordinatorStep = SendUnknownKeys | FillOffsets | RestartBrokers
