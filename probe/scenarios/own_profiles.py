"""The scenarios with a profile of their own. A look-up reads this without the scenarios, which take long to load."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from probe.model.profile import CONSUMER_PROTOCOL, REFRESHING, SHORT_LIMITS

_SHORT = (
    "client/paused",
    "client/slow-handler",
    "group/member-joins-leaderless",
    "group/member-killed",
    "group/member-paused",
    "net/idle-closed",
    "net/idle-dropped",
    "txn/timed-out",
)
_REFRESHING = ("group/member-joins-incomplete", "topic/grown-while-assigning")
OWN_PROFILES: Mapping[str, str] = MappingProxyType(
    {**dict.fromkeys(_SHORT, SHORT_LIMITS), **dict.fromkeys(_REFRESHING, REFRESHING)}
)
"""The profile by the name of the scenario."""
_OF_NEW_GROUPS = re.compile(r"/consumer-group-heartbeat/|/offset-(commit|fetch)/STALE_MEMBER_EPOCH$")
"""Generated scenarios that only members of the new group protocol meet."""


def profile_of(name: str) -> str:
    """Return the profile that a scenario, or one that is derived from it, has of its own; empty for none.

    >>> profile_of("close-during/net/idle-closed"), profile_of("net/reset")
    ('short-limits', '')
    >>> profile_of("blip/offset-commit/STALE_MEMBER_EPOCH")
    'consumer-protocol'
    """
    if _OF_NEW_GROUPS.search(name):
        return CONSUMER_PROTOCOL
    return next((profile for base, profile in OWN_PROFILES.items() if f"/{name}".endswith(f"/{base}")), "")
