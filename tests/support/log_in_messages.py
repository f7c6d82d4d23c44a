"""Messages of a client that logs in, for recordings in which they are blank.

SCRAM: RFC 5802, 3 and 7. OAUTHBEARER: RFC 7628, 3.1; Kafka's brokers refuse a token with a message, which the client
answers with 0x01.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable, Generator
from struct import Struct

from probe.protocol.apis import SASL_AUTHENTICATE
from probe.protocol.compiler import uvarint
from tests.support.protocol_wire import varint

Messages = Generator[bytes, bytes, None]
"""Yields what a client sends, and is sent what the broker answers."""
LogIn = Callable[[], Messages]
_INT16, _INT32, _HEADER = Struct(">h"), Struct(">i"), Struct(">hhih")
FLEXIBLE = 2
"""First version of SaslAuthenticate with compact fields and tags."""


def scram_sha_512(user: str, password: str) -> LogIn:
    """Return the log-in of a user."""

    def messages() -> Messages:
        bare = f"n={user},r={secrets.token_hex(16)}".encode()
        told = yield b"n,," + bare
        fields = dict(part.split(b"=", 1) for part in told.split(b","))
        salted = hashlib.pbkdf2_hmac("sha512", password.encode(), base64.b64decode(fields[b"s"]), int(fields[b"i"]))
        key = hmac.digest(salted, b"Client Key", "sha512")
        final = b"c=biws,r=" + fields[b"r"]
        signature = hmac.digest(hashlib.sha512(key).digest(), b",".join((bare, told, final)), "sha512")
        proof = bytes(one ^ other for one, other in zip(key, signature, strict=True))
        yield final + b",p=" + base64.b64encode(proof)

    return messages


def bearer(token: Callable[[], str]) -> LogIn:
    """Return the log-in with a token."""

    def messages() -> Messages:
        yield b"n,,\x01auth=Bearer " + token().encode() + b"\x01\x01"
        yield b"\x01"

    return messages


def with_message(request: bytes, message: bytes) -> bytes:
    """Return a SaslAuthenticate request, without its length, with another message.

    >>> with_message(b"\\x00$\\x00\\x01\\x00\\x00\\x00\\x07\\x00\\x01c\\x00\\x00\\x00\\x02\\x00\\x00", b"abc")
    b'\\x00$\\x00\\x01\\x00\\x00\\x00\\x07\\x00\\x01c\\x00\\x00\\x00\\x03abc'
    """
    api, version, _, name = _HEADER.unpack_from(request)
    assert api == SASL_AUTHENTICATE
    head = request[: _HEADER.size + max(0, name)]
    if version < FLEXIBLE:
        return head + _INT32.pack(len(message)) + message
    return head + b"\0" + varint(len(message) + 1) + message + b"\0"


def message_of(answer: bytes, version: int) -> bytes:
    """Return the message in an answer to SaslAuthenticate, without its length.

    >>> message_of(b"\\x00\\x00\\x00\\x07\\x00\\x00\\xff\\xff\\x00\\x00\\x00\\x03abc" + bytes(8), 1)
    b'abc'
    """
    if version < FLEXIBLE:
        at = 8 + max(0, _INT16.unpack_from(answer, 6)[0])
        return answer[at + 4 : at + 4 + _INT32.unpack_from(answer, at)[0]]
    size, at = uvarint(answer, 7)
    size, at = uvarint(answer, at + max(0, size - 1))
    return answer[at : at + size - 1]
