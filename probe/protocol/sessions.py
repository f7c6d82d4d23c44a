"""Fetch sessions (KIP-227): an incremental fetch names only changes, but asks for all partitions of its session."""

from __future__ import annotations

from collections import OrderedDict

from probe.model import Row
from probe.protocol.leaders import forgotten
from probe.protocol.rows import Asked, Body, Fetched, Names

MAX_SESSIONS = 256
MAX_PARTITIONS = 10_000
LOST = frozenset({70, 71})
"""FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH."""
FULL, CLOSING = 0, -1

Partitions = dict[tuple[str, int], Row]


class FetchSessions:
    """The sessions of one broker.

    Beyond the limits the oldest session is dropped. Its fetches then show only the partitions that they name.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[int, Partitions] = OrderedDict()

    def asked(self, body: Body, rows: tuple[Row, ...], names: Names) -> tuple[tuple[Row, ...], Fetched | None]:
        """Return the rows that a request really asks for, and the data to keep until its answer."""
        session, epoch = body.get("SessionId", 0), body.get("SessionEpoch", CLOSING)
        if epoch == CLOSING:
            self._open.pop(session, None)
            return rows, None
        if epoch == FULL:
            return rows, Fetched(session, rows if len(rows) <= MAX_PARTITIONS else ())
        return self._incremental(session, body, rows, names), Fetched(session, ())

    def answered(self, body: Body, asked: Asked) -> None:
        """Open the session that an answer grants. Drop one that the broker does not know."""
        if asked.fetched is None:
            return
        if body.get("ErrorCode") in LOST:
            self._open.pop(asked.fetched.session, None)
        elif asked.fetched.rows and (granted := body.get("SessionId", 0)):
            self._open[granted] = {(row.topic, row.partition): row for row in asked.fetched.rows}
            while len(self._open) > MAX_SESSIONS:
                self._open.popitem(last=False)

    def _incremental(self, session: int, body: Body, rows: tuple[Row, ...], names: Names) -> tuple[Row, ...]:
        known = self._open.get(session)
        if known is None:
            return rows
        known.update({(row.topic, row.partition): row for row in rows})
        for gone in forgotten(body, names):
            known.pop(gone, None)
        if len(known) > MAX_PARTITIONS:
            del self._open[session]
        return tuple(known.values())
