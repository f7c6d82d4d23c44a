"""A connection whose TLS the broker ends: its bytes pass unread, and the broker's request log says what they were."""

from __future__ import annotations

import asyncio
import re
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable
from datetime import datetime

from probe.access import TlsPassage
from probe.model import Closed, EngineEvent, EngineKind, Event
from probe.model.clock import now_us
from probe.model.handshake import Handshake
from probe.protocol.compiler import MALFORMED
from probe.protocol.conversation import Conversation
from probe.protocol.log_connection import LoggedConversation
from probe.protocol.log_requests import Logged, parse_line
from probe.protocol.rows import Names
from probe.protocol.schemas import Schemas
from probe.protocol.sessions import FetchSessions
from probe.protocol.tls_records import TlsRecords
from probe.relay.backlog import Backlog
from probe.relay.link import Link
from probe.relay.link_policy import LinkPolicy
from probe.relay.socket_end import SocketEnd
from probe.relay.tls_end import ServerTls

LOG_S = 1.5
"""Time after a connection's end by which the log has named its requests: it goes through a pipe, as the answers do
not. Until then the end is not reported."""
STAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}[+-]\d{4}")
"""The time at the beginning of a line."""
LOG_STEP_US = 1000
"""The log's times are whole milliseconds."""
MOST_PASSED = 1000
"""Times that are kept: as many answers pass before their lines are read."""
CONNECTION = re.compile(r".+:(\d{1,5})-.+:(\d{1,5})-[\d-]+")
"""`broker's address-client's address-number`, as `kafka.network.ConnectionId` writes it."""


class SealedConversation(Conversation):
    """A conversation of which only the records of TLS are read; `take` has its requests."""

    def __init__(
        self,
        passage: TlsPassage,
        conn: int,
        broker: int,
        schemas: Schemas,
        names: Names,
        sessions: FetchSessions | None = None,
    ) -> None:
        super().__init__(conn, broker, schemas, names, sessions)
        self.passage = passage
        self._log = LoggedConversation(conn, broker, schemas, names, self._sessions)
        self.fold = self._log.fold
        self._records = {"client": TlsRecords(), "broker": TlsRecords()}
        self._passed_at: deque[int] = deque([0], MOST_PASSED)
        """Times at which bytes of the broker passed."""

    def client_bytes(self, data: bytes, at: int) -> list[Event]:  # noqa: ARG002  # as of one that is read
        """Read the records' headers."""
        self._records["client"].feed(data)
        return []

    def broker_bytes(self, data: bytes, at: int) -> list[Event]:
        """Read the records' headers."""
        self._records["broker"].feed(data)
        self._passed_at.append(at)
        return []

    def take(self, line: Logged, at: int) -> list[Event]:
        """Return the events of a request that was logged as completed at `at`: its answer passed just before."""
        out: list[Event] = []
        self.client_id = line.client_id
        self.requests[line.api] += 1
        self.responses[line.api] += line.response is not None
        before = bisect_right(self._passed_at, at + LOG_STEP_US)
        self._log.take(line, min(at, self._passed_at[before - 1]) or at, out)
        return out

    def handshake(self) -> Handshake | None:
        """Return what the client has sent first, None if no request of it was logged."""
        return self._log.handshake()

    def failure(self, by: str) -> str:
        """Return why the handshake of a connection that `by` has ended did not succeed; empty if a request was served.

        An alert in clear names its reason; TLS 1.3 encrypts all but the first ones.
        """
        if self.requests:
            return ""
        for name, records in self._records.items():
            if records.alert:
                return f"the {name} sent an alert: {records.alert}"
            if records.plain:
                return f"the {name} does not speak TLS"
        return f"the {by} ended the connection during the handshake"


class SealedLink(Link):
    """Forwards bytes, and reports what the broker logs of them."""

    def __init__(self, policy: LinkPolicy[Link], conversation: SealedConversation, backlog: Backlog) -> None:
        super().__init__(policy, conversation, backlog)
        self._sealed = conversation
        self.ports = (0, 0)
        """The broker's port and our own: by them its log names the connection."""
        self._reported, self._over = True, False

    def made(self, side: SocketEnd) -> None:
        """Handle a side that has connected."""
        if side is self.broker and side.transport is not None:
            sock = side.transport
            self.ports = (sock.get_extra_info("peername")[1], sock.get_extra_info("sockname")[1])
        super().made(side)

    @property
    def _delays(self) -> bool:
        """Return that nothing is delayed: where an answer begins is not known."""
        return False

    def _slow(self) -> None:
        """Do nothing: a storm cannot be slowed down, for the same reason."""

    def logged(self, line: Logged, at: int) -> None:
        """Report a request that the broker completed, and logged at `at` microseconds."""
        self._decode(lambda _, when: self._sealed.take(line, when), b"", at)

    def _close(self, by: str) -> None:
        """Report the end once its requests are reported."""
        if self.closed_by:
            return
        self.closed_by = by
        if self.client.transport is not None:
            self._reported = False
            asyncio.get_running_loop().call_later(LOG_S, self._report_end, by, now_us(), self._sealed.passage.meant)

    def _report_end(self, by: str, at: int, meant: bool) -> None:
        conn, broker = self._sealed.conn, self._sealed.broker
        events = self.conversation.tick(at, final=True)
        if reason := self._sealed.failure(by):
            failed = EngineKind.HANDSHAKE_FAILED
            events.append(EngineEvent(at=at, kind=failed, broker=broker, value=int(meant), text=reason, conn=conn))
        self.policy.emit([*events, Closed(at=at, conn=conn, broker=broker, by=by)])
        self._reported = True
        if self._over:
            self.policy.ended(self)

    def _end(self) -> None:
        self._over = True
        if self._reported:
            self.policy.ended(self)


def new_link(
    policy: LinkPolicy[Link], conversation: Conversation, backlog: Backlog, tls: ServerTls | None = None
) -> Link:
    """Return the link of a new connection, whose TLS ends at the relay, at the broker, or is none."""
    if isinstance(conversation, SealedConversation):
        return SealedLink(policy, conversation, backlog)
    return Link(policy, conversation, backlog, tls)


class Passage:
    """A `probe.access.TlsPassage` of one relay."""

    def __init__(self, links: Callable[[], Iterable[Link]]) -> None:
        """Take what returns the relay's connections."""
        self.begun = self.meant = False
        self._links = links

    def begin(self) -> None:
        """Pass the bytes of new connections through unread from now on."""
        self.begun = True

    def logged(self, line: str, at: int) -> None:
        """Take a line of a broker's request log. It names the ports of a connection, and its own time."""
        try:
            found = parse_line(line)
        except MALFORMED:
            return
        named = None if found is None else CONNECTION.fullmatch(found.connection)
        if found is None or named is None:
            return
        ports = tuple(map(int, named.groups()))
        for link in self._links():
            if isinstance(link, SealedLink) and link.ports == ports:
                link.logged(found, min(at, at_of(line, at)))


def at_of(line: str, read_at: int) -> int:
    """Return when a line was written, on the clock of events; when it was read if it has no stamp."""
    stamp = STAMP.match(line)
    if stamp is None:
        return read_at
    written = datetime.strptime(stamp[0], "%Y-%m-%d %H:%M:%S,%f%z").timestamp()
    return now_us() - round((time.time() - written) * 1e6)
