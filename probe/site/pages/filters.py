"""The filters of the matrix with their values (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probe.model import Outcome, Role, Workload
from probe.model.harm import Harm
from probe.model.outcomes import OUTCOMES
from probe.model.versions import version_key
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.outcome_signs import VERDICT_WORDS

UNKNOWN = "unknown"
HARMS = (*(one.word for one in sorted(Harm, reverse=True)), UNKNOWN)
"""The values of the filter of harms, the gravest first."""
JUDGEMENTS = {True: "yes", False: "no", None: "none"}


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a filter."""

    value: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Filter:
    """A control with several values, any number of which may be chosen."""

    name: str
    label: str
    choices: tuple[Choice, ...]


def filters(rows: Sequence[MatrixRow]) -> list[Filter]:
    """Return every filter with the values that occur in the rows."""
    outcomes = [str(outcome) for outcome in OUTCOMES]
    roles, workloads = ([str(one) for one in kind] for kind in (Role, Workload))
    by_column = (
        ("family", "Client", sorted),
        ("role", "Role", lambda values: sorted(values, key=roles.index)),
        ("profile", "Profile", sorted),
        ("scenario", "Scenario", sorted),
        ("harm", "Harm", lambda values: sorted(values, key=HARMS.index)),
        ("outcome", "Outcome", lambda values: sorted(values, key=outcomes.index)),
        ("conforms", "Judgement", lambda values: [one for one in JUDGEMENTS.values() if one in values]),
        ("engine", "Engine", sorted),
        ("broker", "Broker", lambda values: sorted(values, key=version_key)),
        ("workload", "Workload", lambda values: sorted(values, key=workloads.index)),
    )
    found = []
    for name, label, order in by_column:
        counts: dict[str, int] = {}
        for row in rows:
            value = _value(row, name)
            counts[value] = counts.get(value, 0) + 1
        choices = tuple(Choice(value, _label(name, value), counts[value]) for value in order(counts))
        found.append(Filter(name, label, choices))
    return found


def _value(row: MatrixRow, name: str) -> str:
    if name == "conforms":
        return JUDGEMENTS[row.conforms]
    return row.values[name] or UNKNOWN if name == "harm" else row.values[name]


def _label(name: str, value: str) -> str:
    if name == "outcome":
        info = OUTCOMES[Outcome(value)]
        return f"{info.symbol} {info.label}"
    if name == "conforms":
        return VERDICT_WORDS[{"yes": True, "no": False, "none": None}[value]]
    return value
