"""Obligations of a client once its operations succeed again (docs/verdicts.md#owed). Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from probe.model.group_settings import HEARTBEAT_MS
from probe.model.roles import ROLES
from probe.protocol import apis
from probe.protocol.names import error_code
from probe.verdict.service import started_at
from probe.verdict.wire_evidence import WireEvidence

STANDS_STILL_US = 3_000_000
"""A client that serves no later operation for this time has not recovered. It is watched for longer (storms)."""
HEARTBEATS = frozenset({apis.HEARTBEAT, *apis.HEARTBEATS_BY_BROKER})
JOINING = frozenset({apis.JOIN_GROUP, apis.SYNC_GROUP, apis.FIND_COORDINATOR})
"""Requests of a member that has no session, or looks for the broker that has it: it owes no heartbeat meanwhile."""
SILENT_INTERVALS = 3
"""Intervals without a heartbeat that show that none comes: libraries' sessions last at least as long by default, and
Kafka's documentation wants an interval of at most a third of the session."""
BY_BROKER_US = HEARTBEAT_MS * 1000
"""Interval of the new group protocols, which brokers set, whatever the library's own setting is."""
MARGIN_US = 1_000_000
"""A heartbeat that is late by less may be on its way, as timers of clients are coarse."""

REBOOTSTRAP_REQUIRED = error_code("REBOOTSTRAP_REQUIRED")
IN_FLIGHT_US = 5_000
"""A request that comes this shortly after an answer may have been sent before the client had read it."""

Succeeded = list[tuple[int, int]]
"""(start, end) of the operations that succeeded"""


@dataclass(frozen=True, slots=True)
class Debt:
    """Something that the role owes and that was not seen."""

    text: str
    """The missing thing, for the reason of the verdict."""
    pending: bool = False
    """It may come yet."""
    proven: bool = False
    """It does not come, whatever the client's patience for this fault is."""


def find_debt(evidence: WireEvidence, recovered: int, succeeded: Succeeded) -> Debt | None:
    """Return the first thing that a client owes at the end of the window, although its operations succeed again.

    `recovered` is the time of the success that would complete the recovery.
    """
    found = (debt for rule in DEBTS if (debt := rule(evidence, recovered, succeeded)) is not None)
    return next(found, None)


def _later_operations(evidence: WireEvidence, recovered: int, succeeded: Succeeded) -> Debt | None:
    """Return a debt if operations began after a recovery and none succeeded: those that had waited did.

    It is that of a writer or an admin; what a reader is given later is up to brokers, too, which may withhold it.
    """
    if ROLES[evidence.role].reads:
        return None
    until = evidence.timeline.until
    waits = any(recovered < began <= until - STANDS_STILL_US for began in started_at(evidence))
    later = any(began > recovered and ended <= until for began, ended in succeeded)
    return Debt("no operation that began after these succeeded") if waits and not later else None


def _heartbeats(evidence: WireEvidence, _: int, __: Succeeded) -> Debt | None:
    """Return a debt if a member of a group sends no heartbeat any more."""
    if not ROLES[evidence.role].member:
        return None
    return find_silence(evidence)


def find_silence(evidence: WireEvidence) -> Debt | None:
    """Return how long a member of a group has sent no heartbeat at the end of the window; None if it owes none.

    A member whose heartbeat is unanswered, that joins its group, or that looks for its coordinator, owes none. Commits
    keep a session of the classic protocol alive, too (GroupCoordinator.doCommitOffsets), but only the answer to a
    heartbeat tells a member that its group rebalances.
    """
    until = evidence.timeline.until
    last = max((at for at in _signs(evidence) if at <= until), default=None)
    if last is None or _waits(evidence):
        return None
    every_us, silent = _interval_us(evidence), until - last
    if every_us is None or silent <= every_us + MARGIN_US:
        return None
    session_us = evidence.setting_us("session_timeout_ms") or SILENT_INTERVALS * every_us
    seconds = f"{silent / 1_000_000:.1f} s, though one is due each {every_us / 1_000_000:g} s"
    proven = silent > min(SILENT_INTERVALS * every_us, session_us) + MARGIN_US
    return Debt(f"no heartbeat in {seconds}", pending=not proven, proven=proven)


def _signs(evidence: WireEvidence) -> Iterator[int]:
    """Yield when a member sent a heartbeat or joined. The frames of a folded span end with one that is not folded."""
    signs = HEARTBEATS | JOINING
    yield from (request.at for request in evidence.events.requests if request.api in signs)
    yield from (item.until for item in evidence.events.folded if item.api in signs)


def _waits(evidence: WireEvidence) -> bool:
    """Return whether a heartbeat or a request to join has no answer yet, on a connection that is still open."""
    until = evidence.timeline.until
    return any(
        (item.answer is None or item.answer.at > until)
        and item.request.at <= until < evidence.closings.get(item.request.conn, until + 1)
        for item in evidence.exchanges
        if item.request.api in HEARTBEATS | JOINING
    )


def _interval_us(evidence: WireEvidence) -> int | None:
    """Return the longest time from one heartbeat to the next that is usual for a member; None if nothing shows it.

    It is the library's setting, or what the member did before the fault, if that is longer: old libraries send
    heartbeats only while they poll. Of the new protocols (KIP-848, KIP-932, KIP-1071) the broker sets it.
    """
    beats = [request for request in evidence.events.requests if request.api in HEARTBEATS]
    before = [request.at for request in beats if request.at <= evidence.timeline.begin]
    learned = max((later - sooner for sooner, later in pairwise(before)), default=0)
    new = any(request.api in apis.HEARTBEATS_BY_BROKER for request in beats)
    return max(BY_BROKER_US if new else evidence.setting_us("heartbeat_ms") or 0, learned) or None


DEBTS: tuple[Callable[[WireEvidence, int, Succeeded], Debt | None], ...] = (_later_operations, _heartbeats)
"""The first one that is found keeps a client from having recovered."""


def stays(evidence: WireEvidence) -> bool:
    """Return whether a client that has to start over asked its next question on the same connection.

    KIP-1102: after REBOOTSTRAP_REQUIRED a client leaves the brokers that it knows, and asks at the addresses of its
    configuration. Where these are addresses of brokers, too, the connection tells.
    """
    questions = [item for item in evidence.exchanges if item.request.api == apis.METADATA]
    for item in questions:
        if item.answer is None or item.answer.code != REBOOTSTRAP_REQUIRED:
            continue
        read = item.answer.at + IN_FLIGHT_US
        following = next((other.request for other in questions if other.request.at > read), None)
        if following is not None and following.conn == item.request.conn:
            return True
    return False
