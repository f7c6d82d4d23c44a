"""The span of the conditions of a row in DuckDB's SQL, without a join, as `probe.model.conditions.span` computes it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from probe.model import Role, Workload
from probe.model.conditions import CHANGES, FIRST, ConditionsChange
from tests.support.duckdb_matrix import line

NUMBERS = (FIRST, *sorted({change.number for change in CHANGES}))


def _concerned(number: int) -> str:
    """Return SQL for whether a change of the conditions with this number concerns a cell."""
    mine = [change for change in CHANGES if change.number == number]
    general = {change.engine for change in mine if change.is_general}
    return " OR ".join(_concerns(change) for change in mine if change.is_general or change.engine not in general)


def _listed(words: Iterable[StrEnum]) -> str:
    return ", ".join(repr(str(word)) for word in sorted(words))


def _concerns(change: ConditionsChange) -> str:
    tests = [
        f"engine = '{change.engine}'",
        *([] if change.roles == set(Role) else [f"role IN ({_listed(change.roles)})"]),
        *([] if change.workloads == set(Workload) else [f"workload IN ({_listed(change.workloads)})"]),
        *([f"{line('broker')} >= {line(repr(change.since))}"] if change.since else []),
        *([f"{line('broker')} <= {line(repr(change.until))}"] if change.until else []),
    ]
    return f"({' AND '.join(tests)})"


_REACHED = " ".join(f"WHEN conditions >= {n} AND ({_concerned(n)}) THEN {n}" for n in reversed(NUMBERS[1:]))
_AHEAD = " ".join(f"WHEN conditions < {n} AND ({_concerned(n)}) THEN {n}" for n in NUMBERS[1:])
SINCE, AHEAD = (
    f"CASE {cases} ELSE {other} END" if cases else other for cases, other in ((_REACHED, "1"), (_AHEAD, "999"))
)
"""The span of the conditions of a row: the numbers from SINCE up to, and without, AHEAD are comparable."""
