"""Requests for tokens by client credentials, and their answers (RFC 6749, 4.4 and 5). Pure."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qs, unquote_plus

GRANT = "client_credentials"
JSON_TYPE = "application/json;charset=UTF-8"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, as far as it matters."""

    method: str
    headers: Mapping[str, str]
    """By lower-case names."""
    body: str

    @property
    def client(self) -> tuple[str, str]:
        """Return id and secret of the client, of the Authorization header or of the body; empty where there is none."""
        scheme, _, sent = self.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "basic":
            try:
                name, _, secret = base64.b64decode(sent, validate=True).decode().partition(":")
            except (binascii.Error, UnicodeDecodeError):
                return "", ""
            return unquote_plus(name), unquote_plus(secret)
        return self._field("client_id"), self._field("client_secret")

    @property
    def grant(self) -> str:
        """Return the kind of grant that is asked for."""
        return self._field("grant_type")

    def _field(self, name: str) -> str:
        return parse_qs(self.body).get(name, [""])[0]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the server: a token, or the name of an error."""

    status: HTTPStatus
    members: Mapping[str, str | int]

    @property
    def reason(self) -> str:
        """Return the name of the error; empty for a token."""
        return str(self.members.get("error", ""))

    def encoded(self) -> bytes:
        """Return the answer as HTTP/1.1 sends it; the connection ends after it."""
        body = json.dumps(self.members).encode()
        head = (
            f"HTTP/1.1 {self.status.value} {self.status.phrase}",
            f"Content-Type: {JSON_TYPE}",
            f"Content-Length: {len(body)}",
            "Cache-Control: no-store",
            "Connection: close",
        )
        return "\r\n".join((*head, "", "")).encode() + body


def refusal(asked: Asked, client: tuple[str, str]) -> Answer | None:
    """Return why a request gets no token (RFC 6749, 5.2), None if it does; `client` is the only id, with its secret."""
    if asked.method != "POST":
        return refused(HTTPStatus.METHOD_NOT_ALLOWED, "invalid_request")
    if asked.grant != GRANT:
        return refused(HTTPStatus.BAD_REQUEST, "unsupported_grant_type")
    if asked.client != client:
        return refused(HTTPStatus.UNAUTHORIZED, "invalid_client")
    return None


def refused(status: HTTPStatus, error: str) -> Answer:
    """Return an answer with an error."""
    return Answer(status, {"error": error})


def given(token: str, lifetime_s: int) -> Answer:
    """Return an answer with a token."""
    return Answer(HTTPStatus.OK, {"access_token": token, "token_type": "Bearer", "expires_in": lifetime_s})
