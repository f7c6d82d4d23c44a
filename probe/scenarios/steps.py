"""What a scenario asks of an engine, in Kafka's words; each engine has its own way to do each step."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakLogDir:
    """The log dir that holds the affected partition dies at its leader; leadership moves, the old broker answers 56."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveLeader:
    """The affected partition's leadership moves to another broker."""

    drop_replica: bool = False
    """The old leader loses its replica (reassignment); else it stays in sync (preferred election)."""
    hints: bool = False
    """Old leader's answers name the new one (KIP-951) where the line and the request version allow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveCoordinator:
    """The affected group's (or transactional id's) coordinator moves."""

    loading_ms: int = 0
    """The new coordinator answers COORDINATOR_LOAD_IN_PROGRESS for so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerError:
    """A broker answers an error code about the affected object, without doing the work."""

    api: int
    code: int
    times: int = 0
    """How many answers; 0 = until healed."""
    moved: bool = False
    """The target moves to another broker, as in a real failure; else it stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutConnections:
    """Established connections to the target broker are reset, once; nothing else changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldDiscovery:
    """The relay passes Metadata and FindCoordinator answers on only after so long."""

    hold_ms: int


Step = BreakLogDir | MoveLeader | MoveCoordinator | AnswerError | CutConnections | HoldDiscovery
