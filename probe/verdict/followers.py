"""A reader that a follower serves (KIP-392): whether it did before the fault, and who serves afterwards. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from probe.model import Target
from probe.verdict import apis
from probe.verdict.wire_evidence import Exchange, WireEvidence


def unserved_by_follower(evidence: WireEvidence) -> bool:
    """Return whether the fault is at a follower, and this client was not served by it when the fault came."""
    if evidence.play.target is not Target.FOLLOWER:
        return False
    begin, old = evidence.timeline.begin, evidence.subject.old
    return not any(item.request.broker == old and item.done_at <= begin for item in _fetches(evidence))


def reads_at(evidence: WireEvidence, recovered: int | None) -> str:
    """Return who served the reader when it had recovered, in words; empty for other faults, and where it did not.

    The failing follower is the only one in the reader's rack, and no follower serves a reader of another one.
    """
    if evidence.play.target is not Target.FOLLOWER or recovered is None:
        return ""
    served = [item for item in _fetches(evidence) if evidence.timeline.begin < item.done_at <= recovered]
    if not served:
        return ""
    return "the same follower" if served[-1].request.broker == evidence.subject.old else "the leader"


def _fetches(evidence: WireEvidence) -> Iterator[Exchange]:
    """Yield the answers to Fetch about the affected partition without an error, by the time of their requests."""
    for item in evidence.exchanges:
        if item.request.api == apis.FETCH and item.answer is not None and item.succeeded:
            yield item
