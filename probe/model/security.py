"""Security of a listener as its clients meet it: protocol and mechanism, by Kafka's own names. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from probe.model.release_lines import Since, has

SEPARATOR = "/"


class SecurityProtocol(StrEnum):
    """Kafka's `security.protocol`, but PLAINTEXT: a profile without security has that."""

    SSL = "SSL"
    SASL_PLAINTEXT = "SASL_PLAINTEXT"
    SASL_SSL = "SASL_SSL"

    @property
    def tls(self) -> bool:
        """Whether connections are encrypted."""
        return self is not SecurityProtocol.SASL_PLAINTEXT

    @property
    def sasl(self) -> bool:
        """Whether clients log in."""
        return self is not SecurityProtocol.SSL


class Mechanism(StrEnum):
    """Kafka's `sasl.mechanism`."""

    PLAIN = "PLAIN"
    SCRAM_SHA_256 = "SCRAM-SHA-256"
    SCRAM_SHA_512 = "SCRAM-SHA-512"
    OAUTHBEARER = "OAUTHBEARER"

    @property
    def scram(self) -> bool:
        """Whether it is one of the salted challenges (RFC 5802)."""
        return self in {Mechanism.SCRAM_SHA_256, Mechanism.SCRAM_SHA_512}


SSL = str(SecurityProtocol.SSL)
"""The name under which `client.toml` says that a family has TLS, beside the names of mechanisms."""
CLIENT_AUTH = "CLIENT-AUTH"
"""The name of TLS in which brokers ask for a certificate of the client's, too (`ssl.client.auth=required`)."""
NAMES = (SSL, CLIENT_AUTH, *map(str, Mechanism))
"""Names that a family declares in `[security.NAME]` of its client.toml."""
SINCE: Mapping[str, Since] = {
    SSL: Since.TLS,
    CLIENT_AUTH: Since.TLS,
    Mechanism.PLAIN: Since.SASL_PLAIN,
    Mechanism.SCRAM_SHA_256: Since.SASL_SCRAM,
    Mechanism.SCRAM_SHA_512: Since.SASL_SCRAM,
    Mechanism.OAUTHBEARER: Since.SIGNED_TOKENS,
}
"""The release lines whose brokers have each of them."""


@dataclass(frozen=True, slots=True, order=True)
class Security:
    """Protocol of the listener, and how clients log in there.

    Written `SASL_SSL/SCRAM-SHA-512`, `SSL` alone, or `SSL/CLIENT-AUTH`.
    """

    protocol: SecurityProtocol
    mechanism: Mechanism | None = None
    client_auth: bool = False
    """Whether brokers ask for a certificate of the client's, which it has. Only with SSL."""

    def __str__(self) -> str:
        second = CLIENT_AUTH if self.client_auth else self.mechanism
        return SEPARATOR.join(map(str, filter(None, (self.protocol, second))))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the written form. ValueError, with the reason and the way out, for anything else.

        >>> str(Security.parse("SASL_PLAINTEXT/PLAIN"))
        'SASL_PLAINTEXT/PLAIN'
        """
        first, _, second = text.partition(SEPARATOR)
        if first == "PLAINTEXT":
            raise ValueError("PLAINTEXT is what clients have without it; leave it out")
        if first not in list(SecurityProtocol):
            raise ValueError(f"there is no protocol {first!r}; write {', '.join(SecurityProtocol)}")
        protocol = SecurityProtocol(first)
        if not protocol.sasl:
            if text not in {protocol, f"{protocol}{SEPARATOR}{CLIENT_AUTH}"}:
                raise ValueError(f"{protocol} has no log-in, so write {protocol} or {protocol}/{CLIENT_AUTH}")
            return cls(protocol, client_auth=second == CLIENT_AUTH)
        if second not in list(Mechanism):
            known = f"write {protocol}/MECHANISM with one of {', '.join(Mechanism)}"
            raise ValueError(
                f"{f'there is no mechanism {second!r}' if second else 'the mechanism is missing'}; {known}"
            )
        return cls(protocol, Mechanism(second))

    @property
    def needs(self) -> tuple[str, ...]:
        """Return what clients and brokers must have of `NAMES`."""
        own = CLIENT_AUTH if self.client_auth else ""
        return tuple(filter(None, (SSL if self.protocol.tls else "", own, str(self.mechanism or ""))))

    def beyond(self, other: Security) -> str:
        """Return what this has and another lacks, in words; empty where it lacks nothing.

        >>> Security.parse("SSL").beyond(Security.parse("SASL_PLAINTEXT/PLAIN"))
        'TLS'
        """
        if self.protocol.sasl and not other.protocol.sasl:
            return "log-ins"
        if self.mechanism is Mechanism.OAUTHBEARER and other.mechanism is not self.mechanism:
            return "tokens"
        if self.client_auth and not other.client_auth:
            return "certificates of clients"
        return "TLS" if self.protocol.tls and not other.protocol.tls else ""

    def missing_on(self, line: str) -> str:
        """Return why brokers of a release line do not have it; empty if they do."""
        for name in self.needs:
            if not has(line, SINCE[name]):
                return f"brokers have {name} since Kafka {SINCE[name].line}: {SINCE[name].reason}"
        return ""
