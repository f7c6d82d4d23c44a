"""Every fact of the matrix with a label, a unit and an explanation (SEMANTICS 4)."""

from __future__ import annotations

from dataclasses import dataclass

from probe.site.rows import MatrixRow
from probe.site.wording import codes, duration


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as it is shown."""

    column: str
    label: str
    value: str
    why: str


FACTS: tuple[tuple[str, str, str, str], ...] = (
    ("fault_codes", "Errors met", "codes", "Error codes in the answers that made the hits."),
    ("api_versions", "Request versions", "", "Highest version of each request it used for its work."),
    ("fault_hits", "Hits", "count", "Answers, cuts or silences by which the fault reached it; the fewest."),
    ("hits_before_ask", "Hits before it asked", "count", "How often it ran into the fault before its first question."),
    ("refresh_trigger", "Why it asked", "", "What made it ask who serves the partition now; none: it never did."),
    ("refresh_ms_p50", "Time to ask, median", "ms", "First hit to the first question."),
    ("refresh_ms_p95", "Time to ask, 95th percentile", "ms", "The same, in all but the slowest 5 % of trials."),
    ("refreshes_max", "Questions", "count", "Questions after the first hit; the most of any trial."),
    ("storm", "Storm bounds broken", "", "a: asked for no reason; b: asked, c: connected too often; d: futile."),
    ("connects_max", "Connections opened", "count", "After the fault; the most of any trial."),
    ("reroute", "Way to the new broker", "", "hint, refresh, connect, periodic, bootstrap, or none."),
    ("rescued_by", "Rescued by", "", "What led a late client there in the end."),
    ("recovered", "Recovered", "", "Three operations that started after the fault succeeded at the right broker."),
    ("recovery_ms_p50", "Recovery, median", "ms", "From the moment recovery was possible to the third success."),
    ("recovery_ms_p95", "Recovery, 95th percentile", "ms", "The same, in all but the slowest 5 % of trials."),
    ("outage_ms_max", "Longest outage", "ms", "Longest time without a success on the affected partition."),
    ("after_heal", "Once mended", "", "Whether a client that had not recovered did so when the fault was mended."),
    ("close_ms_max", "Time to close", "ms", "How long the client took to close while the fault stood."),
    ("errors_surfaced", "Errors the application saw", "count", "Where its library documents failures; the most."),
    ("failed_ops_max", "Failed operations", "count", "Operations that ended in an error."),
    ("first_error", "First error", "", "As the library named it."),
    ("futile_requests_per_s", "Futile requests", "per s", "Requests to a broker that no longer serves the partition."),
    ("futile_per_op", "Futile requests per operation", "ratio", "Futile requests that each operation cost."),
    ("bystander_gap_ms_max", "Healthy partition: longest gap", "ms", "Longest time without success, no fault there."),
    ("bystander_errors", "Healthy partition: errors", "count", "Errors where no fault was."),
    ("acked", "Acknowledged", "count", "Operations acknowledged; the fewest of any trial."),
    ("lost", "Lost", "count", "Acknowledged records that the read-back did not find."),
    ("duplicated", "Duplicated", "count", "Records that the read-back found more than once."),
    ("reordered", "Reordered", "count", "Records found in another order than they were sent."),
    ("position_jump_max", "Skipped offsets", "count", "Offsets a consumer passed over without a word."),
    ("watched_ms", "Watched", "ms", "Fault to the end of the watch."),
)  # fmt: skip
"""Column, label, unit, explanation."""


def facts(row: MatrixRow) -> list[Fact]:
    """Return the facts that apply to a cell, in the order a reader asks."""
    return [
        Fact(column, label, _value(row.values[column], unit), why)
        for column, label, unit, why in FACTS
        if row.values[column]
    ]


def absent(row: MatrixRow) -> list[str]:
    """Return the labels of facts that do not apply to a cell."""
    return [label for column, label, _, _ in FACTS if not row.values[column]]


def _value(text: str, unit: str) -> str:
    if unit == "codes":
        return codes(text)
    if unit == "ms":
        try:
            number = float(text)
        except ValueError:
            return text
        return f"{text} ms" if number < 1000 else f"{text} ms ({duration(number)})"
    if unit == "per s":
        return f"{text} per s"
    return {"true": "yes", "false": "no"}.get(text, text.replace(";", ", "))
