"""A client configuration as a value, with its written form and the parser of that form.

The written form is `NAME+KEY=VALUE+KEY=VALUE`, sorted by key. The embedded engine's election is written as the key
`election`. Text that would be ambiguous is escaped:

* a `+` in a name, a key or a value is doubled: `isolated+client.id=a++b`;
* `=` precedes a key that begins with `+` and a library's own key `election`: `isolated+=election=fast`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

from probe.model.cell import Outcome

MINUTE_MS = 60_000
SEPARATOR = "+"
ELECTION_KEY = "election"
LIBRARY_KEY = "="
"""Precedes a key of the library that would be read as something else."""
DEFAULT_PROFILE = "isolated"
"""The profile that is asked for where none is named and the scenario has none of its own."""
NO_RETRIES = "no-retries"
"""The profile in which the library itself retries nothing."""
SHORT_LIMITS = "short-limits"
"""The profile in which brokers and libraries give up an absent application within seconds."""
REFRESHING = "refresh-1s"
"""The profile with a refresh of metadata every second."""
STATIC_MEMBER, COOPERATIVE, AUTOCOMMIT = "static-member", "cooperative", "autocommit"
"""Profiles of groups as people run them, with short limits."""
SHORT = frozenset({SHORT_LIMITS, STATIC_MEMBER, COOPERATIVE, AUTOCOMMIT})
"""The profiles with short limits."""
ELECTION = r"(?<!\+)((?:\+\+)*)\+election=[0-9,]+(?!\+\+)(?![^+])"
"""The election in a written profile, after pluses (group 1) that end the value before it. Valid in Python and Java."""
_PARTS = re.compile(r"(\++)")
_REMEMBERED = 4096


@dataclass(frozen=True, slots=True, order=True)
class Election:
    """Time that the embedded engine takes to elect a leader, as set by the user. Unit: milliseconds."""

    ms: int
    """Time from the first hit until the new leader is in office."""
    shown_ms: int = 0
    """Time from then until the last broker names the new leader. The new leader itself names it at once."""

    def __str__(self) -> str:
        return f"{self.ms},{self.shown_ms}" if self.shown_ms else str(self.ms)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `MS` or `MS,MS`. Raises ValueError for anything else, and for more than a minute.

        >>> Election.parse("6772,400")
        Election(ms=6772, shown_ms=400)
        """
        found = cls(*(int(part) for part in text.split(",", 1)))
        if not (0 <= found.ms <= MINUTE_MS and 0 <= found.shown_ms <= MINUTE_MS):
            raise ValueError(f"{text} is not within a minute")
        return found


@dataclass(frozen=True, slots=True, order=True)
class Profile:
    """A named client configuration, with the additions of the command line.

    Raises ValueError for a property whose key is empty or contains `=`.
    """

    name: str
    properties: tuple[tuple[str, str], ...] = ()
    """The library's own keys and values, sorted by key. Every key occurs once."""
    election: Election | None = None
    """Election of the embedded engine, if the user set it."""

    def __post_init__(self) -> None:
        pairs = tuple(dict(sorted(self.properties)).items())
        for key, _ in pairs:
            if not key or "=" in key:
                raise ValueError(f"the property's key {key!r} is empty or contains '='")
        object.__setattr__(self, "properties", pairs)

    def __str__(self) -> str:
        """Return the form used in the matrix: `isolated+election=1000+linger.ms=5`."""
        parts = {key: f"{_key(key)}={_doubled(value)}" for key, value in self.properties}
        if self.election is not None:
            own = f"{ELECTION_KEY}={self.election}"
            parts[ELECTION_KEY] = SEPARATOR.join([own, *filter(None, [parts.get(ELECTION_KEY)])])
        return SEPARATOR.join([_doubled(self.name), *(parts[key] for key in sorted(parts))])

    @property
    def settings(self) -> tuple[str, ...]:
        """Return the properties in the form of `--property`: KEY=VALUE."""
        return tuple(f"{key}={value}" for key, value in self.properties)

    @staticmethod
    @lru_cache(maxsize=_REMEMBERED)
    def parse(text: str) -> Profile:
        """Parse the result of `str`. Any text is parsed as some profile, and its name is not checked.

        A part without `=` belongs to the part before it, since earlier versions did not double a `+` of a value.

        >>> Profile.parse("isolated+client.id=a++b+election=1000")
        Profile(name='isolated', properties=(('client.id', 'a+b'),), election=Election(ms=1000, shown_ms=0))
        """
        name, *parts = _parts(text)
        pairs: dict[str, str] = {}
        election: Election | None = None
        last = ""
        for part in parts:
            own = part.startswith(LIBRARY_KEY)
            key, equals, value = part.removeprefix(LIBRARY_KEY).partition("=")
            if not equals or not key:
                if last:
                    pairs[last] += f"{SEPARATOR}{part}"
                else:
                    name += f"{SEPARATOR}{part}"
            elif not own and key == ELECTION_KEY and (found := _election(value)) is not None:
                election = found
            else:
                pairs[key] = value
                last = key
        return Profile(name, tuple(pairs.items()), election)

    def plain(self) -> Profile:
        """Return the profile without properties."""
        return replace(self, properties=())

    def conforming(self, outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
        """Return the outcomes that conform in this profile. Where the library does not retry, an error may surface."""
        if self.name != NO_RETRIES or not outcomes or Outcome.SURFACES in outcomes:
            return outcomes
        return (*outcomes, Outcome.SURFACES)


def without_election(text: str) -> str:
    """Return a written profile without its election, which cannot be set on real brokers.

    >>> without_election("isolated+election=1000,40+linger.ms=5")
    'isolated+linger.ms=5'
    """
    return re.sub(ELECTION, r"\1", text)


def named_profile(text: str) -> str:
    """Return the name of a written profile, to be said where it is not the usual one; empty if it is.

    >>> named_profile("isolated+linger.ms=5"), named_profile("short-limits+linger.ms=5")
    ('', 'short-limits')
    """
    name = Profile.parse(text).name
    return "" if name == DEFAULT_PROFILE else name


def _election(text: str) -> Election | None:
    """Parse an election. None for a library's own key `election` as earlier versions wrote it."""
    try:
        return Election.parse(text)
    except ValueError:
        return None


def _key(key: str) -> str:
    own = key == ELECTION_KEY or key.startswith(SEPARATOR)
    return f"{LIBRARY_KEY if own else ''}{_doubled(key)}"


def _doubled(text: str) -> str:
    return text.replace(SEPARATOR, SEPARATOR * 2)


def _parts(text: str) -> Iterator[str]:
    """Yield the parts of a written profile.

    In a run of pluses every second one is text, and a remaining one separates.
    """
    part = ""
    for piece in _PARTS.split(text):
        if not piece.startswith(SEPARATOR):
            part += piece
            continue
        part += SEPARATOR * (len(piece) // 2)
        if len(piece) % 2:
            yield part
            part = ""
    yield part
