"""Access of clients to a listener with security: what the run gives them, and the relay's own part of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from probe.model.security import Security
from probe.token_issuer import Issuer

if TYPE_CHECKING:  # a plan needs none of it
    from collections.abc import Mapping
    from ssl import SSLContext


RIGHT = ""
"""The name of what brokers present, and of whom they trust, without a fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Security of a listener with the credentials of one run. They are written into no result, log or capture."""

    security: Security
    user: str = ""
    """The user, who is also the client of token servers."""
    password: str = field(default="", repr=False)
    """The user's password, or the client's secret."""
    issuer: Issuer | None = field(default=None, repr=False, compare=False)
    """The signer of the tokens of OAUTHBEARER; None without it."""
    token_endpoint: str = field(default="", compare=False)
    """The URL at which clients of one trial get these tokens."""
    authority: str = field(default="", repr=False)
    """Certificate of the run's authority (PEM), which clients trust; empty without TLS."""
    authority_file: str = ""
    """The same as a file of the run's, for libraries that take no text."""
    certificate: str = field(default="", repr=False)
    """The client's own certificate (PEM), where brokers ask for one; else empty."""
    key: str = field(default="", repr=False, compare=False)
    """Its key (PEM)."""
    certificate_file: str = ""
    """Key and certificate as a file of the run's or the trial's, for libraries that take no text."""
    renewed: str = field(default="", repr=False, compare=False)
    """Key and a certificate of another authority (PEM), which brokers accept, too."""
    server: SSLContext | None = field(default=None, repr=False, compare=False)
    """The relay's side of TLS, with a certificate of that authority; None without TLS."""
    flawed: Mapping[str, SSLContext] = field(default_factory=dict, repr=False, compare=False)
    """The same with what makes handshakes fail, by the reason (`probe.scenarios.steps.handshakes.Flaw`)."""
    key_stores: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Key and certificate of brokers that end TLS themselves (PEM), by the flaw; `RIGHT` without one."""
    trust_stores: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Authorities of clients that such brokers trust (PEM), in the same way; empty where they ask for none."""
    session_ms: int = 0
    """Time after which a log-in has to be renewed (KIP-368); 0 = never."""


class TlsPassage(Protocol):
    """A relay's way to pass TLS through to brokers that end it."""

    meant: bool
    """Whether handshakes are meant to fail."""

    def begin(self) -> None:
        """Pass the bytes of new connections through unread from now on."""

    def logged(self, line: str, at: int) -> None:
        """Take a line of a broker's request log, read at `at` microseconds: it says what passed unread."""


class TlsListener(Protocol):
    """A relay, as far as TLS goes (`probe.ports.RelayPort`)."""

    @property
    def passage(self) -> TlsPassage:
        """Return how it passes TLS through, if it does."""

    def secure(self, tls: SSLContext) -> None:
        """Speak TLS with clients from now on."""


def secure_relay(relay: TlsListener, access: Access | None, *, own_tls: bool = False) -> None:
    """Let a relay speak TLS with clients, where these do, or pass it through to brokers that have their `own_tls`."""
    if own_tls:
        relay.passage.begin()
    elif access is not None and access.server is not None:
        relay.secure(access.server)
