"""Scenarios with a profile, a security or a rack of their own. Look-ups read this without loading the scenarios."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from probe.model.profile import CONSUMER_PROTOCOL, REFRESHING, SHORT_LIMITS, Profile
from probe.model.rack import Rack
from probe.model.security import Security

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
_REFRESHING = ("follower/lagging", "group/member-joins-incomplete", "topic/grown-while-assigning")
OWN_PROFILES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(_SHORT, SHORT_LIMITS),
        **dict.fromkeys(_REFRESHING, REFRESHING),
        "group/classic-member-joins": CONSUMER_PROTOCOL,
    }
)
"""The profile by the name of the scenario."""
LOG_INS, TLS, TOKENS = "SASL_PLAINTEXT/SCRAM-SHA-512", "SSL", "SASL_PLAINTEXT/OAUTHBEARER"
CERTIFICATES = "SSL/CLIENT-AUTH"
"""Security with which scenarios about log-ins, TLS, tokens and certificates of clients are run, unless the user names
another one."""
_LOG_INS = (
    "auth/mechanism-off",
    "auth/password-rotated",
    "auth/session-expires",
    "auth/session-expires-idle",
    "auth/wrong-password",
)
_TLS = (
    "tls/authority-replaced",
    "tls/certificate-expired",
    "tls/client-certificate-missing",
    "tls/handshake-closed",
    "tls/name-mismatch",
)
_CERTIFICATES = ("tls/client-certificate-refused", "tls/client-certificate-renewed")
_TOKENS = ("auth/token-refused", "auth/token-server-away")
OWN_SECURITY: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(_LOG_INS, LOG_INS),
        **dict.fromkeys(_TLS, TLS),
        **dict.fromkeys(_TOKENS, TOKENS),
        **dict.fromkeys(_CERTIFICATES, CERTIFICATES),
    }
)
"""The security of the listener by the name of the scenario."""
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
    return _own(OWN_PROFILES, name)


def security_of(name: str) -> str:
    """Return the security that a scenario, or one that is derived from it, has of its own; empty for none.

    >>> security_of("auth/session-expires"), security_of("auth/revoked")
    ('SASL_PLAINTEXT/SCRAM-SHA-512', '')
    """
    return _own(OWN_SECURITY, name)


FOLLOWERS = "follower/"
"""Beginning of the names of scenarios about a follower that serves readers."""


def rack_of(name: str) -> Rack | None:
    """Return whose rack clients are in, in a scenario or one that is derived from it; None for no racks.

    >>> rack_of("close-during/follower/killed"), rack_of("disk/follower")
    (<Rack.FOLLOWER: 'follower'>, None)
    """
    return Rack.FOLLOWER if f"/{FOLLOWERS}" in f"/{name}" else None


def with_own(name: str, profile: Profile) -> Profile:
    """Return a profile with the security and the rack that a scenario has of its own, where none was asked for."""
    security = profile.security or (Security.parse(own) if (own := security_of(name)) else None)
    return replace(profile, security=security, rack=profile.rack or rack_of(name))


def _own(table: Mapping[str, str], name: str) -> str:
    return next((value for base, value in table.items() if f"/{name}".endswith(f"/{base}")), "")
