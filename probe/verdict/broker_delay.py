"""Compute how long brokers kept a client waiting (docs/verdicts.md#kept-waiting).

Busy brokers answer late, and so do brokers that wait for each other, for instance when dozens of partitions move at
once. That time is not the client's slowness. Only successful answers count: an error, a silence and a lost answer are
the fault itself.

One error counts as well. A coordinator starts no transaction before the markers of the last one are written, and
answers CONCURRENT_TRANSACTIONS until then (KIP-98; Kafka's TransactionCoordinator.scala).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby

from probe.model import EngineKind, Role, Symptom
from probe.model.roles import ROLES
from probe.protocol.names import api_key, error_code
from probe.verdict import apis
from probe.verdict.patience import usual_ms
from probe.verdict.recovery import Recovery
from probe.verdict.wire_evidence import Exchange, WireEvidence

KINDS = frozenset({Symptom.ANSWER, Symptom.CHANGE, Symptom.CONNECTION})
"""Symptoms with broker delay. Where brokers are silent or slow by design, the client is judged by how it waits."""
MAX_DELAY_US = 35_000_000
"""Clients let brokers keep a request for at most 30 s. An answer that takes longer will not come."""
FETCHES = apis.proving(Role.CONSUMER)
JOINS = frozenset(map(api_key, ("JoinGroup", "SyncGroup")))
MAY_WAIT = FETCHES | JOINS
"""APIs that a broker keeps although it has nothing to do: until there are records, or until other members join."""
CONCURRENT_TRANSACTIONS = error_code("CONCURRENT_TRANSACTIONS")
BEGINS = frozenset(map(api_key, ("InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn")))


def broker_delay_ms(evidence: WireEvidence, recovery: Recovery) -> float:
    """Return the part of a recovery in which the client waited for answers that came, in ms. 0 without a recovery."""
    if recovery.at is None:
        return 0.0
    return _waited_ms(
        evidence, recovery.start, recovery.at, lambda item: _good(evidence, item) or _reads(evidence, item)
    )


def broker_delay_so_far_ms(evidence: WireEvidence, recovery: Recovery) -> float:
    """Return how long a client that has not recovered waited for successful answers and for a due one, in ms.

    Fetches at the leader do not count: a client that gets no records may have asked for the wrong offset. Of a client
    that is observed to the end nothing counts after the usual watch: there the probe itself delays answers.
    """
    until = evidence.timeline.until
    if evidence.header.limits.to_the_end:
        until = min(until, evidence.timeline.begin + usual_ms(evidence.header) * 1000)
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
    return covered_us((max(begin, start), min(until, end)) for begin, until in spans) / 1000


def _unfinished(evidence: WireEvidence) -> Iterator[tuple[int, int]]:
    """Yield spans in which a coordinator was ending a transaction: from a deferred request to the last such answer.

    The time after that answer, until the client asks again, is the client's own.
    """
    if ROLES[evidence.role].transactional and CONCURRENT_TRANSACTIONS not in evidence.play.codes:
        yield from put_off(evidence.exchanges)  # other roles do not get this error; or it is the fault itself


def put_off(exchanges: Sequence[Exchange]) -> Iterator[tuple[int, int]]:
    """Yield spans in which a coordinator answered CONCURRENT_TRANSACTIONS, from first request to last answer."""
    for api in BEGINS:
        for deferred, items in groupby((item for item in exchanges if item.request.api == api), _deferred):
            if deferred:
                run = list(items)
                yield run[0].request.at, max(item.done_at for item in run)


def _withheld(evidence: WireEvidence) -> Iterator[tuple[int, int]]:
    """Yield spans in which written records could not be read. Their total is at most `MAX_DELAY_US`."""
    if not ROLES[evidence.role].reads:
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
    """Return whether a recovering client needs this answer, and the answer was successful."""
    answer = item.answer
    if answer is None or answer.error or not _needed(evidence, item):
        return False
    return _asks(item) or not (answer.code or any(row.code for row in answer.rows))


def _reads(evidence: WireEvidence, item: Exchange) -> bool:
    """Return whether this is a successful fetch at the leader, after which the client depends on new records only."""
    there = evidence.timeline.target in (-1, item.request.broker)
    return there and item.request.api in FETCHES and item.answer is not None and item.succeeded


def _due(evidence: WireEvidence, item: Exchange) -> bool:
    """Return whether an answer that a client needs may still come: the connection is open."""
    request = item.request
    stands = item.answer is None and request.conn not in evidence.closings and request.acks != 0
    return stands and evidence.timeline.until - request.at < MAX_DELAY_US and _needed(evidence, item)


def _needed(evidence: WireEvidence, item: Exchange) -> bool:
    if item.request.api in MAY_WAIT:
        return False
    return _asks(item) or item.about or ROLES[evidence.role].transactional


def _asks(item: Exchange) -> bool:
    return item.request.api in apis.DISCOVERY or item.request.api in apis.HANDSHAKE


def covered_us(spans: Iterable[tuple[int, int]]) -> int:
    """Return the total time that at least one span covers."""
    covered, reached = 0, 0
    for begin, end in sorted(spans):
        covered += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return covered
