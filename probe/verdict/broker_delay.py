"""For how long brokers kept a client waiting that did all it could (SEMANTICS 2, recovered; 3, row 13).

Brokers that have much to do, or wait for each other, answer late: with dozens of partitions that move at once, one real
broker kept writes with acks=all for 3.5 s on a machine of two cores, and Metadata behind them for 2.9 s. That is no
client's slowness. Only what was answered well counts; an error, a silence and a lost answer are the fault itself. One
error is the brokers' own slowness, too: a coordinator begins no transaction before the markers of the last one are
written, and says CONCURRENT_TRANSACTIONS until then (KIP-98; Kafka's TransactionCoordinator.scala).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby

from probe.model import EngineKind, Role, Symptom
from probe.protocol.names import api_key, error_code
from probe.verdict import apis
from probe.verdict.recovery import Recovery
from probe.verdict.wire_evidence import Exchange, WireEvidence

KINDS = frozenset({Symptom.ANSWER, Symptom.CHANGE, Symptom.CONNECTION})
"""Where brokers are silent or slow by design, waiting is what the client is judged by."""
MAX_DELAY_US = 35_000_000
"""Clients ask brokers to keep a request for 30 s at the most: one that waits for longer waits for nothing."""
FETCHES = apis.MAIN[Role.CONSUMER]
JOINS = frozenset(map(api_key, ("JoinGroup", "SyncGroup")))
MAY_WAIT = FETCHES | JOINS
"""What a broker keeps although it has nothing to do: until there are records, until other members come."""
CONCURRENT_TRANSACTIONS = error_code("CONCURRENT_TRANSACTIONS")
BEGINS = frozenset(map(api_key, ("InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn")))


def broker_delay_ms(evidence: WireEvidence, recovery: Recovery) -> float:
    """Return for how much of a recovery the client waited for answers that came, in ms; 0 without a recovery."""
    if recovery.at is None:
        return 0.0
    return _waited_ms(
        evidence, recovery.start, recovery.at, lambda item: _good(evidence, item) or _reads(evidence, item)
    )


def broker_delay_so_far_ms(evidence: WireEvidence, recovery: Recovery) -> float:
    """Return for how long a client that has not recovered waited, in ms: for good answers, and for one that is due.

    Reading at the leader does not count: who reads on and gets nothing may have asked for the wrong place.
    """
    until = evidence.timeline.until
    return _waited_ms(evidence, recovery.start, until, lambda item: _good(evidence, item) or _due(evidence, item))


def _waited_ms(evidence: WireEvidence, start: int, end: int, counts: Callable[[Exchange], bool]) -> float:
    if evidence.play.kind not in KINDS:
        return 0.0
    kept = (
        (item.request.at, end if item.answer is None else item.answer.at)
        for item in evidence.exchanges
        if item.request.at < end and (item.answer is None or item.answer.at > start) and counts(item)
    )
    spans = chain(kept, _unfinished(evidence), _withheld(evidence))
    return _covered((max(begin, start), min(until, end)) for begin, until in spans) / 1000


def _unfinished(evidence: WireEvidence) -> Iterator[tuple[int, int]]:
    """Yield when a coordinator had a transaction to end: from a request that it put off to the last such answer.

    What follows that answer until the client asks again is the client's own.
    """
    if evidence.role is not Role.TRANSACTIONAL or CONCURRENT_TRANSACTIONS in evidence.play.codes:
        return  # nobody else meets it; or it is the fault itself
    for api in BEGINS:
        for put_off, items in groupby((item for item in evidence.exchanges if item.request.api == api), _deferred):
            if put_off:
                run = list(items)
                yield run[0].request.at, max(item.done_at for item in run)


def _withheld(evidence: WireEvidence) -> Iterator[tuple[int, int]]:
    """Yield when nobody could read what had been written, at the first for as long as any client waits for anything."""
    if not evidence.role.reads:
        return
    left_us = MAX_DELAY_US
    for event in evidence.events.engine:
        if event.kind is EngineKind.WITHHELD and event.partition == evidence.subject.affected and left_us > 0:
            kept_us = min(left_us, event.value * 1000)
            left_us -= kept_us
            yield event.at - kept_us, event.at


def _deferred(item: Exchange) -> bool:
    answer = item.answer
    return answer is not None and CONCURRENT_TRANSACTIONS in {answer.code, *(row.code for row in answer.rows)}


def _good(evidence: WireEvidence, item: Exchange) -> bool:
    """Say whether a client that recovers waits for this answer, and it was a good one."""
    answer = item.answer
    if answer is None or answer.error or not _needed(evidence, item):
        return False
    return _asks(item) or not (answer.code or any(row.code for row in answer.rows))


def _reads(evidence: WireEvidence, item: Exchange) -> bool:
    """Say whether it reads where the leader is: it has found it, and when records come is not its doing."""
    there = evidence.timeline.target in (-1, item.request.broker)
    return there and item.request.api in FETCHES and item.answer is not None and item.succeeded


def _due(evidence: WireEvidence, item: Exchange) -> bool:
    """Say whether an answer that a client needs may still come: the connection stands."""
    request = item.request
    stands = item.answer is None and request.conn not in evidence.closings and request.acks != 0
    return stands and evidence.timeline.until - request.at < MAX_DELAY_US and _needed(evidence, item)


def _needed(evidence: WireEvidence, item: Exchange) -> bool:
    if item.request.api in MAY_WAIT:
        return False
    return _asks(item) or item.about or evidence.role is Role.TRANSACTIONAL


def _asks(item: Exchange) -> bool:
    return item.request.api in apis.DISCOVERY or item.request.api in apis.HANDSHAKE


def _covered(spans: Iterable[tuple[int, int]]) -> int:
    """Return how much time at least one span covers."""
    covered, reached = 0, 0
    for begin, end in sorted(spans):
        covered += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return covered
