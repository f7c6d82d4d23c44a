"""A client configuration as a value, with its written form and the parser of that form.

The written form is `NAME+KEY=VALUE+KEY=VALUE`, sorted by key. What a profile has beside the settings of the library is
written as an own key (`OWN_KEYS`): `election` of the embedded engine, `rack` of the client, `security` of the listener.
Text that would be ambiguous is escaped:

* a `+` in a name, a key or a value is doubled: `isolated+client.id=a++b`;
* `=` precedes a library's key that begins with `+` or is the same as an own key: `isolated+=election=fast`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Self

from probe.model.cell import Outcome
from probe.model.rack import Rack
from probe.model.security import Security

MINUTE_MS = 60_000
SEPARATOR = "+"
ELECTION_KEY, RACK_KEY, SECURITY_KEY = "election", "rack", "security"
LIBRARY_KEY = "="
"""Precedes a key of the library that would be read as something else."""
DEFAULT_PROFILE = "isolated"
"""The profile that is asked for where none is named and the scenario has none of its own."""
NO_RETRIES = "no-retries"
"""The profile in which the library itself retries nothing."""
IDEMPOTENT = "idempotent"
"""The profile of producers that store each record once and in order, with acks=all."""
SHORT_LIMITS = "short-limits"
"""The profile in which brokers and libraries give up an absent application within seconds."""
OWN_DEFAULTS = "defaults"
"""The profile of the library's own defaults, in which clients are observed to the end."""
REFRESHING = "refresh-1s"
"""The profile with a refresh of metadata every second."""
STATIC_MEMBER, COOPERATIVE, AUTOCOMMIT = "static-member", "cooperative", "autocommit"
"""Profiles of groups as people run them, with short limits."""
CONSUMER_PROTOCOL = "consumer-protocol"
"""The profile of the new group protocol (KIP-848), in which brokers set session and heartbeats."""
STREAMS_PROTOCOL = "streams-protocol"
"""The profile of Kafka Streams' own group protocol (KIP-1071), in which brokers set session and heartbeats."""
READ_COMMITTED = "read-committed"
"""The profile of readers of committed records: `isolated` with the setting that the library has for them."""
SHORT = frozenset({SHORT_LIMITS, STATIC_MEMBER, COOPERATIVE, AUTOCOMMIT})
"""The profiles with short limits."""
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


@dataclass(frozen=True, slots=True)
class OwnKey:
    """A key of ours in a written profile, which the library does not get. `Profile` has a field of its name."""

    key: str
    values: str
    """Regular expression of its written values, without groups and pluses. Valid in Python and Java."""
    parse: Callable[[str], Any]
    """Parses a written value into that of the field; `str` writes it again. ValueError for any other text."""

    @property
    def pattern(self) -> str:
        """Return the regular expression of its part of a written profile. Valid in Python and Java.

        Group 1 has the pluses that end the value before it.
        """
        return rf"(?<!\+)((?:\+\+)*)\+{re.escape(self.key)}={self.values}(?!\+\+)(?![^+])"

    def without(self, text: str) -> str:
        """Return a written profile without this key."""
        return re.sub(self.pattern, r"\1", text)

    def read(self, text: str) -> Any:
        """Parse a value. None for a library's key of this name, as earlier versions wrote it."""
        try:
            return self.parse(text)
        except ValueError:
            return None


OWN_KEYS: Mapping[str, OwnKey] = MappingProxyType(
    {
        row.key: row
        for row in (
            OwnKey(ELECTION_KEY, "[0-9,]+", Election.parse),
            OwnKey(RACK_KEY, "[a-z]+", Rack.parse),
            OwnKey(SECURITY_KEY, "[A-Z0-9_/-]+", Security.parse),
        )
    }
)
"""The own keys by name. Their order in a written profile, parser and escapes follow from this table."""


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
    security: Security | None = None
    """Security of the listener; None = PLAINTEXT."""
    rack: Rack | None = None
    """Rack of the client, and racks of the brokers; None = neither has any."""

    def __post_init__(self) -> None:
        pairs = tuple(dict(sorted(self.properties)).items())
        for key, _ in pairs:
            if not key or "=" in key:
                raise ValueError(f"the property's key {key!r} is empty or contains '='")
        object.__setattr__(self, "properties", pairs)

    def __str__(self) -> str:
        """Return the form used in the matrix: `isolated+election=1000+linger.ms=5`."""
        own = [(key, 0, f"{key}={value}") for key, value in self.own]
        settings = [(key, 1, f"{_key(key)}={_doubled(value)}") for key, value in self.properties]
        return SEPARATOR.join([_doubled(self.name), *(part for _, _, part in sorted(own + settings))])

    @property
    def driven(self) -> str:
        """Return the name of the profile in the start message of a driver."""
        return DEFAULT_PROFILE if self.name == READ_COMMITTED else self.name

    @property
    def settings(self) -> tuple[str, ...]:
        """Return the properties in the form of `--property`: KEY=VALUE."""
        return tuple(f"{key}={value}" for key, value in self.properties)

    @property
    def own(self) -> tuple[tuple[str, str], ...]:
        """Return the own keys that are set, with their written values. Commands have an option of each name."""
        return tuple((key, str(value)) for key in OWN_KEYS if (value := getattr(self, key)) is not None)

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
        ours: dict[str, Any] = {}
        last = ""
        for part in parts:
            escaped = part.startswith(LIBRARY_KEY)
            key, equals, value = part.removeprefix(LIBRARY_KEY).partition("=")
            if not equals or not key:
                if last:
                    pairs[last] += f"{SEPARATOR}{part}"
                else:
                    name += f"{SEPARATOR}{part}"
            elif not escaped and key in OWN_KEYS and (found := OWN_KEYS[key].read(value)) is not None:
                ours[key] = found
            else:
                pairs[key] = value
                last = key
        return Profile(name, tuple(pairs.items()), **ours)

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
    return OWN_KEYS[ELECTION_KEY].without(text)


def named_profile(text: str) -> str:
    """Return the name of a written profile, to be said where it is not the usual one; empty if it is.

    >>> named_profile("isolated+linger.ms=5"), named_profile("short-limits+linger.ms=5")
    ('', 'short-limits')
    """
    name = Profile.parse(text).name
    return "" if name == DEFAULT_PROFILE else name


def _key(key: str) -> str:
    ambiguous = key in OWN_KEYS or key.startswith(SEPARATOR)
    return f"{LIBRARY_KEY if ambiguous else ''}{_doubled(key)}"


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
