"""Acknowledgement of a producer's writes, by its library, version and profile. Pure.

Trials report what was in effect (`acks` in the settings of `ready`); this is what the catalogue says without a trial.
"""

from __future__ import annotations

from dataclasses import dataclass

from probe.catalogue.families import Family
from probe.model import Cell, Profile
from probe.model.roles import ROLES

ONE, ALL = "1", "all"
_WORDS = {
    **dict.fromkeys(("1", "local", "leader", "waitforlocal"), ONE),
    **dict.fromkeys(("all", "-1", "waitforall"), ALL),
}
"""Names of these two in libraries, in lower case."""
ACKS_ONE, IDEMPOTENT = "acks-1", "idempotent"
"""Profiles that decide it: the first waits for the leader only, the second for all replicas in sync."""


DEFAULT = "its default"


@dataclass(frozen=True, slots=True)
class Acks:
    """The brokers whose acknowledgement a write waits for."""

    value: str
    """`1`, `all`, or another value of the library's own property."""
    why: str
    """The source of the decision: the default, the profile, or the property."""

    @property
    def is_one(self) -> bool:
        """Whether the leader alone acknowledges."""
        return self.value == ONE

    @property
    def is_all(self) -> bool:
        """Whether all replicas in sync have what is acknowledged."""
        return self.value == ALL

    def __str__(self) -> str:
        return f"acks={self.value}, {self.why}"


def acks_of(family: Family, cell: Cell) -> Acks:
    """Return how the writes of a cell are acknowledged; of properties the library's own words for it count."""
    profile = Profile.parse(cell.profile)
    if ROLES[cell.role].transactional:
        return Acks(ALL, "as transactions need")
    for key, value in profile.properties:
        if "acks" in key.lower():
            return Acks(_WORDS.get(value.lower(), value), f"by {key}={value}")
        if "idempoten" in key.lower() and value.lower() == "true":
            return Acks(ALL, f"by {key}={value}")
    if profile.name == ACKS_ONE:
        return Acks(ONE, f"by profile {ACKS_ONE}")
    if profile.name == IDEMPOTENT:
        return Acks(ALL, f"by profile {IDEMPOTENT}")
    span = family.behaviour.acks_one
    return Acks(ONE if span is not None and span.covers(cell.version) else ALL, DEFAULT)
