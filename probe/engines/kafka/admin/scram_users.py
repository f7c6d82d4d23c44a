"""Users of SCRAM (RFC 5802): what brokers keep of a password, by request (KIP-554) or in a ZooKeeper node (KIP-84)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from probe.access import Access
from probe.engines.kafka.admin.requests import check
from probe.engines.kafka.admin.wire import Line, Writer
from probe.model.security import Mechanism
from probe.protocol import apis

ITERATIONS = 4096
"""Kafka's default, and its least."""
SALT_BYTES = 16
HASHES: Mapping[Mechanism, tuple[int, str]] = {
    Mechanism.SCRAM_SHA_256: (1, "sha256"),
    Mechanism.SCRAM_SHA_512: (2, "sha512"),
}
"""By mechanism: its number in requests, and its hash."""


@dataclass(frozen=True, slots=True)
class ScramUser:
    """A user with a password."""

    mechanism: Mechanism
    name: str
    password: str = field(repr=False)
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(SALT_BYTES))

    @property
    def salted(self) -> bytes:
        """Return the salted password."""
        return hashlib.pbkdf2_hmac(HASHES[self.mechanism][1], self.password.encode(), self.salt, ITERATIONS)

    @property
    def kept(self) -> str:
        """Return what brokers keep, as the value of a configuration."""
        made, salted = HASHES[self.mechanism][1], self.salted
        stored = hashlib.new(made, hmac.digest(salted, b"Client Key", made)).digest()
        server = hmac.digest(salted, b"Server Key", made)
        texts = (base64.b64encode(raw).decode() for raw in (self.salt, stored, server))
        return "salt={},stored_key={},server_key={},iterations={}".format(*texts, ITERATIONS)


def scram_users(access: Access | None) -> list[ScramUser]:
    """Return the users that brokers must know, so that the clients of a run can log in."""
    mechanism = None if access is None else access.security.mechanism
    if access is None or mechanism is None or not mechanism.scram:
        return []
    return [ScramUser(mechanism, access.user, access.password)]


async def alter_scram_user(line: Line, user: ScramUser) -> None:
    """Set a user's password. BrokerError with the code."""
    body = Writer().varint(1).varint(2).compact(user.name).pack("bi", HASHES[user.mechanism][0], ITERATIONS)
    for raw in (user.salt, user.salted):
        body.varint(len(raw) + 1)
        body.data += raw
    body.varint(0).varint(0)
    answer = await line.ask(apis.ALTER_USER_SCRAM_CREDENTIALS, 0, body, flexible=True)
    answer.number("i")
    for _ in range(answer.varint() - 1):
        answer.compact()
        code, text = answer.number("h"), answer.compact()
        answer.tags()
        check(f"setting the password of {user.name}", code, text)
