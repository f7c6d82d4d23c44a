"""Steps on the TLS handshakes of a listener."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Flaw(StrEnum):
    """Reason for which a handshake fails that succeeded before."""

    EXPIRED = "expired"
    """The certificate's time is over; its names and its authority are right."""
    OTHER_NAME = "other-name"
    """The certificate is valid for another host."""
    OTHER_AUTHORITY = "other-authority"
    """The certificate is signed by an authority of the same name and another key, which clients do not trust."""
    CLIENT_REFUSED = "client-refused"
    """The listener asks for the client's certificate (ssl.client.auth=required) and trusts another authority than the
    clients': it refuses one of the run's authority."""
    CLOSED = "closed"
    """The listener ends the connection after the client's first bytes, without an alert."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoilHandshakes:
    """New connections to all brokers meet this flaw until reverted. Those that are open stay."""

    by: Flaw


@dataclass(frozen=True, slots=True, kw_only=True)
class AskForCertificates:
    """The listeners of all brokers, which ask for no certificate of the client, ask for one until reverted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewClientCertificate:
    """The file of the client's own certificate is replaced by one of another authority, and stays so."""


HandshakeStep = SpoilHandshakes | AskForCertificates | RenewClientCertificate
