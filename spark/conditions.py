"""Which trials are comparable, and which of them give a cell its row: `probe.model.conditions` as Spark expressions.

The place of a span is its first number's place among all numbers. A tier is the weight of an outcome and the place of a
span as one number, so that the trials of a cell with the greatest tier, in the latest run, give the cell its row.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from probe.model import Engine, Role, Workload, conditions
from probe.model.conditions import ALWAYS, FIRST, ConditionsChange
from probe.model.outcomes import SETTLES, UNSETTLED
from spark.encoding import version_place


def numbers() -> tuple[int, ...]:
    """Return all numbers, ascending."""
    return (FIRST, *sorted({change.number for change in conditions.CHANGES}))


def tiers() -> range:
    """Return all tiers."""
    return range((SETTLES + 1) * len(numbers()))


def settling_tier() -> int:
    """Return the lowest tier of trials that settle a cell."""
    return SETTLES * len(numbers())


def tier() -> Column:
    """Return the tier of a trial or a row of the matrix, from its outcome, its conditions and its cell."""
    known = numbers()
    place = _last_of((known.index(number), _reached(number)) for number in known[1:])
    return (_weight_of(F.col("outcome")) * len(known) + place).cast("int")


def _weight_of(outcome: Column) -> Column:
    """Return the weight of an outcome for settling a cell; 3 = it settles the cell."""
    weight = F.lit(SETTLES)
    for unsettled, less in UNSETTLED.items():
        weight = F.when(outcome == unsettled.value, less).otherwise(weight)
    return weight


def place_in(tier: Column) -> Column:
    """Return the place of a span in a tier; trials of a cell are comparable if it is equal."""
    return tier % len(numbers())


def since_of(tier: Column) -> Column:
    """Return the first number of the span in a tier."""
    return F.get(F.array(*map(F.lit, numbers())), place_in(tier).cast("int")).cast("bigint")


def span() -> tuple[Column, Column]:
    """Return the first number and the end of the span of a row of the matrix."""
    later = numbers()[1:]
    first = _last_of(((number, _reached(number)) for number in later), FIRST)
    ahead = ((number, (F.col("conditions") < number) & _concerned(number)) for number in reversed(later))
    return first.cast("bigint"), _last_of(ahead, ALWAYS).cast("bigint")


def _reached(number: int) -> Column:
    return (F.col("conditions") >= number) & _concerned(number)


def _last_of(values: Iterable[tuple[int, Column]], otherwise: int = 0) -> Column:
    """Return the last value whose condition holds; `otherwise` if none does."""
    found = F.lit(otherwise)
    for value, holds in values:
        found = F.when(holds, value).otherwise(found)
    return found


def _concerned(number: int) -> Column:
    """Return whether a change with this number concerns the cell of a row."""
    found = F.lit(False)
    for engine in Engine:
        mine = [one for one in conditions.CHANGES if one.number == number and one.engine is engine]
        general = [one for one in mine if one.is_general]
        for change in general[:1] or mine:
            found = found | _concerns(change)
    return found


def _concerns(change: ConditionsChange) -> Column:
    holds = F.col("engine") == change.engine.value
    if change.roles != frozenset(Role):
        holds = holds & F.col("role").isin(sorted(change.roles))
    if change.workloads != frozenset(Workload):
        holds = holds & F.col("workload").isin(sorted(change.workloads))
    if change.since:
        holds = holds & F.expr(f"{version_place('broker')} >= {version_place(repr(change.since))}")
    if change.until:
        holds = holds & F.expr(f"{version_place('broker')} <= {version_place(repr(change.until))}")
    return holds
