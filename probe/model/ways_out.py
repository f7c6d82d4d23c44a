"""Remedies where a client does harm: another profile of the same version, a restart. Pure.

Look-ups ask stored cells, the matrix its own rows; both by these functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from probe.model.cell import Cell
from probe.model.harm import Harm
from probe.model.profile import DEFAULT_PROFILE, IDEMPOTENT, NO_RETRIES, Profile

RESTARTS = "start-during/"
"""Beginning of the names of scenarios in which a second instance starts under the fault of another scenario."""


class Measured(Protocol):
    """A cell with its answer."""

    @property
    def cell(self) -> Cell:
        """The cell."""

    @property
    def passes(self) -> bool:
        """Whether it proves that the client conforms, and that no acknowledged record was lost."""

    def is_comparable(self, other: Any, /) -> bool:
        """Return whether both were measured under conditions that can be compared."""


AnyMeasured = TypeVar("AnyMeasured", bound=Measured)


def mending_profiles(bad: Iterable[AnyMeasured], stored: Iterable[AnyMeasured]) -> dict[Cell, str]:
    """Return for each cell the first named profile in which the same version passes, where there is one.

    A client that retries nothing passes by showing the error, which mends nothing. Nor does another profile mend an
    idempotent producer: it may pass because records that are stored twice or out of order break no promise of it.
    """
    others: dict[Cell, list[AnyMeasured]] = {}
    for item in stored:
        profile = Profile.parse(item.cell.profile)
        if not profile.properties and profile.name != NO_RETRIES and item.passes:
            others.setdefault(replace(item.cell, profile=""), []).append(item)
    found = {}
    for one in bad:
        if Profile.parse(one.cell.profile).name == IDEMPOTENT:
            continue
        there = others.get(replace(one.cell, profile=""), ())
        names = sorted(item.cell.profile for item in there if item.is_comparable(one) and item.cell != one.cell)
        if names:
            found[one.cell] = names[0]
    return found


def restarts(stopped: Iterable[Cell], harms: Mapping[Cell, Harm]) -> dict[Cell, bool]:
    """Return for each cell whether a second instance works that starts under the fault, where that is known.

    `harms` has the harms of known cells; those of scenarios that begin with `RESTARTS` tell, in the same profile, else
    in the usual one.
    """
    found = {}
    for cell in stopped:
        again = replace(cell, scenario=f"{RESTARTS}{cell.scenario}")
        harm = harms.get(again, harms.get(replace(again, profile=DEFAULT_PROFILE)))
        if harm is not None:
            found[cell] = harm < Harm.STOPS
    return found
