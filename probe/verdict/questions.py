"""The questions of an admin: which of them a trial is about, and which requests are their answers' own."""

from __future__ import annotations

from collections.abc import Iterator

from probe.model import App, AppKind, Target
from probe.model.questions import CLUSTER, CREATE, is_offset
from probe.model.roles import ROLES
from probe.verdict import apis
from probe.verdict.wire_evidence import Exchange, WireEvidence

DESCRIPTIONS = frozenset({apis.METADATA, apis.DESCRIBE_CLUSTER})
"""APIs that describe the cluster, and so name the controller."""
NEAR_US = 20_000
"""An application's event is stamped this much before or after what passed the relay for it, on a busy machine."""


def is_affected(evidence: WireEvidence, item: App) -> bool:
    """Return whether an operation is about the affected object, or names none.

    Where the controller is the target these are the questions that it alone answers; elsewhere, those about the
    partition.
    """
    if evidence.play.target is Target.CONTROLLER:
        return item.text == CREATE
    return item.partition in (evidence.subject.affected, -1) and not is_aside(evidence, item)


def is_aside(evidence: WireEvidence, item: App) -> bool:
    """Return whether an operation is a question that only trials about the controller judge."""
    return ROLES[evidence.role].asks and evidence.play.target is not Target.CONTROLLER and not is_offset(item)


def requested_by_the_application(evidence: WireEvidence) -> frozenset[int]:
    """Return the identities of the requests by which the client describes the cluster to its application.

    They are no discoveries: the client itself need not learn from them. Each names no topic, and of those that were
    under way while the application waited its answer came nearest to the application's.
    """
    if not ROLES[evidence.role].asks:
        return frozenset()
    found: set[int] = set()
    candidates = [item for item in evidence.exchanges if _describes(item)]
    for begin, end in _spans(evidence):
        own = (item for item in candidates if begin <= item.request.at and item.done_at <= end + NEAR_US)
        nearest = min(own, key=lambda item: abs(item.done_at - end), default=None)
        if nearest is not None:
            found.add(id(nearest.request))
    return frozenset(found)


def _describes(item: Exchange) -> bool:
    return item.request.api in DESCRIPTIONS and not item.request.rows and item.answer is not None


def _spans(evidence: WireEvidence) -> Iterator[tuple[int, int]]:
    """Yield the times of descriptions of the cluster: (asked, answered)."""
    asked: dict[int, int] = {}
    for item in evidence.events.apps:
        if item.text == CLUSTER and item.kind is AppKind.SENT:
            asked[item.sequence] = item.at - NEAR_US
        elif item.text == CLUSTER and item.kind is AppKind.LISTED and item.sequence in asked:
            yield asked[item.sequence], item.at
