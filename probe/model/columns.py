"""Facts of a trial and columns of the matrix: every schema, file and page that shows them follows these two tables.

A fact is a field of `Facts`: its type, its default and what it says. A column of the matrix is a row of `COLUMNS`,
which names the fact it is made of. Both grow at their end only: readers may rely on the order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from probe.model.cell import Cell
from probe.model.schema import Aggregate, Column, Type, Unit, types_of
from probe.model.words import AfterHeal, Reroute, Rescuer, Trigger


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Kept per trial beside the outcome. None = does not apply."""

    fault_codes: tuple[int, ...] = ()
    """Error codes of the hits, in order of first sight."""
    api_versions: tuple[tuple[str, int], ...] = ()
    """(API name, highest version) this client used for the APIs of its work."""
    fault_hits: int = 0
    """Answers, cuts or silences by which the fault reached the client."""
    soft_hits: int = 0
    """Hits without an error answer, a cut or silence."""
    hits_before_ask: int | None = None
    """Hits up to the first discovery after the first hit."""
    refresh_trigger: Trigger | None = None
    """Trigger of the first discovery after the first hit; `none` if there was none."""
    refresh_ms: float | None = None
    """First hit to that discovery."""
    refreshes: int = 0
    """Discoveries after the first hit."""
    side_requests: int = 0
    """Other requests of the discovery APIs after the first hit."""
    storm: str = ""
    """Empty, or the values of `StormBound` that were exceeded, letters a to d, joined."""
    connects: int = 0
    """Connections opened after the fault."""
    reroute: Reroute | None = None
    """What led the client to the new target."""
    reroute_ms: float | None = None
    """First hit to the request that first succeeded at the target."""
    rescued_by: Rescuer = Rescuer.NONE
    """For `late`: what led the client to the target; empty for other outcomes."""
    recovered: bool | None = None
    """Three operations that started after the fault succeeded at the right broker."""
    recovery_ms: float | None = None
    """max(first hit, available) to the third success."""
    outage_ms: float | None = None
    """Longest gap between successes on the affected partition."""
    after_heal: AfterHeal = AfterHeal.NONE
    """`recovered` or `stuck`, for a trial not recovered before the fault was mended."""
    close_ms: float | None = None
    """How long the client took to close while the fault stood."""
    errors_surfaced: int = 0
    """Errors reported to the application about the affected partition."""
    failed_ops: int = 0
    """Operations that ended in an error."""
    first_error: str = ""
    """The first of these errors: its protocol name, or `client:<class>`."""
    futile_requests_per_s: float | None = None
    """Requests per second about the affected object at brokers that no longer serve it."""
    futile_per_op: float | None = None
    """The same per operation started."""
    futile_bytes_per_s: float | None = None
    """Their bytes per second."""
    bystander_gap_ms: float | None = None
    """Longest gap between successes on the partition without a fault."""
    bystander_errors: int = 0
    """Errors reported to the application about the partition without a fault."""
    acked: int | None = None
    """Operations acknowledged."""
    lost: int | None = None
    """Acknowledged records that the read-back did not find."""
    duplicated: int | None = None
    """Records that the read-back found more than once."""
    reordered: int | None = None
    """Records found in another order than they were sent."""
    position_jump: int | None = None
    """Stored records that a reader passed over, or went back over, at once."""
    watched_ms: int = 0
    """Fault to the end of the watch."""


FACTS = types_of(Facts)
"""Every fact with the type of its column, in the order of `Facts`."""
TIMES = ("refresh_ms", "reroute_ms", "recovery_ms", "outage_ms")
"""Facts whose distribution over the trials of a cell is published beside the matrix."""
IDENTITY = tuple(field.name for field in fields(Cell))
"""The columns that name a cell."""
KEY: Mapping[str, Type] = MappingProxyType(
    {"run_id": Type.STRING, **dict.fromkeys(IDENTITY, Type.STRING), "trial": Type.INT}
)
"""The columns that name a trial, in every stored file."""
VERDICT: Mapping[str, Type] = MappingProxyType(
    {"outcome": Type.STRING, "conforms": Type.BOOLEAN, "reason": Type.STRING, "rules": Type.INT}
)
"""The columns of a verdict beside its facts."""
ORIGIN: Mapping[str, Type] = MappingProxyType(
    {"reality": Type.STRING, "released": Type.STRING, "mirrors": Type.STRING, "shortened": Type.BOOLEAN}
)
"""The columns of a trial's row that say what was run."""

_SAME, _VOTE, _UNION, _ALL, _WORD = (
    Aggregate.SAME, Aggregate.VOTE, Aggregate.UNION, Aggregate.ALL, Aggregate.COMMONEST
)  # fmt: skip
_MIN, _MAX, _P50, _P95 = Aggregate.LEAST, Aggregate.GREATEST, Aggregate.MEDIAN, Aggregate.P95
_NONE, _COUNT, _MS, _PER_S, _RATIO = Unit.NONE, Unit.COUNT, Unit.MS, Unit.PER_S, Unit.RATIO

COLUMNS: tuple[Column, ...] = (
    *(Column(name, _SAME, name) for name in IDENTITY),
    Column("outcome", _VOTE, "outcome"),
    Column("conforms", _VOTE, "conforms"),
    Column("reality", _MAX, "reality", text="Whether a real broker of that line gives this answer."),
    Column("trials", _VOTE, unit=_COUNT, text="Trials that were judged."),
    Column("agreeing", _VOTE, unit=_COUNT,
           text="Trials that have the commonest outcome; the numbers of the row are theirs."),
    Column("watched_ms", _MIN, "watched_ms", _MS, "Watched", "Fault to the end of the watch."),
    Column("fault_codes", _UNION, "fault_codes", Unit.CODES, "Errors met",
           "Error codes in the answers that made the hits."),
    Column("api_versions", _UNION, "api_versions", _NONE, "Request versions",
           "Highest version of each request it used for its work."),
    Column("fault_hits", _MIN, "fault_hits", _COUNT, "Hits",
           "Answers, cuts or silences by which the fault reached it; the fewest."),
    Column("hits_before_ask", _MAX, "hits_before_ask", _COUNT, "Hits before it asked",
           "How often it ran into the fault before its first question."),
    Column("refresh_trigger", _WORD, "refresh_trigger", _NONE, "Why it asked",
           "What made it ask who serves the partition now; none: it never did."),
    Column("refresh_ms_p50", _P50, "refresh_ms", _MS, "Time to ask, median", "First hit to the first question."),
    Column("refresh_ms_p95", _P95, "refresh_ms", _MS, "Time to ask, 95th percentile",
           "The same, in all but the slowest 5 % of trials."),
    Column("refreshes_max", _MAX, "refreshes", _COUNT, "Questions",
           "Questions after the first hit; the most of any trial."),
    Column("storm", _UNION, "storm", _NONE, "Storm bounds broken",
           "a: asked for no reason; b: asked, c: connected too often; d: futile."),
    Column("connects_max", _MAX, "connects", _COUNT, "Connections opened", "After the fault; the most of any trial."),
    Column("reroute", _WORD, "reroute", _NONE, "Way to the new broker",
           "hint, refresh, connect, periodic, bootstrap, or none."),
    Column("rescued_by", _WORD, "rescued_by", _NONE, "Rescued by", "What led a late client there in the end."),
    Column("recovered", _ALL, "recovered", _NONE, "Recovered",
           "Three operations that started after the fault succeeded at the right broker."),
    Column("recovery_ms_p50", _P50, "recovery_ms", _MS, "Recovery, median",
           "From the moment recovery was possible to the third success."),
    Column("recovery_ms_p95", _P95, "recovery_ms", _MS, "Recovery, 95th percentile",
           "The same, in all but the slowest 5 % of trials."),
    Column("outage_ms_max", _MAX, "outage_ms", _MS, "Longest outage",
           "Longest time without a success on the affected partition."),
    Column("after_heal", _WORD, "after_heal", _NONE, "Once mended",
           "Whether a client that had not recovered did so when the fault was mended."),
    Column("close_ms_max", _MAX, "close_ms", _MS, "Time to close",
           "How long the client took to close while the fault stood."),
    Column("errors_surfaced", _MAX, "errors_surfaced", _COUNT, "Errors the application saw",
           "Where its library documents failures; the most."),
    Column("failed_ops_max", _MAX, "failed_ops", _COUNT, "Failed operations", "Operations that ended in an error."),
    Column("first_error", _WORD, "first_error", _NONE, "First error",
           "Its Kafka name, or client: and the class of the library's own error."),
    Column("futile_requests_per_s", _P50, "futile_requests_per_s", _PER_S, "Futile requests",
           "Requests to a broker that no longer serves the partition."),
    Column("futile_per_op", _P50, "futile_per_op", _RATIO, "Futile requests per operation",
           "Futile requests that each operation cost."),
    Column("bystander_gap_ms_max", _MAX, "bystander_gap_ms", _MS, "Healthy partition: longest gap",
           "Longest time without success, no fault there."),
    Column("bystander_errors", _MAX, "bystander_errors", _COUNT, "Healthy partition: errors",
           "Errors where no fault was."),
    Column("acked", _MIN, "acked", _COUNT, "Acknowledged", "Operations acknowledged; the fewest of any trial."),
    Column("lost", _MAX, "lost", _COUNT, "Lost", "Acknowledged records that the read-back did not find."),
    Column("duplicated", _MAX, "duplicated", _COUNT, "Duplicated", "Records that the read-back found more than once."),
    Column("reordered", _MAX, "reordered", _COUNT, "Reordered", "Records found in another order than they were sent."),
    Column("position_jump_max", _MAX, "position_jump", _COUNT, "Skipped offsets",
           "Offsets a consumer passed over without a word."),
    Column("released", _MAX, "released", text="The day on which this version of the client was released."),
    Column("mirrors", _MAX, "mirrors", text="What the client's family is declared to mirror; empty for most."),
    Column("reason", _VOTE, "reason", text="Why this outcome, in one sentence; where trials disagree, their votes."),
    Column("run_id", _SAME, "run_id", text="The run that the row is taken from."),
)  # fmt: skip
"""The columns of the matrix, in the order of matrix.csv: name, aggregate, source, unit, label, text."""
NAMES = tuple(column.name for column in COLUMNS)
_ORDER = tuple(FACTS)
SHOWN = tuple(sorted((column for column in COLUMNS if column.label), key=lambda column: _ORDER.index(column.source)))
"""The columns that the site explains, in the order of the facts they are made of."""
