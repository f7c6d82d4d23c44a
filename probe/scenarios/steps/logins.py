"""Steps on what brokers ask of clients that log in, and on what these may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Refusal(StrEnum):
    """Reason for which a log-in is refused that was right before."""

    CREDENTIALS = "credentials"
    """The user has another password (58, SASL_AUTHENTICATION_FAILED)."""
    MECHANISM = "mechanism"
    """The mechanism is switched off, another one is enabled (33, UNSUPPORTED_SASL_MECHANISM)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseLogins:
    """All brokers refuse the clients' log-ins until reverted. Connections that have logged in stay."""

    by: Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class CutAllConnections:
    """The connections of clients to all brokers are reset, once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokePermissions:
    """The authorizer of all brokers denies the client its topic, group and transactional id, until reverted.

    They answer 29 about the topic, also in Metadata, 30 about the group, 53 about the transactional id.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveTokenServer:
    """The token server gives no token until reverted: it answers 503. Tokens that it gave stay valid to their end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseFirstToken:
    """Every broker refuses the first token that it is given, and takes the same one from then on."""


LoginStep = RefuseLogins | CutAllConnections | RevokePermissions | LeaveTokenServer | RefuseFirstToken
