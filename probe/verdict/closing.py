"""The close() of a client under a fault (docs/verdicts.md#closing). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from probe.model import App, AppKind, MarkKind, Target
from probe.model.counts import counted
from probe.model.roles import ROLES, WRITERS
from probe.protocol.apis import HEARTBEATS_BY_BROKER, LEAVE_GROUP
from probe.verdict.wire_evidence import WireEvidence
from probe.verdict.wire_proof import WIRE

OUTCOMES = frozenset({AppKind.ACKED, AppKind.SEND_ERROR})
LEAVING = frozenset({LEAVE_GROUP, *HEARTBEATS_BY_BROKER})
ENDINGS = frozenset({AppKind.CLOSED, AppKind.FATAL, AppKind.UNSUPPORTED})
LEFT_BEHIND_MS = 1000
"""A close() that ends so shortly before the limit, in milliseconds, was cut short by the driver."""


@dataclass(frozen=True, slots=True)
class Closing:
    """The application's view of a close()."""

    ended: bool
    """It returned before the limit."""
    broken: tuple[str, ...]
    """Duties of a closing client that it did not fulfil."""
    unreported: int = 0
    """Records handed over of which the application learned nothing."""


def find_closing(evidence: WireEvidence) -> Closing:
    """Judge the end of an instance that was asked to close."""
    if _hung(evidence):
        return Closing(ended=False, broken=())
    owed, unreported = [], _unreported(evidence)
    if unreported:
        owed.append(f"{counted(unreported, 'record')} without an outcome at the end of close()")
    if not _left(evidence):
        owed.append("its group was not left, although its coordinator was healthy")
    return Closing(ended=True, broken=tuple(owed), unreported=unreported)


def hung(ending: App | None, limit_ms: int, took_us: int) -> bool:
    """Return whether a close() did not return: drivers leave a call behind shortly before their limit."""
    left_behind = took_us >= (limit_ms - LEFT_BEHIND_MS) * 1000
    return ending is None or ending.kind is not AppKind.CLOSED or left_behind


def _hung(evidence: WireEvidence) -> bool:
    ending = next((item for item in evidence.events.apps if item.kind in ENDINGS), None)
    asked = next((mark for mark in evidence.events.marks if mark.kind is MarkKind.STOPPING), None)
    if ending is None or asked is None or not asked.text.isdecimal():
        return ending is None or ending.kind is not AppKind.CLOSED
    return hung(ending, int(asked.text), ending.at - asked.at)


def _unreported(evidence: WireEvidence) -> int:
    """Count records handed over of which the application learned nothing. Whole applications report none."""
    if evidence.role not in WRITERS or evidence.header.judged_by == WIRE:
        return 0
    return len(without_outcome(evidence.events.apps))


def without_outcome(apps: Iterable[App]) -> set[tuple[int, int]]:
    """Return the records (partition, number) handed over of which the application learned nothing."""
    every = list(apps)
    sent = {(item.partition, item.sequence) for item in every if item.kind is AppKind.SENT}
    return sent - {(item.partition, item.sequence) for item in every if item.kind in OUTCOMES}


def _left(evidence: WireEvidence) -> bool:
    """Return whether a member said that it leaves. It cannot if the coordinator is what fails."""
    stopping = evidence.timeline.stopping
    if not ROLES[evidence.role].member or evidence.play.target is Target.COORDINATOR or stopping is None:
        return True
    return any(item.api in LEAVING and item.at >= stopping for item in evidence.events.requests)
