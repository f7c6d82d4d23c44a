"""Steps on coordinators. Only real brokers support unknown API keys, filler commits and restarts of several brokers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveCoordinator:
    """The affected group's (or transactional id's) coordinator moves."""

    loading_ms: int = 0
    """Time for which the new coordinator answers COORDINATOR_LOAD_IN_PROGRESS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadCoordinator:
    """The affected key's coordinator loads its log again: it answers COORDINATOR_LOAD_IN_PROGRESS until reverted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseCoordinator:
    """No broker coordinates the affected key until reverted: all brokers answer COORDINATOR_NOT_AVAILABLE."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameWrongCoordinator:
    """Every broker names a coordinator that answers NOT_COORDINATOR to all requests of the affected key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejoin:
    """The next heartbeat of the affected group makes its member join again.

    The answer is REBALANCE_IN_PROGRESS, as when another member joins, or FENCED_MEMBER_EPOCH in the new group protocol.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class SendUnknownKeys:
    """Newer clients send the failing broker bursts of requests with an API key that it does not know.

    A burst is as long on fast brokers as on slow ones: it goes on until the broker has taken requests for `lasts_ms`.
    """

    key: int
    lasts_ms: int
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


CoordinatorStep = (
    MoveCoordinator
    | LoadCoordinator
    | LoseCoordinator
    | NameWrongCoordinator
    | Rejoin
    | SendUnknownKeys
    | FillOffsets
    | RestartBrokers
)
