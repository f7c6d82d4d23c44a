"""Facts of a trial and columns of the matrix. Every schema, file and page that shows them follows these two tables.

A fact is a field of `Facts`: its type, its default and its meaning. A column of the matrix is a row of `COLUMNS`, which
names the fact it is made of. New entries are added at the end of either table only, since readers may rely on the
order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from probe.model.cell import Cell, Workload
from probe.model.schema import Aggregate, Column, Type, Unit, types_of
from probe.model.words import AfterHeal, Ender, LearnedBy, OwnLimit, PhaseClock, Reroute, Rescuer, Trigger


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts that are kept per trial in addition to the outcome. None = does not apply."""

    fault_codes: tuple[int, ...] = ()
    """Error codes of the hits, in order of first appearance."""
    api_versions: tuple[tuple[str, int], ...] = ()
    """Pairs (API name, highest version) that this client used for the APIs of its work."""
    fault_hits: int = 0
    """Answers, cuts or silences by which the fault reached the client."""
    soft_hits: int = 0
    """Hits without an error answer, a cut or silence."""
    hits_before_ask: int | None = None
    """Hits before the first discovery after the first hit."""
    refresh_trigger: Trigger | None = None
    """Trigger of the first discovery after the first hit. `none` if there was no discovery."""
    refresh_ms: float | None = None
    """Time from the first hit to that discovery."""
    refreshes: int = 0
    """Discoveries after the first hit."""
    side_requests: int = 0
    """Other requests of the discovery APIs after the first hit."""
    storm: str = ""
    """Letters a to d of the values of `StormBound` that were exceeded, joined. Empty = none."""
    connects: int = 0
    """Connections opened after the fault."""
    reroute: Reroute | None = None
    """What led the client to the new target."""
    reroute_ms: float | None = None
    """Time from the first hit to the request that first succeeded at the target."""
    rescued_by: Rescuer = Rescuer.NONE
    """For `late`: what led the client to the target. Empty for other outcomes."""
    recovered: bool | None = None
    """Three operations that started after the fault succeeded at the right broker."""
    recovery_ms: float | None = None
    """Time from max(first hit, available) to the third success."""
    outage_ms: float | None = None
    """Longest gap between successes on the affected partition."""
    after_heal: AfterHeal = AfterHeal.NONE
    """`recovered` or `stuck`, for a trial that had not recovered before the fault was reverted."""
    close_ms: float | None = None
    """Time that the client took to close while the fault was in force."""
    errors_surfaced: int = 0
    """Errors reported to the application about the affected partition."""
    failed_ops: int = 0
    """Operations that ended in an error."""
    first_error: str = ""
    """The first of these errors: its protocol name, or `client:<class>`."""
    futile_requests_per_s: float | None = None
    """Requests per second about the affected object at brokers that no longer serve it."""
    futile_per_op: float | None = None
    """The same per started operation."""
    futile_bytes_per_s: float | None = None
    """Bytes per second of these requests."""
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
    """Records stored in another order than they were sent."""
    position_jump: int | None = None
    """Stored records that a reader skipped, or went back over, in one step."""
    watched_ms: int = 0
    """Time from the fault to the end of the observation."""
    kept_ms: float | None = None
    """Part of `recovery_ms` in which brokers kept the client waiting."""
    discoveries_over: float | None = None
    """Most discoveries by which the client exceeded a storm bound of discoveries (a, b); negative = fewer than it."""
    announced_hit_ms: float | None = None
    """Time from the announcement of the new target to the first or the last hit, whichever is nearer to it; negative =
    the hit came first. A hit after the announcement counts only if the fault was in force as long before it."""
    joins: int | None = None
    """JoinGroup requests for the group after the first hit. None for other roles."""
    bystander_own_gap_ms: float | None = None
    """Longest gap of the partition without a fault, without the time in which brokers kept it waiting."""
    unresolved: int | None = None
    """Records of which the application learned nothing although the delivery limit had passed."""
    phantom: int | None = None
    """Records that the read-back found and nobody sent."""
    phase_clock: PhaseClock = PhaseClock.NONE
    """What the client did at an interval when the fault came. Empty = nothing frequent enough."""
    phase: float | None = None
    """Share of that interval that had passed since its last tick when the fault came, 0 to 1."""
    blocked_ms: float | None = None
    """Longest time that one call by which the application ends a transaction blocked. None for other roles."""
    young: bool = False
    """No Metadata answer had reached the client between its first success and the fault."""
    still_ms: float | None = None
    """Observed to the end: time from the first hit until the client worked at the target, or for which it was watched
    in vain."""
    ended_by: Ender = Ender.NONE
    """End of that time. Empty = it was not observed to the end."""
    own_limit: OwnLimit = OwnLimit.NONE
    """The library's own limit that ended it; if nothing did, the longest that could have. Empty = none could."""
    own_limit_ms: float | None = None
    """That limit."""
    age_ms: float | None = None
    """Age of the client's metadata when the fault came."""
    reason_by: LearnedBy = LearnedBy.NONE
    """Way by which the application learned why a log-in or a permission was refused."""
    reason_ms: float | None = None
    """Time from the first refusal until it learned so. None = it did not."""

    @property
    def own_recovery_ms(self) -> float | None:
        """`recovery_ms` without the time for which brokers kept the client waiting. None = it did not recover."""
        return None if self.recovery_ms is None else self.recovery_ms - (self.kept_ms or 0)

    @property
    def has_errors(self) -> bool:
        """Whether an error reached the application, or an operation of it failed."""
        return bool(self.errors_surfaced or self.failed_ops)


FACTS = types_of(Facts)
"""Every fact with the type of its column, in the order of `Facts`."""
TIMES = ("refresh_ms", "reroute_ms", "recovery_ms", "outage_ms")
"""Facts whose distribution over the trials of a cell is published in addition to the matrix."""
IDENTITY = tuple(field.name for field in fields(Cell))
"""The columns that identify a cell."""
ADDED: Mapping[str, str] = MappingProxyType({"workload": Workload.CONTINUOUS.value})
"""Columns of the identity that files of an older schema lack, with the value that all of their cells have. In tables
for readers they come last, since columns are added after those that are there."""
LEADING = tuple(name for name in IDENTITY if name not in ADDED)
"""The columns of the identity with which such a table begins."""
KEY: Mapping[str, Type] = MappingProxyType(
    {"run_id": Type.STRING, **dict.fromkeys(IDENTITY, Type.STRING), "trial": Type.INT}
)
"""The columns that identify a trial, in every stored file."""
VERDICT: Mapping[str, Type] = MappingProxyType(
    {"outcome": Type.STRING, "conforms": Type.BOOLEAN, "reason": Type.STRING, "rules": Type.INT}
)
"""The columns of a verdict other than its facts."""
ORIGIN: Mapping[str, Type] = MappingProxyType(
    {
        "reality": Type.STRING,
        "released": Type.STRING,
        "mirrors": Type.STRING,
        "shortened": Type.BOOLEAN,
        "conditions": Type.INT,
        "sweep": Type.STRING,
    }
)
"""The columns of a trial's row that describe what was run."""

_SAME, _VOTE, _UNION, _ALL, _WORD = (
    Aggregate.SAME, Aggregate.VOTE, Aggregate.UNION, Aggregate.ALL, Aggregate.COMMONEST
)  # fmt: skip
_MIN, _MAX, _P50, _P95 = Aggregate.LEAST, Aggregate.GREATEST, Aggregate.MEDIAN, Aggregate.P95
_HARM, _OTHERS = Aggregate.HARM, Aggregate.OTHERS
_NONE, _COUNT, _MS, _PER_S, _RATIO = Unit.NONE, Unit.COUNT, Unit.MS, Unit.PER_S, Unit.RATIO

COLUMNS: tuple[Column, ...] = (
    *(Column(name, _SAME, name) for name in LEADING),
    Column("outcome", _VOTE, "outcome"),
    Column("conforms", _VOTE, "conforms"),
    Column("reality", _MAX, "reality", text="Whether a real broker of that line gives this answer."),
    Column("trials", _VOTE, unit=_COUNT, text="Trials that were judged."),
    Column("agreeing", _VOTE, unit=_COUNT,
           text="Trials with the most common outcome; the numbers of the row are theirs."),
    Column("watched_ms", _MIN, "watched_ms", _MS, "Watched", "Time from the fault to the end of the observation."),
    Column("fault_codes", _UNION, "fault_codes", Unit.CODES, "Errors met",
           "Error codes in the answers that made the hits."),
    Column("api_versions", _UNION, "api_versions", _NONE, "Request versions",
           "Highest version of every request that the client used for its work."),
    Column("fault_hits", _MIN, "fault_hits", _COUNT, "Hits",
           "Answers, cuts or silences by which the fault reached the client; the fewest."),
    Column("hits_before_ask", _MAX, "hits_before_ask", _COUNT, "Hits before it asked",
           "Hits before the first question of the client."),
    Column("refresh_trigger", _WORD, "refresh_trigger", _NONE, "Why it asked",
           "What made the client ask for the new leader or coordinator; none: it never asked."),
    Column("refresh_ms_p50", _P50, "refresh_ms", _MS, "Time to ask, median",
           "Time from the first hit to the first question."),
    Column("refresh_ms_p95", _P95, "refresh_ms", _MS, "Time to ask, 95th percentile",
           "The same, in all but the slowest 5 % of trials."),
    Column("refreshes_max", _MAX, "refreshes", _COUNT, "Questions",
           "Questions after the first hit; the most of any trial."),
    Column("storm", _UNION, "storm", _NONE, "Storm bounds exceeded",
           "a: asked for no reason; b: asked, c: connected too often; d: futile."),
    Column("connects_max", _MAX, "connects", _COUNT, "Connections opened", "After the fault; the most of any trial."),
    Column("reroute", _WORD, "reroute", _NONE, "Way to the new broker",
           "hint, refresh, connect, periodic, bootstrap, or none."),
    Column("rescued_by", _WORD, "rescued_by", _NONE, "Rescued by", "What led a late client to the new broker."),
    Column("recovered", _ALL, "recovered", _NONE, "Recovered",
           "Three operations that started after the fault succeeded at the right broker."),
    Column("recovery_ms_p50", _P50, "recovery_ms", _MS, "Recovery, median",
           "Time from the moment at which recovery was possible to the third success."),
    Column("recovery_ms_p95", _P95, "recovery_ms", _MS, "Recovery, 95th percentile",
           "The same, in all but the slowest 5 % of trials."),
    Column("outage_ms_max", _MAX, "outage_ms", _MS, "Longest outage",
           "Longest time without a success on the affected partition."),
    Column("after_heal", _WORD, "after_heal", _NONE, "After the revert",
           "Whether a client that had not recovered did so after the fault was reverted."),
    Column("close_ms_max", _MAX, "close_ms", _MS, "Time to close",
           "Time that the client took to close while the fault was in force."),
    Column("errors_surfaced", _MAX, "errors_surfaced", _COUNT, "Errors reported to the application",
           "Counted where the library documents failures; the most of any trial."),
    Column("failed_ops_max", _MAX, "failed_ops", _COUNT, "Failed operations", "Operations that ended in an error."),
    Column("first_error", _WORD, "first_error", _NONE, "First error",
           "Kafka's name of the error, or client: and the class of the library's own error."),
    Column("futile_requests_per_s", _P50, "futile_requests_per_s", _PER_S, "Futile requests",
           "Requests to a broker that no longer serves the partition."),
    Column("futile_per_op", _P50, "futile_per_op", _RATIO, "Futile requests per operation",
           "Futile requests per started operation."),
    Column("bystander_gap_ms_max", _MAX, "bystander_gap_ms", _MS, "Healthy partition: longest gap",
           "Longest time without a success where no fault was injected."),
    Column("bystander_errors", _MAX, "bystander_errors", _COUNT, "Healthy partition: errors",
           "Errors where no fault was injected."),
    Column("acked", _MIN, "acked", _COUNT, "Acknowledged", "Operations acknowledged; the fewest of any trial."),
    Column("lost", _MAX, "lost", _COUNT, "Lost", "Acknowledged records that the read-back did not find."),
    Column("duplicated", _MAX, "duplicated", _COUNT, "Duplicated", "Records that the read-back found more than once."),
    Column("reordered", _MAX, "reordered", _COUNT, "Reordered", "Records stored in another order than they were sent."),
    Column("position_jump_max", _MAX, "position_jump", _COUNT, "Skipped offsets",
           "Offsets that a consumer skipped without an error."),
    Column("released", _MAX, "released", text="Release date of this version of the client."),
    Column("mirrors", _MAX, "mirrors", text="The client that this family is declared to mirror; empty for most."),
    Column("reason", _VOTE, "reason", text="Why this outcome, in one sentence; where trials disagree, their votes."),
    Column("run_id", _SAME, "run_id", text="The run that the row comes from."),
    Column("conditions", _MAX, "conditions", Unit.NUMBER,
           text="Number of the conditions under which it was measured (docs/verdicts.md)."),
    Column("outcomes", _VOTE, text="Number of trials per outcome, the commonest first: refreshes:17;storms:3."),
    Column("worst", _VOTE, "outcome", text="The outcome of the worst trial: by conformity, then by severity."),
    Column("unresolved", _MAX, "unresolved", _COUNT, "Without an outcome",
           "Records of which the application learned nothing although the delivery limit had passed."),
    Column("phantom", _MAX, "phantom", _COUNT, "Sent by nobody", "Records that the read-back found and nobody sent."),
    Column("workload", _SAME, "workload", text="What the application does while it is observed."),
    Column("blocked_ms_max", _MAX, "blocked_ms", _MS, "Longest blocked call",
           "Longest time that one call by which the application ends a transaction blocked."),
    Column("young", _ALL, "young", _NONE, "Young client",
           "Since its start, the client had not asked for metadata when the fault came."),
    Column("still_ms_max", _MAX, "still_ms", _MS, "Work stood still",
           "Observed to the end: from the first hit until the client worked at the new broker, or gave no sign of it."),
    Column("ended_by", _WORD, "ended_by", _NONE, "Ended by", "End of that time; nothing: it lasted to the end."),
    Column("own_limit", _WORD, "own_limit", _NONE, "Own limit",
           "The library's own limit that ended it, or the longest that could have."),
    Column("own_limit_ms_max", _MAX, "own_limit_ms", _MS, "Own limit, length", "How long that limit is."),
    Column("age_ms_max", _MAX, "age_ms", _MS, "Age of metadata", "When the fault came; the greatest of any trial."),
    Column("reason_by", _WORD, "reason_by", _NONE, "Reason of a refusal",
           "Way by which the application learned why a log-in or a permission was refused: error, notice, or nothing."),
    Column("reason_ms_p50", _P50, "reason_ms", _MS, "Reason of a refusal after",
           "Time from the first refusal until the application learned its reason, median."),
    Column("harm", _HARM,
           text="What the gravest trial costs a service: loses, repeats, stops, stalls, burdens, errors, none."),
    Column("harms", _HARM, text="Number of trials per harm, the gravest first: stops:3;none:17."),
    Column("silent", _HARM, text="Of stops: yes, if no error reaches the application of the gravest trial."),
    Column("stalls_ms", _HARM, unit=_MS, text="Of stalls: how long work stood still in the gravest trial."),
    Column("scope", _HARM, text="Of errors to stops: what suffers in the gravest trial, partition or everything."),
    Column("restart_helps", _OTHERS,
           text="Of stops or worse: whether a second instance works that starts under the fault."),
    Column("mended_by", _OTHERS, text="Of any harm: the first profile in which this version passes."),
)  # fmt: skip
"""The columns of the matrix, in the order of matrix.csv: name, aggregate, source, unit, label, text."""
NAMES = tuple(column.name for column in COLUMNS)
_ORDER = tuple(FACTS)
SHOWN = tuple(sorted((column for column in COLUMNS if column.label), key=lambda column: _ORDER.index(column.source)))
"""The columns that the site explains, in the order of the facts they are made of."""
