"""A table beside this module: what the harm of trials depends on in each scenario of the default catalogue.

`python -m probe.catalogue.harm_bounds` writes it from the scenarios, which take longer to load than a look-up runs. A
scenario that runs by its full name only has the bound of an answered fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from probe.model.cell import Cell, Role
from probe.model.harm import Harm, HarmBounds, TrialHarm, bounds_of
from probe.model.harm_rules import harm_of
from probe.model.refusals import refused_by
from probe.model.session_timeouts import session_ms
from probe.model.verdicts import Verdict
from probe.model.words import Symptom

TABLE = Path(__file__).with_suffix(".tsv")
QUIET = "!"
"""Sign of a role in which a good client shows its application no error."""


class Row(NamedTuple):
    """A scenario in one role."""

    kind: Symptom
    errors_count: bool


OTHER = Row(Symptom.ANSWER, errors_count=True)
"""The row of a scenario without one."""


@cache
def bounds_in(cell: Cell) -> HarmBounds:
    """Return what the harm of a cell's trials depends on."""
    row = rows().get((cell.scenario, cell.role), OTHER)
    session = session_ms(cell.client, cell.profile) if row.kind is Symptom.MEMBERSHIP else 0
    return bounds_of(cell.role, row.kind, cell.profile, errors_count=row.errors_count, session_ms=session)


def trial_harm(cell: Cell, verdict: Verdict) -> TrialHarm | None:
    """Return the harm of a trial of a cell; None if it says nothing about the client. A refused client stops."""
    if refused_by(cell, verdict.reason):
        return TrialHarm(rank=Harm.STOPS)
    return harm_of(verdict, bounds_in(cell))


@cache
def rows() -> Mapping[tuple[str, Role], Row]:
    """Return the table."""
    return dict(_read(TABLE.read_text(encoding="utf-8")))


def _read(text: str) -> Iterator[tuple[tuple[str, Role], Row]]:
    for line in text.splitlines():
        scenario, *roles = line.split("\t")
        for part in roles:
            role, _, kind = part.partition("=")
            yield (scenario, Role(role)), Row(Symptom(kind.removesuffix(QUIET)), kind.endswith(QUIET))
