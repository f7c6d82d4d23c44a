"""A sweep: one thing that differs between cells that are otherwise equal, with its values.

The written form is that of `--over`: `election=0,100,200` for the election of the embedded engine, in milliseconds, or
`property:KEY=a,b,c` for a setting of the client. A value makes a profile, as `--election` and `--property` do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from probe.model.profile import DEFAULT_PROFILE, ELECTION_KEY, Election, Profile

PROPERTY = "property:"
"""Precedes the key of a client's setting."""
LEAST = 2
"""A sweep has at least this many values."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The axis of a sweep, and its values in the order in which they are shown."""

    key: str
    """The key of the client's setting. Empty = the election."""
    values: tuple[str, ...]

    def __str__(self) -> str:
        """Return the written form."""
        return f"{self.name}={','.join(self.values)}"

    @property
    def name(self) -> str:
        """The axis, as `--over` names it."""
        return PROPERTY + self.key if self.key else ELECTION_KEY

    @property
    def label(self) -> str:
        """The axis, as a picture names it."""
        return self.key or f"{ELECTION_KEY}, ms"

    @staticmethod
    @lru_cache
    def parse(text: str) -> Sweep:
        """Parse the written form; numbers are put in order. Raises ValueError with a reason for anything else.

        >>> Sweep.parse("election=350,100")
        Sweep(key='', values=('100', '350'))
        """
        name, _, listed = text.partition("=")
        key = name.removeprefix(PROPERTY) if name != ELECTION_KEY else ""
        values = tuple(dict.fromkeys(value.strip() for value in listed.split(",")))
        if name != ELECTION_KEY and not (name.startswith(PROPERTY) and key):
            raise ValueError(f"it is about {ELECTION_KEY} or {PROPERTY}KEY")
        if len(values) < LEAST or not all(values):
            raise ValueError(f"it needs at least {LEAST} different values, separated by commas")
        made = Sweep(key, _ordered(values))
        for value in values:
            made.profile(Profile(DEFAULT_PROFILE), value)
        return made

    def profile(self, base: Profile, value: str) -> Profile:
        """Return a profile with a value of the sweep. Raises ValueError for a value that cannot be set."""
        if self.key:
            return replace(base, properties=(*base.properties, (self.key, value)))
        return replace(base, election=Election.parse(value))

    def value(self, profile: Profile) -> str:
        """Return the value that a profile has. Empty = none."""
        if self.key:
            return dict(profile.properties).get(self.key, "")
        return "" if profile.election is None else str(profile.election)

    def base(self, profile: Profile) -> Profile:
        """Return a profile without what is swept."""
        if self.key:
            return replace(profile, properties=tuple(pair for pair in profile.properties if pair[0] != self.key))
        return replace(profile, election=None)


def _ordered(values: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return tuple(sorted(values, key=float))
    except ValueError:
        return values
