"""Progress of a trial: hits, errors, recovery, and whether the observation is long enough."""

from __future__ import annotations

from dataclasses import dataclass

from probe.model import App, Reaction, Symptom, Target
from probe.verdict.broker_delay import JOINS, MAX_DELAY_US, broker_delay_so_far_ms
from probe.verdict.hits import Hit, find_hits
from probe.verdict.patience import PATIENCE_FACTOR, own_time_ms, patience_ms
from probe.verdict.recovery import Recovery, find_recovery
from probe.verdict.service import Errors, bystander_served_at, find_errors, here_since, served_at, serves
from probe.verdict.wire_evidence import WireEvidence

TOLERANCE_MS = 100
"""Observations may end this much early or late."""
SUCCESSES_AFTER_REVERT = 3
"""Number of successes after the revert that prove that a client works again."""
WITHHELD_US = 2_000_000
"""A broker keeps a request if it stays unanswered for longer than any long poll."""
GRACE_MS = 2000
"""A client is given this time beyond `prompt` from the moment at which it can recover."""
MAX_GRACE_WATCH_MS = 10000
"""Where the new target comes late (slow elections), a client is given the scenario's observation again from then on, at
most this time."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The evidence on which the end of a trial depends."""

    reading: WireEvidence
    hits: tuple[Hit, ...]
    errors: Errors
    recovery: Recovery

    @property
    def first_hit(self) -> int | None:
        """Return when the client first met the fault."""
        return self.hits[0].at if self.hits else None

    @property
    def watched_ms(self) -> int:
        """Return the length of the window so far."""
        timeline = self.reading.timeline
        return max(self.reading.header.watched_ms, (timeline.until - timeline.begin) // 1000)


def observe(evidence: WireEvidence) -> Progress:
    """Find the hits, the errors and the recovery."""
    hits = find_hits(evidence)
    errors = find_errors(evidence, hits[0].at if hits else None)
    return Progress(evidence, hits, errors, find_recovery(evidence, hits, errors))


def reached(progress: Progress) -> bool:
    """Return whether the client reached its goal (docs/verdicts.md#goal)."""
    evidence, expects = progress.reading, progress.reading.play.expects
    if expects is Reaction.NOTHING:
        return all(serves(evidence, served_at(evidence, partition)) for partition in evidence.partitions)
    if expects is Reaction.SURFACE:
        return bool(progress.errors.affected) and _bystander_serves(evidence, progress.errors.affected[0])
    return progress.recovery.at is not None


def has_recovered(progress: Progress) -> bool | None:
    """Return whether the client recovered. None where it had nothing to recover from."""
    if not progress.hits or progress.reading.play.expects is Reaction.NOTHING:
        return None
    return progress.recovery.at is not None


def _bystander_serves(evidence: WireEvidence, error: App) -> bool:
    """Return whether the bystander had a success after the first error, if it ever had one."""
    served = bystander_served_at(evidence)
    return not served or served[-1] > error.at


def watched_enough(progress: Progress) -> bool:
    """Return whether a client that has not reached its goal was observed for as long as the rules require."""
    if progress.recovery.proven:
        return True
    header = progress.reading.header
    due_ms: float = header.play.watch_ms if _succeeded_after_revert(progress) else patience_ms(header)
    due_ms += broker_delay_so_far_ms(progress.reading, progress.recovery)
    if progress.watched_ms + TOLERANCE_MS < due_ms or progress.recovery.pending:
        return False
    due = DUE.get(header.play.expects)
    return due is None or due(progress)


def kept_waiting(progress: Progress) -> bool:
    """Return whether the client has no hit yet because a broker keeps its request about the affected object.

    For example, Kafka 3.9 answers a Produce request that waits for replicas at the request's own timeout when its log
    dir fails.
    """
    if progress.hits or progress.reading.play.kind is not Symptom.ANSWER:
        return False
    evidence, now = progress.reading, progress.reading.timeline.until
    return any(
        item.answer is None
        and item.request.acks != 0
        and WITHHELD_US < now - item.request.at < MAX_DELAY_US
        and item.request.conn not in evidence.closings
        for item in evidence.exchanges
    )


def _succeeded_after_revert(progress: Progress) -> bool:
    """Return whether a client that had to surface an error works again after the revert, without any error left."""
    evidence, healed = progress.reading, progress.reading.timeline.healed
    if evidence.play.expects is not Reaction.SURFACE or healed is None or healed > evidence.timeline.until:
        return False
    since = [at for at in served_at(evidence, evidence.subject.affected) if at > healed]
    return len(since) >= SUCCESSES_AFTER_REVERT and not progress.errors.affected


def _enough_to_discover(progress: Progress) -> bool:
    """Return whether there was time to discover the target. A late target or first hit extends the time."""
    timeline, play = progress.reading.timeline, progress.reading.play
    if timeline.available is None:
        return False
    met = timeline.begin if progress.first_hit is None else progress.first_hit
    possible = max(timeline.available, met)  # a broker may keep a request for long before it answers with the error
    fair = own_time_ms(progress.reading.header)  # it may have asked just before it could get the target
    if (possible - timeline.begin) // 1000 > play.prompt_ms:
        fair = max(fair, play.prompt_ms + GRACE_MS, min(play.watch_ms, MAX_GRACE_WATCH_MS))
    return (timeline.until - possible) // 1000 + TOLERANCE_MS >= fair


def _enough_to_retry(progress: Progress) -> bool:
    """Return whether there was time to retry: the fault was reverted, or it hit nothing for a while.

    A client that stays with a follower that failed may be hit for ever, though the leader serves: patience is enough.
    """
    timeline, play = progress.reading.timeline, progress.reading.play
    if play.target is Target.FOLLOWER:
        return True
    if timeline.healed is not None and timeline.healed <= timeline.until:
        fair = max(play.prompt_ms + GRACE_MS, own_time_ms(progress.reading.header))  # it may have tried just before
        return (timeline.until - timeline.healed) // 1000 + TOLERANCE_MS >= fair
    return not progress.hits or (timeline.until - progress.hits[-1].at) // 1000 >= GRACE_MS


def here_ms(progress: Progress) -> int:
    """Return how long the client was observed. A client that starts under the fault is counted from its first event."""
    return (progress.reading.timeline.until - here_since(progress.reading)) // 1000


def _waits_for_members(evidence: WireEvidence) -> bool:
    """Return whether a JoinGroup request is kept until the coordinator removes a member that left without notice."""
    due_us = PATIENCE_FACTOR * (evidence.setting_us("session_timeout_ms") or 0)
    now = evidence.timeline.until
    for item in evidence.exchanges:
        waits = item.answer is None or item.answer.at > now
        open_yet = evidence.closings.get(item.request.conn, now) >= now
        if item.request.api in JOINS and waits and open_yet and now - item.request.at < due_us:
            return True
    return False


def _enough_to_serve(progress: Progress) -> bool:
    """Return whether the client was not served for long enough, since brokers pause, too."""
    evidence = progress.reading
    last = min(max(served_at(evidence, partition), default=0) for partition in evidence.partitions)
    since = max(here_since(evidence), last)
    if _waits_for_members(evidence):
        return False
    return (evidence.timeline.until - since) // 1000 >= min(evidence.play.watch_ms, MAX_GRACE_WATCH_MS)


DUE = {
    Reaction.NOTHING: _enough_to_serve,
    Reaction.DISCOVER: _enough_to_discover,
    Reaction.RETRY: _enough_to_retry,
}
