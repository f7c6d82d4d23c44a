"""Session time-outs of groups: as a profile sets it, else the library's own default (`session_timeouts.toml`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from probe.model.cell import Client
from probe.model.group_settings import NEW_PROTOCOLS
from probe.model.harm import SESSION_MS, SHORT_SESSION_MS
from probe.model.profile import SHORT, Profile
from probe.model.versions import version_key

KEYS = frozenset(
    {
        "session.timeout.ms",
        "session_timeout_ms",
        "Consumer.Group.Session.Timeout",
        "Reader.SessionTimeout",
        "consumer.sessionTimeout",
        "group.sessionTimeout",
        "Consumer.session_timeout",
    }
)
"""The names of the setting in the libraries' own words."""
UNITS: Mapping[str, int] = MappingProxyType({"": 1, "ms": 1, "s": 1000, "m": 60_000})
"""The units of its values, in milliseconds."""
_TIME = re.compile(r"(\d+)(ms|s|m|)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeout:
    """The default of a span of versions of a family."""

    family: str
    ms: int
    source: str
    until: str = ""
    """Last version; empty = all later ones."""


def session_ms(client: Client, profile: str) -> int:
    """Return the session time-out of a member of a group, in milliseconds; the default of KIP-735 if none is known."""
    parsed = Profile.parse(profile)
    if parsed.name in NEW_PROTOCOLS:
        return SESSION_MS
    own = next((ms for key, value in parsed.properties if key in KEYS and (ms := _milliseconds(value))), 0)
    if own or parsed.name in SHORT:
        return own or SHORT_SESSION_MS
    return next(_defaults(client), SESSION_MS)


def _milliseconds(text: str) -> int:
    """Return a setting's value, such as `6000` or `6s`; 0 for one in another form."""
    found = _TIME.fullmatch(text)
    return int(found[1]) * UNITS[found[2]] if found else 0


def _defaults(client: Client) -> Iterator[int]:
    key = version_key(client.version)
    for row in timeouts():
        if row.family == client.family and (not row.until or key <= version_key(row.until)):
            yield row.ms


@cache
def timeouts() -> tuple[Timeout, ...]:
    """Return the table."""
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["timeout"]
    return tuple(Timeout(**row) for row in rows)
