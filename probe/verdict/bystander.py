"""The gaps of the bystander, and how long brokers kept it waiting in them (docs/verdicts.md#kept-waiting)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from probe.model import EngineKind
from probe.verdict import apis
from probe.verdict.broker_delay import MAX_DELAY_US, MAY_WAIT, covered_us, put_off
from probe.verdict.patience import SELDOM_MS
from probe.verdict.service import bystander_served_at, gaps, here_since, paces
from probe.verdict.wire_evidence import Exchange, WireEvidence


@dataclass(frozen=True, slots=True)
class BystanderGaps:
    """The longest times without a success of the bystander, in ms. None without any success."""

    longest: float | None = None
    own: float | None = None
    """The longest without the time in which brokers kept it waiting."""


def bystander_gaps(evidence: WireEvidence) -> BystanderGaps:
    """Return the bystander's longest gaps, from its first success on if the client starts under the fault."""
    served, begin = bystander_served_at(evidence), evidence.timeline.begin
    if here_since(evidence) > begin:
        begin = min((at for at in served if at >= begin), default=begin)
    found = gaps(evidence, served, begin)
    if not found:
        return BystanderGaps()
    found.sort(key=lambda gap: gap[0] - gap[1])
    kept = sorted(_kept(evidence))
    longest_us = max((b - a for a, b in kept), default=0)
    seldom = [one for one in paces(evidence) if one[2] >= SELDOM_MS * 1000]
    own = 0
    for at, until in found:
        if until - at <= own:
            break  # all others are shorter
        near = kept[bisect_left(kept, (at - longest_us, 0)) : bisect_left(kept, (until, 0))]
        waited = covered_us((max(at, a), min(until, b)) for a, b in near)
        own = max(own, until - at - waited - _seldom_us(seldom, at, until))
    longest_at, longest_until = found[0]
    return BystanderGaps((longest_until - longest_at) / 1000, own / 1000)


def _seldom_us(seldom: Sequence[tuple[int, int, int]], at: int, until: int) -> int:
    """Return the interval of work in a gap where it is seldom, at the end of a long observation."""
    return max((every for since, end, every in seldom if since < until and end > at), default=0)


def _kept(evidence: WireEvidence) -> Iterator[tuple[int, int]]:
    """Yield spans in which brokers kept the bystander waiting.

    The fault touches no broker that it needs, so any answer to a second instance counts, an error, too: a coordinator
    answers REQUEST_TIMED_OUT to a commit that a dead replica in sync keeps. Of the bystander partition only work that
    was answered without an error counts: a client that asks who leads before it goes on there chooses to wait.
    """
    if evidence.subject.bystander_instance:
        exchanges = evidence.bystander_exchanges
        spans = [_span(item) for item in exchanges if item.request.api not in MAY_WAIT]
        yield from put_off(exchanges)
    else:
        spans = [_span(item) for item in evidence.exchanges if _good(evidence, item)]
        yield from _without_coordinator(evidence)
    yield from (span for span in spans if span[1] - span[0] < MAX_DELAY_US)


def _without_coordinator(evidence: WireEvidence) -> Iterator[tuple[int, int]]:
    """Yield spans in which a group had no coordinator, since it was stopped with the leader: both are committed there.

    Each ends when an answer names the next one, so it has to ask.
    """
    for stop in (item for item in evidence.events.engine if item.kind is EngineKind.STOPPED):
        before = (item.request for item in evidence.exchanges if item.request.at < stop.at)
        if any(item.api == apis.OFFSET_COMMIT and item.broker == stop.broker for item in before):
            named = (item.done_at for item in evidence.exchanges if _names_another(evidence, item, stop.broker))
            end = min((at for at in named if at > stop.at), default=stop.at)
            yield stop.at, end


def _names_another(evidence: WireEvidence, item: Exchange, broker: int) -> bool:
    """Return whether an answer names another coordinator of the group than this broker."""
    if item.request.api != apis.FIND_COORDINATOR or item.answer is None or item.answer.code:
        return False
    rows = (row for row in item.answer.rows if row.key in {evidence.subject.group, ""} and not row.code)
    return any(row.leader not in {None, -1, broker} for row in rows)


def _good(evidence: WireEvidence, item: Exchange) -> bool:
    """Return whether work on the bystander partition was answered without an error."""
    if item.answer is None or item.answer.error or item.answer.code or not evidence.is_work(item.request.api):
        return False
    rows = [row for row in item.answer.rows if evidence.is_beside(row)]
    return bool(rows) and not any(row.code for row in rows)


def _span(item: Exchange) -> tuple[int, int]:
    return item.request.at, item.done_at
