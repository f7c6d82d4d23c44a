"""Fetch and share sessions (KIP-227, KIP-932): a fetch names changes, and asks for all partitions of its session."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from probe.model import Row
from probe.protocol.apis import FETCH, SHARE_FETCH
from probe.protocol.digest import QUESTIONS
from probe.protocol.leaders import forgotten
from probe.protocol.rows import Asked, Body, Digest, Fetched, Names

MAX_SESSIONS = 256
MAX_PARTITIONS = 10_000
LOST = frozenset({70, 71})
"""FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH."""
FULL, CLOSING = 0, -1

Partitions = dict[tuple[str, int], Row]
Session = int | tuple[str, str]
"""The id of a fetch session, or group and member of a share session."""


class FetchSessions:
    """The sessions of one broker.

    Beyond the limits the oldest session is dropped. Its fetches then show only the partitions that they name.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[Session, Partitions] = OrderedDict()

    def asked(self, body: Body, rows: tuple[Row, ...], names: Names) -> tuple[tuple[Row, ...], Fetched | None]:
        """Return the rows that a request really asks for, and the data to keep until its answer."""
        session, epoch = body.get("SessionId", 0), body.get("SessionEpoch", CLOSING)
        if epoch == CLOSING:
            self._open.pop(session, None)
            return rows, None
        if epoch == FULL:
            return rows, Fetched(session, rows if len(rows) <= MAX_PARTITIONS else ())
        return self._incremental(session, body, rows, names), Fetched(session, ())

    def read(self, asked: Asked, body: Body, names: Names) -> tuple[Asked, Digest]:
        """Return a request with what its answer needs, and what it asks for. KeyError for an API that is not read."""
        digest = QUESTIONS[asked.api](body, asked.version, names)
        if asked.api == FETCH:
            rows, fetched = self.asked(body, digest.rows, names)
            return asked._replace(fetched=fetched), digest._replace(rows=rows)
        if asked.api == SHARE_FETCH:
            return asked, digest._replace(rows=self.shared(body, digest.rows, names))
        if digest.rows and digest.rows[0].key:
            asked = asked._replace(key=digest.rows[0].key, key_type=digest.rows[0].key_type)
        return asked, digest

    def answered(self, body: Body, asked: Asked) -> None:
        """Open the session that an answer grants. Drop one that the broker does not know."""
        if asked.fetched is None:
            return
        if body.get("ErrorCode") in LOST:
            self._open.pop(asked.fetched.session, None)
        elif asked.fetched.rows and (granted := body.get("SessionId", 0)):
            self._begin(granted, asked.fetched.rows)

    def shared(self, body: Body, rows: tuple[Row, ...], names: Names) -> tuple[Row, ...]:
        """Return the rows that a ShareFetch really asks for, after those of what it accepts.

        A broker has one share session per member, which epoch 0 begins and -1 ends (ShareRequestMetadata).
        """
        session, epoch = (body["GroupId"] or "", body["MemberId"] or ""), body["ShareSessionEpoch"]
        if epoch == CLOSING:
            self._open.pop(session, None)
            return rows
        plain = tuple(dict.fromkeys(replace(row, offset=None, records=None) for row in rows))
        if epoch == FULL:
            self._begin(session, plain if len(plain) <= MAX_PARTITIONS else ())
            return rows
        accepting = tuple(row for row in rows if row.records)
        return (*accepting, *self._incremental(session, body, plain, names))

    def _begin(self, session: Session, rows: tuple[Row, ...]) -> None:
        self._open[session] = {(row.topic, row.partition): row for row in rows}
        while len(self._open) > MAX_SESSIONS:
            self._open.popitem(last=False)

    def _incremental(self, session: Session, body: Body, rows: tuple[Row, ...], names: Names) -> tuple[Row, ...]:
        known = self._open.get(session)
        if known is None:
            return rows
        known.update({(row.topic, row.partition): row for row in rows})
        for gone in forgotten(body, names):
            known.pop(gone, None)
        if len(known) > MAX_PARTITIONS:
            del self._open[session]
        return tuple(known.values())
