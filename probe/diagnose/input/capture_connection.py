"""Decode a connection from a capture, which may lack its beginning and some of its bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from struct import Struct

from probe.diagnose.input.boundaries import HEADER, HEADER_SIZE, Ranges, answer_start, is_request, request_start
from probe.diagnose.observation import LogIn
from probe.model import Event
from probe.protocol.advertised_nodes import Nodes
from probe.protocol.conversation import MAX_PENDING, Conversation
from probe.protocol.exchanges import NOTHING, response_event
from probe.protocol.frames import PREFIX, Frame, Splitter
from probe.protocol.log_requests import AMONG_BROKERS
from probe.protocol.names import api_key
from probe.protocol.rows import Asked, Digest, Names
from probe.protocol.schemas import Schemas
from probe.protocol.sessions import FetchSessions

OF_BROKERS = frozenset(map(api_key, AMONG_BROKERS))
"""APIs that only brokers and controllers send."""
REPLICA = re.compile(r"broker-\d+-fetcher-\d+|raft-client-\d+")
"""Client ids of `kafka.server.ReplicaFetcherManager` and `org.apache.kafka.raft.KafkaRaftClient`."""
FIRST_REQUESTS = 4
"""Requests by which a connection among brokers is recognised."""
STRANGE = 8
"""Answers without a request, in a row, after which the beginning of an answer is searched for."""
_CORRELATION = Struct(">i").unpack_from
LOST_ANSWER = "the answer is not in the capture"


class Overheard(Conversation):
    """The decoder of one captured connection.

    Where bytes are lost, it goes on at the next message that it can recognise.
    """

    def __init__(
        self,
        conn: int,
        broker: int,
        schemas: Schemas,
        names: Names,
        sessions: FetchSessions,
        ranges: Ranges,
    ) -> None:
        super().__init__(conn, broker, schemas, names, sessions)
        self.nodes = Nodes()
        """Takes the addresses that answers name."""
        self.among_brokers = False
        """Only brokers send what was sent."""
        self._ranges = ranges
        self._seeking = [False, False]
        """The next message of the client, and of the broker, has to be found."""
        self._unchecked = FIRST_REQUESTS
        self._strange = 0

    @property
    def log_in(self) -> LogIn | None:
        """Return how the client logged in, as far as it was seen; None if it did not."""
        first = self._first
        return LogIn(first.mechanism, first.session_ms) if first.mechanism or first.session_ms else None

    def seek(self, *, client: bool) -> None:
        """Search for the next message of a side: what its next bytes belong to is not known."""
        if client:
            self.asking, self._tokens = Splitter(0), False
        else:
            self.answering, self._strange = Splitter(0), 0
        self._seeking[not client] = True

    def client_bytes(self, data: bytes, at: int) -> list[Event]:
        """Process bytes from the client. Return the completed events."""
        if self._seeking[0]:
            if (start := request_start(data, self._ranges, self._schemas, within=True)) < 0:
                return []
            self._seeking[0], data = False, data[start:]
        return self._asked(self.asking.feed(data), at)

    def broker_bytes(self, data: bytes, at: int) -> list[Event]:
        """Process bytes from the broker. Return the completed events."""
        if self._seeking[1]:
            if (start := answer_start(data, [asked.corr for asked in self._pending])) < 0:
                return []
            self._seeking[1], data = False, data[start:]
        return self._answered(self.answering.feed(data), at)

    def lose(self, count: int, at: int, *, client: bool) -> list[Event]:
        """Take note that the next bytes of a side are not in the capture. Return the completed events."""
        splitter = self.asking if client else self.answering
        missing, _ = splitter.position()
        frames = splitter.lose(min(missing, count))
        events = self._asked(frames, at) if client else self._answered(frames, at)
        if count > missing:
            self.seek(client=client)
        return events

    def _asked(self, frames: Sequence[Frame], at: int) -> list[Event]:
        out: list[Event] = []
        for frame in frames:
            if frame.holes and _header_lost(frame):
                continue
            if self._is_token(frame):
                continue
            if not is_request(frame):
                self.seek(client=True)
                break
            if len(self._pending) >= MAX_PENDING:
                self._pending.popleft()
            request = self._request(frame, at)
            if self._unchecked:
                self._unchecked -= 1
                self.among_brokers |= request.api in OF_BROKERS or REPLICA.fullmatch(self.client_id) is not None
            self.fold.take(request, out)
        if self.asking.fault:
            self.seek(client=True)
        return out

    def _answered(self, frames: Sequence[Frame], at: int) -> list[Event]:
        out: list[Event] = []
        for frame in frames:
            if frame.end - frame.start < PREFIX or (frame.holes and frame.holes[0][0] < frame.start + PREFIX):
                continue
            if self._pass_over(_CORRELATION(frame.data, frame.start)[0], at, out):
                self.fold.take(self._response(frame, at), out)
        if self.answering.fault or self._strange > STRANGE:
            self.seek(client=False)
        return out

    def _answer(self, frame: Frame, asked: Asked) -> Digest:
        digest = super()._answer(frame, asked)
        self.nodes.note(digest.nodes)
        return digest

    def _pass_over(self, corr: int, at: int, out: list[Event]) -> bool:
        """Return whether a request with this correlation id is pending. Answers to those before it are lost.

        Brokers answer the requests of a connection in order.
        """
        if self._pending and self._pending[0].corr == corr:
            self._strange = 0
            return True
        index = next((index for index, asked in enumerate(self._pending) if asked.corr == corr), -1)
        if index < 0:
            self._strange += 1
            return False
        self._strange = 0
        for _ in range(index):
            asked = self._pending.popleft()
            self.fold.take(
                response_event(asked, NOTHING, at=at, conn=self.conn, broker=self.broker, error=LOST_ANSWER), out
            )
        return True


def _header_lost(frame: Frame) -> bool:
    """Return whether bytes of a request's header were lost, up to its tagged fields."""
    lost, end = frame.holes[0][0], frame.start + HEADER_SIZE
    return lost < end or lost <= end + max(0, HEADER(frame.data, frame.start)[3])
