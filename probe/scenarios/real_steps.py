"""Steps that only real brokers can do: where replicas lie, how fast disks are, what happens before the fault."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepReplicas:
    """Before the fault, partitions keep only the replicas on these brokers; nothing else comes soon after it.

    Brokers by turn: 0 = the one that fails, 1 and 2 = the others, by number. The first one leads.
    """

    affected: tuple[int, ...]
    bystander: tuple[int, ...] = ()
    """Empty = as they are."""
    config: tuple[tuple[str, str], ...] = ()
    """The topic's own configuration from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meanwhile:
    """So long things go on as they are, before the next step."""

    ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowReads:
    """Each read from a broker's log dirs takes so long, until healed."""

    delay_ms: int
    turn: int = 0


RealStep = KeepReplicas | Meanwhile | SlowReads
