"""For how long brokers kept a client waiting that did all it could (SEMANTICS 2, recovered; 3, row 13).

Brokers that have much to do, or wait for each other, answer late: with dozens of partitions that move at once, one real
broker kept writes with acks=all for 3.5 s on a machine of two cores, and Metadata behind them for 2.9 s. That is no
client's slowness. Only what was answered well counts; an error, a silence and a lost answer are the fault itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from probe.model import Kind, Role
from probe.protocol.names import api_key
from probe.verdict import apis
from probe.verdict.reading import Exchange, Reading
from probe.verdict.recovery import Recovery

KINDS = frozenset({Kind.ANSWER, Kind.CHANGE, Kind.CONNECTION})
"""Where brokers are silent or slow by design, waiting is what the client is judged by."""
MAY_WAIT = frozenset(map(api_key, ("Fetch", "ShareFetch", "JoinGroup", "SyncGroup")))
"""What a broker keeps although it has nothing to do: until there are records, until other members come."""


def kept_ms(reading: Reading, recovery: Recovery) -> float:
    """Return for how much of a recovery the client waited for answers that came, in ms; 0 without a recovery."""
    if recovery.at is None or reading.play.kind not in KINDS:
        return 0.0
    start, end = recovery.start, recovery.at
    spans = (
        (max(item.request.at, start), min(item.done_at, end))
        for item in reading.exchanges
        if item.request.at < end and item.done_at > start and _needed(reading, item)
    )
    return _covered(spans) / 1000


def _needed(reading: Reading, item: Exchange) -> bool:
    """Say whether a client that recovers waits for this answer, and it was a good one."""
    api, answer = item.request.api, item.answer
    if answer is None or answer.error or api in MAY_WAIT:
        return False
    if api in apis.DISCOVERY or api in apis.HANDSHAKE:
        return True
    if answer.code or any(row.code for row in answer.rows):
        return False
    return item.about or reading.role is Role.TRANSACTIONAL


def _covered(spans: Iterable[tuple[int, int]]) -> int:
    """Return how much time at least one span covers."""
    covered, reached = 0, 0
    for begin, end in sorted(spans):
        covered += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return covered
