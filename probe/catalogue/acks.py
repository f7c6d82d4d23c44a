"""Acknowledgement of a producer's writes, by its library, version and profile. Pure.

Trials report what was in effect (`acks` in the settings of `ready`); this is what the catalogue says without a trial.
"""

from __future__ import annotations

from dataclasses import dataclass

from probe.catalogue.families import Family
from probe.model import Cell, Profile
from probe.model.profile import IDEMPOTENT, OWN_DEFAULTS
from probe.model.roles import ROLES

NONE, ONE, ALL = "0", "1", "all"
_WORDS = {
    **dict.fromkeys(("0", "none", "noresponse"), NONE),
    **dict.fromkeys(("1", "local", "leader", "waitforlocal"), ONE),
    **dict.fromkeys(("all", "-1", "waitforall"), ALL),
}
"""Names of these in libraries, in lower case."""
ACKS_ONE = "acks-1"
"""The profile of producers that wait for the leader only; those of `IDEMPOTENT` wait for all replicas in sync."""
_PROFILES = {ACKS_ONE: ONE, IDEMPOTENT: ALL}

DEFAULT = "its default"


@dataclass(frozen=True, slots=True)
class Acks:
    """The brokers whose acknowledgement a write waits for."""

    value: str
    """`0`, `1`, `all`, or another value of the library's own property."""
    why: str
    """The source of the decision: the default, the profile, or the property."""

    @property
    def is_less(self) -> bool:
        """Whether at most the leader acknowledges."""
        return self.value in {NONE, ONE}

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
    if profile.name in _PROFILES:
        return Acks(_PROFILES[profile.name], f"by profile {profile.name}")
    return _unset(family, cell.version, profile.name)


def _unset(family: Family, version: str, profile: str) -> Acks:
    """Return what a library asks for in a profile that says nothing of it."""
    none = family.behaviour.acks_none
    if none is not None and none.covers(version):
        return Acks(NONE, DEFAULT) if profile == OWN_DEFAULTS else Acks(ALL, f"by profile {profile}")
    span = family.behaviour.acks_one
    return Acks(ONE if span is not None and span.covers(version) else ALL, DEFAULT)
