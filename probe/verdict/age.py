"""Whether a client was young: it knew no more than at its start when the fault came (docs/verdicts.md)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from operator import attrgetter

from probe.model import AppKind
from probe.model.cluster_history import OLD
from probe.protocol.apis import METADATA
from probe.verdict.wire_evidence import WireEvidence

AT = attrgetter("at")
WORKED = frozenset({AppKind.ACKED, AppKind.RECEIVED, AppKind.COMMITTED, AppKind.TXN_COMMITTED, AppKind.LISTED})


def is_young(evidence: WireEvidence) -> bool:
    """Return whether no Metadata answer about its topic reached the client between its first success and the fault.

    Only such an answer renews what a client learned at its start: franz-go, for instance, keeps leader epochs from the
    second answer on. A client that follows a hint (KIP-951) without a question is young. The delivery of a record of
    the cluster's history is no success, as everywhere.
    """
    begun = next(
        (item.at for item in evidence.events.apps if item.kind in WORKED and item.sequence != OLD),
        evidence.timeline.warm,
    )
    return next(told(evidence, begun), None) is None


def told(evidence: WireEvidence, since: int) -> Iterator[int]:
    """Yield the times of the Metadata answers about a client's topic after a time and before the fault."""
    topic, answers = evidence.subject.topic, evidence.events.responses
    for item in answers[bisect_right(answers, since, key=AT) : bisect_left(answers, evidence.timeline.begin, key=AT)]:
        if item.api == METADATA and any(row.topic == topic and row.partition >= 0 for row in item.rows):
            yield item.at
