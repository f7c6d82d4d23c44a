"""Signed tokens of a run (RFC 7519, RS256). The key is in memory only."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # loaded with the first key
    from collections.abc import Mapping

    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

KEY_BITS, EXPONENT = 2048, 65_537
AUDIENCE, ISSUER = "kafka", "http://token-server.invalid"
"""The `aud` and `iss` of tokens: brokers from 4.4 on start only if they know what to expect there."""
MARKED = "run"
"""First member of a token's header. Its value begins with the mark of secrets, so every token has one `beginning`."""


@dataclass(frozen=True, slots=True)
class Issuer:
    """Signer of tokens."""

    mark: str
    """A secret text of the run."""
    key: RSAPrivateKey = field(repr=False)

    @property
    def public_key(self) -> str:
        """Return the key that checks signatures, as PEM."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: PLC0415  # see `new_issuer`

        return self.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()

    @property
    def key_set(self) -> str:
        """Return the same as a set of keys in JSON (RFC 7517)."""
        numbers = self.key.public_key().public_numbers()
        key = {"kty": "RSA", "use": "sig", "alg": "RS256", "n": _number(numbers.n), "e": _number(numbers.e)}
        return json.dumps({"keys": [key]})

    def token(self, subject: str, issued: int, lifetime_s: int) -> str:
        """Return a token of a subject, valid from `issued` (seconds since 1970) for that time."""
        from cryptography.hazmat.primitives import hashes  # noqa: PLC0415  # see `new_issuer`
        from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15  # noqa: PLC0415

        claims: dict[str, str | int] = {"sub": subject, "iss": ISSUER, "aud": AUDIENCE}
        claims |= {"iat": issued, "exp": issued + lifetime_s}
        signed = f"{_section({MARKED: self.mark, 'alg': 'RS256', 'typ': 'JWT'})}.{_section(claims)}"
        return f"{signed}.{_text(self.key.sign(signed.encode(), PKCS1v15(), hashes.SHA256()))}"


def new_issuer(mark: str) -> Issuer:
    """Make an issuer with a new key; `mark` begins with the mark of secrets."""
    from cryptography.hazmat.primitives.asymmetric import rsa  # noqa: PLC0415  # loaded by runs with tokens only

    return Issuer(mark, rsa.generate_private_key(EXPONENT, KEY_BITS))


def beginning(mark: str) -> str:
    """Return the text with which every token begins whose secret text begins with `mark`.

    >>> beginning("probe-secret-")
    'eyJydW4iOiJwcm9iZS1zZWNyZXQt'
    """
    begun = _json({MARKED: mark})[:-2].encode()
    return _text(begun[: len(begun) // 3 * 3])


def _section(members: Mapping[str, str | int]) -> str:
    return _text(_json(members).encode())


def _json(members: Mapping[str, str | int]) -> str:
    return json.dumps(members, separators=(",", ":"))


def _number(value: int) -> str:
    return _text(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def _text(data: bytes) -> str:
    """Return bytes as base64url without padding (RFC 7515, 2)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
