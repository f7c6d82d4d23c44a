"""Scenarios with a profile or a security of their own. Look-ups read this without the scenarios, which load slowly."""

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
LOG_INS, TLS, TOKENS = "SASL_PLAINTEXT/SCRAM-SHA-512", "SSL", "SASL_PLAINTEXT/OAUTHBEARER"
"""Security with which scenarios about log-ins, TLS and tokens are run, unless the user names another one."""
_LOG_INS = (
    "auth/mechanism-off",
    "auth/password-rotated",
    "auth/session-expires",
    "auth/session-expires-idle",
    "auth/wrong-password",
)
_TLS = ("tls/authority-replaced", "tls/certificate-expired", "tls/handshake-closed", "tls/name-mismatch")
_TOKENS = ("auth/token-server-away",)
OWN_SECURITY: Mapping[str, str] = MappingProxyType(
    {**dict.fromkeys(_LOG_INS, LOG_INS), **dict.fromkeys(_TLS, TLS), **dict.fromkeys(_TOKENS, TOKENS)}
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


def _own(table: Mapping[str, str], name: str) -> str:
    return next((value for base, value in table.items() if f"/{name}".endswith(f"/{base}")), "")
