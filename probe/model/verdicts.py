"""What was concluded: facts and an outcome (SEMANTICS 2 to 4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from probe.model.cell import Outcome


class Trigger(StrEnum):
    """Why a client asked who serves the affected object."""

    STARTUP = "startup"
    BOOTSTRAP = "bootstrap"
    CONNECT = "connect"
    PERIODIC = "periodic"
    DISCONNECT = "disconnect"
    ERROR = "error"
    UNKNOWN = "unknown"
    NONE = "none"
    """It never asked."""


class Reroute(StrEnum):
    """What led the client to the new target."""

    HINT = "hint"
    REFRESH = "refresh"
    CONNECT = "connect"
    PERIODIC = "periodic"
    BOOTSTRAP = "bootstrap"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Kept per trial beside the outcome. None = does not apply."""

    fault_codes: tuple[int, ...] = ()
    """Error codes of the hits, in order of first sight."""
    api_versions: tuple[tuple[str, int], ...] = ()
    """(API name, highest version) this client used for the APIs of its work."""
    fault_hits: int = 0
    soft_hits: int = 0
    """Hits without an error answer, a cut or silence."""
    hits_before_ask: int | None = None
    refresh_trigger: Trigger | None = None
    """Trigger of the first discovery after the first hit; `none` if there was none."""
    refresh_ms: float | None = None
    """First hit to that discovery."""
    refreshes: int = 0
    """Discoveries after the first hit."""
    side_requests: int = 0
    storm: str = ""
    """Empty, or which bounds were broken: letters a to d of SEMANTICS 2, joined."""
    connects: int = 0
    """Connections opened after the fault."""
    reroute: Reroute | None = None
    reroute_ms: float | None = None
    rescued_by: str = ""
    """For `late`: retry, connect, periodic, bootstrap, unknown, itself."""
    recovered: bool | None = None
    recovery_ms: float | None = None
    """max(first hit, available) to the third success."""
    outage_ms: float | None = None
    """Longest gap between successes on the affected partition."""
    after_heal: str = ""
    """`recovered` or `stuck`, for a trial not recovered before the fault was mended."""
    close_ms: float | None = None
    errors_surfaced: int = 0
    failed_ops: int = 0
    first_error: str = ""
    futile_requests_per_s: float | None = None
    futile_per_op: float | None = None
    futile_bytes_per_s: float | None = None
    bystander_gap_ms: float | None = None
    bystander_errors: int = 0
    acked: int | None = None
    lost: int | None = None
    duplicated: int | None = None
    reordered: int | None = None
    position_jump: int | None = None
    watched_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Outcome, why, and the facts it rests on."""

    outcome: Outcome
    reason: str
    """One sentence: the row of the table that decided, with its numbers."""
    conforms: bool | None = None
    """None where the scenario is informative or the outcome says nothing about the client."""
    facts: Facts = field(default_factory=Facts)
    rules: int = 1
    """Version of the rules that judged."""
