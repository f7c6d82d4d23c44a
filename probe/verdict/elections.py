"""Measure elections of real brokers, for the embedded engine's `--election`."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from probe.model import Election, EngineKind, History
from probe.verdict.hits import find_hits
from probe.verdict.wire_evidence import WireEvidence


def election(history: History) -> Election | None:
    """Measure the time from the first hit to the new leader, and from then until all brokers name it.

    None where there was no election, or where nobody took over and the leader came back. Where the new leader was in
    office before the first hit, as in a controlled shutdown, the first time is 0.
    """
    evidence = WireEvidence(history)
    moved, named = (evidence.events.engine_at(kind) for kind in (EngineKind.MOVED, EngineKind.ANNOUNCED))
    if moved is None or named is None or evidence.timeline.fault is None or _came_back(evidence, moved):
        return None
    hit = min((hit.at for hit in find_hits(evidence) if not hit.soft), default=evidence.timeline.fault)
    return Election(max(0, moved - hit) // 1000, max(0, named - moved) // 1000)


def _came_back(evidence: WireEvidence, moved: int) -> bool:
    moves = (event for event in evidence.events.engine if event.kind is EngineKind.MOVED and event.at == moved)
    return any(event.broker == evidence.subject.old for event in moves)


def typical(found: Iterable[Election]) -> Election:
    """Return the medians. Raises ValueError without an election."""
    times = zip(*((one.ms, one.shown_ms) for one in found), strict=True)
    return Election(*(round(median(column)) for column in times))
