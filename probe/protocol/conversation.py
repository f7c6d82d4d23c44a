"""Decode one connection without I/O: bytes of both directions in, requests and responses out."""

from __future__ import annotations

from collections import Counter, deque
from struct import Struct

from probe.model import Event, Request, Response
from probe.protocol.apis import API_VERSIONS, CONTROLLED_SHUTDOWN, FETCH, PRODUCE, SASL_HANDSHAKE
from probe.protocol.compiler import MALFORMED, skip_tags
from probe.protocol.decoder import Decoder
from probe.protocol.digest import ANSWERS, QUESTIONS
from probe.protocol.exchanges import NOTHING, request_event, response_event
from probe.protocol.frames import Frame, Splitter
from probe.protocol.names import api_name
from probe.protocol.rows import Asked, Body, Digest, Names
from probe.protocol.schemas import Schemas, Spec
from probe.protocol.sessions import FetchSessions

UNSUPPORTED_VERSION = 35
HIGHEST_API = 1000
MAX_PENDING = 10_000
SMALLEST_REQUEST, SMALLEST_ANSWER = 8, 4
"""Bytes of the shortest headers."""

_REQUEST = Struct(">hhi").unpack_from
_INT16 = Struct(">h").unpack_from
_INT32 = Struct(">i").unpack_from


class Conversation(Decoder):
    """The decoder of one connection.

    The methods never raise for bytes sent by peers. A body that cannot be read gives an event with `error`. Bytes that
    are not of Kafka's protocol give one more event with `error` (API -1). After that nothing is decoded any more, and
    `fault` contains the reason. After SaslHandshake version 0 the tokens of the log-in have no header of Kafka's
    (KIP-152): frames of both sides are passed over until a request of the definitions comes.
    """

    def __init__(
        self, conn: int, broker: int, schemas: Schemas, names: Names, sessions: FetchSessions | None = None
    ) -> None:
        super().__init__(conn, broker, schemas, names, sessions or FetchSessions())
        self.client_id = ""
        """Client id of the latest request."""
        self.fault = ""
        self.trailing = 0
        """Bytes after bodies that the definitions do not explain. Old librdkafka versions send them."""
        self.requests: Counter[int] = Counter()
        """Frames by API key, including those that were folded."""
        self.responses: Counter[int] = Counter()
        self.asking, self.answering = Splitter(0), Splitter(0)
        """The frames of both directions."""
        self._pending: deque[Asked] = deque()
        self._tokens = False  # they may come

    def client_bytes(self, data: bytes, at: int) -> list[Event]:
        """Process bytes from the client, the last at `at` microseconds. Return the completed events."""
        out: list[Event] = []
        if not self.fault:
            for frame in self.asking.feed(data):
                if not self._is_token(frame):
                    self.fold.take(self._request(frame, at), out)
                if self.fault:
                    break
            if self.asking.fault and not self.fault:
                out.append(self._broken_request(self.asking.fault, at))
        return out

    def broker_bytes(self, data: bytes, at: int) -> list[Event]:
        """Process bytes that were forwarded to the client at `at` microseconds. Return the completed events."""
        out: list[Event] = []
        if not self.fault:
            for frame in self.answering.feed(data):
                if self._pending or not self._tokens:
                    self.fold.take(self._response(frame, at), out)
                if self.fault:
                    break
            if self.answering.fault and not self.fault:
                out.append(self._broken_response(self.answering.fault, at))
        return out

    def expected(self, corr: int) -> int:
        """Return the API key of the request with this correlation id, -1 if there is none."""
        return next((asked.api for asked in self._pending if asked.corr == corr), -1)

    def _is_token(self, frame: Frame) -> bool:
        """Return whether a frame of the client is a token of a log-in, as none of the definitions begins with it."""
        if not self._tokens or frame.end - frame.start < SMALLEST_REQUEST:
            return self._tokens
        api, version, _ = _REQUEST(frame.data, frame.start)
        return self._schemas.request(api, version) is None

    def _request(self, frame: Frame, at: int) -> Request:
        data, start, end, size, _ = frame
        if end - start < SMALLEST_REQUEST:
            return self._broken_request(f"not Kafka: a request of {end - start} bytes", at)
        api, version, corr = _REQUEST(data, start)
        self._tokens = (api, version) == (SASL_HANDSHAKE, 0)
        if not (0 <= api <= HIGHEST_API and version >= 0):
            return self._broken_request(f"not Kafka: API key {api}, version {version}", at)
        self.requests[api] += 1
        asked, digest, error = Asked(corr, api, version, at), NOTHING, ""
        try:
            body = self._client_id(data, start + 8, end, asked)
            self._first.take(asked, frame, body)
            if api in QUESTIONS:
                asked, digest = self._question(frame, body, asked)
        except MALFORMED as problem:
            error = _reason(asked, "request", frame, problem)
        if digest.acks != 0 or api != PRODUCE:
            self._pending.append(asked)
        if len(self._pending) > MAX_PENDING:
            self.fault = f"more than {MAX_PENDING} requests without an answer"
        return request_event(
            asked,
            digest,
            conn=self.conn,
            broker=self.broker,
            client_id=self.client_id,
            size=size,
            error=error or self.fault,
        )

    def _client_id(self, data: bytes, p: int, end: int, asked: Asked) -> int:
        """Store the client id, which all header versions except the oldest contain. Return the position after it."""
        if asked.api == CONTROLLED_SHUTDOWN and asked.version == 0:
            return p
        length: int = _INT16(data, p)[0]
        p += 2
        stop = p + max(length, 0)
        if stop > end:
            raise ValueError("header ends early")
        self.client_id = data[p:stop].decode("utf-8", "replace")
        return stop

    def _question(self, frame: Frame, p: int, asked: Asked) -> tuple[Asked, Digest]:
        spec = _known(self._schemas.request(asked.api, asked.version), asked)
        body = self._read(spec, frame, skip_tags(frame.data, p) if spec.header > 1 else p)
        return self._sessions.read(asked, body, self._names)

    def _response(self, frame: Frame, at: int) -> Response:
        data, start, end, size, _ = frame
        if end - start < SMALLEST_ANSWER:
            return self._broken_response(f"not Kafka: an answer of {end - start} bytes", at)
        (corr,) = _INT32(data, start)
        asked = self._take(corr)
        if asked is None:
            return self._broken_response(f"no request with correlation id {corr}", at)
        self.responses[asked.api] += 1
        digest, error = NOTHING, ""
        try:
            if asked.api in ANSWERS:
                digest = self._answer(frame, asked)
        except MALFORMED as problem:
            error = _reason(asked, "response", frame, problem)
            digest = Digest(code=UNSUPPORTED_VERSION) if _refuses_version(frame, asked) else NOTHING
        return response_event(asked, digest, at=at, conn=self.conn, broker=self.broker, size=size, error=error)

    def _answer(self, frame: Frame, asked: Asked) -> Digest:
        version, p = asked.version, frame.start + 4
        if _refuses_version(frame, asked):
            version = 0  # a broker that does not know the version answers in the oldest one (KIP-511)
        spec = _known(self._schemas.response(asked.api, version), asked)
        body = self._read(spec, frame, skip_tags(frame.data, p) if spec.header > 0 else p)
        if asked.api == FETCH:
            self._sessions.answered(body, asked)
        self._first.answered(asked.api, body)
        return ANSWERS[asked.api](body, asked, self._names)

    def _read(self, spec: Spec, frame: Frame, p: int) -> Body:
        body, stop = spec.body(frame, p)
        if frame.whole:
            self.trailing += frame.end - stop
        return body

    def _take(self, corr: int) -> Asked | None:
        """Remove and return the request of an answer. Brokers answer in order, so it is nearly always the first one."""
        for index, asked in enumerate(self._pending):
            if asked.corr == corr:
                del self._pending[index]
                return asked
        return None

    def _broken_request(self, fault: str, at: int) -> Request:
        self.fault = fault
        return Request(
            at=at,
            conn=self.conn,
            broker=self.broker,
            corr=-1,
            api=-1,
            version=-1,
            client_id=self.client_id,
            error=f"{fault}; this connection is not decoded any more",
        )

    def _broken_response(self, fault: str, at: int) -> Response:
        self.fault = fault
        error = f"{fault}; this connection is not decoded any more"
        return Response(at=at, conn=self.conn, broker=self.broker, corr=-1, api=-1, version=-1, sent_at=at, error=error)


def _refuses_version(frame: Frame, asked: Asked) -> bool:
    """Return whether an answer to ApiVersions begins with UNSUPPORTED_VERSION, which all its versions begin with."""
    p = frame.start + 4
    return asked.api == API_VERSIONS and frame.end >= p + 2 and _INT16(frame.data, p) == (UNSUPPORTED_VERSION,)


class UnknownVersionError(ValueError):
    """No definition contains this version."""


def _known(spec: Spec | None, asked: Asked) -> Spec:
    if spec is None:
        raise UnknownVersionError(f"{api_name(asked.api)} version {asked.version} is in none of the definitions")
    return spec


def _reason(asked: Asked, kind: str, frame: Frame, problem: Exception) -> str:
    """Return in one line which body could not be read, and why."""
    if isinstance(problem, UnknownVersionError):
        return str(problem)
    if not frame.whole:
        kept = "some were lost" if frame.holes else f"only the first {frame.end - frame.start} were kept"
        return f"{api_name(asked.api)} {kind} of {frame.size} bytes, of which {kept}"
    return f"{api_name(asked.api)} v{asked.version} {kind} does not fit its definition"
