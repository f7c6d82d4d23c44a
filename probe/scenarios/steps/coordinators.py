"""Steps of old clusters that only real brokers can do: keys they do not know, coordinators that restart together."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SendUnknownKeys:
    """Newer clients send the broker that fails requests with an API key that it does not know, in bursts."""

    key: int
    burst: int
    """So many at once."""
    every_ms: int
    until_ms: int
    """The last burst comes no later than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FillOffsets:
    """Before the fault, so many commits of nobody's are written to each partition of the topic of offsets."""

    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartBrokers:
    """Brokers are restarted, those of a wave all at once; a wave waits until the one before it is back and in sync.

    Brokers by turn: 0 = the one that coordinates what is affected, 1 and 2 = the others, by number.
    """

    waves: tuple[tuple[int, ...], ...]
    offsets_read_ms: int = 0
    """From their start on, each read of closed segments of the topic of offsets takes so long, until healed."""
    delete_offsets: bool = False
    """While they are down, somebody deletes the segments of the topic of offsets."""


CoordinatorStep = SendUnknownKeys | FillOffsets | RestartBrokers
