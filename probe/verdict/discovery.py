"""Discoveries: requests of the client for the target of the affected object (docs/verdicts.md#discovery)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from probe.model import Request, Response, Row, Trigger
from probe.verdict import apis
from probe.verdict.questions import DESCRIPTIONS, requested_by_the_application
from probe.verdict.wire_evidence import Exchange, WireEvidence, spread


@dataclass(frozen=True, slots=True)
class Discovery:
    """One request for the target."""

    at: int
    conn: int
    broker: int
    answered: int | None
    """Time at which the client had the answer. None if it never had one."""
    useful: bool
    """The answer names the target."""
    trigger: Trigger = Trigger.UNKNOWN
    unheeded: bool = False
    """Error answers preceded it, but had not made the client ask."""

    def reported_before(self, at: int) -> bool:
        """Return whether the client knew the target by this answer at a time."""
        return self.useful and self.answered is not None and self.answered <= at


def find_discoveries(evidence: WireEvidence) -> tuple[Discovery, ...]:
    """Return all discoveries up to the end of the window, by time. Their triggers are not known yet."""
    requested = requested_by_the_application(evidence)
    return tuple(
        Discovery(
            at=item.request.at,
            conn=item.request.conn,
            broker=item.request.broker,
            answered=None if item.answer is None else item.answer.at,
            useful=item.answer is not None and _names_target(evidence, item.answer),
        )
        for item in evidence.exchanges
        if item.request.at <= evidence.timeline.until
        and is_discovery(evidence, item)
        and id(item.request) not in requested
    )


def is_discovery(evidence: WireEvidence, item: Exchange) -> bool:
    """Return whether a request asks for the target's key."""
    request, affected = item.request, evidence.affected
    if affected.controller:
        return request.api in DESCRIPTIONS
    if affected.key:
        return request.api == apis.FIND_COORDINATOR and any(
            row.key == affected.key and row.key_type in (affected.key_type, -1) for row in request.rows
        )
    return request.api == apis.METADATA and (
        request.everything or any(row.topic == affected.topic for row in request.rows)
    )


def side_requests(evidence: WireEvidence, since: int) -> int:
    """Count the requests of the discovery APIs that are no discoveries."""
    return sum(
        1
        for item in evidence.exchanges
        if since <= item.request.at <= evidence.timeline.until
        and item.request.api in apis.DISCOVERY
        and not is_discovery(evidence, item)
    )


def folded_discoveries(evidence: WireEvidence) -> Iterator[tuple[int, float]]:
    """Yield discoveries that only folded spans contain, as (time, share)."""
    api = apis.FIND_COORDINATOR if evidence.affected.key else apis.METADATA
    for item in evidence.folded_about():
        if item.api == api:
            yield from spread(item, item.requests)


def _names_target(evidence: WireEvidence, answer: Response) -> bool:
    target = evidence.timeline.target_at(answer.at)
    if evidence.affected.controller:
        named = -1 if answer.controller is None else answer.controller
        return not answer.code and named >= 0 and target in (-1, named)
    return not answer.code and any(_right(evidence, row, target) for row in answer.rows)


def _right(evidence: WireEvidence, row: Row, target: int) -> bool:
    affected = evidence.affected
    if affected.key:
        about = row.key in (affected.key, "") and not row.code
    else:
        about = row.topic == affected.topic and row.partition == affected.partition
    if not about or row.leader is None or row.leader < 0:
        return False
    return target < 0 or row.leader == target


def first_requests(evidence: WireEvidence) -> dict[int, Request]:
    """Return the first request on each connection that is not part of the handshake."""
    found: dict[int, Request] = {}
    for item in evidence.exchanges:
        if item.request.api not in apis.HANDSHAKE:
            found.setdefault(item.request.conn, item.request)
    return found
