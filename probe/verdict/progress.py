"""How far a trial has come: hits, errors, recovery, and whether it was watched long enough."""

from __future__ import annotations

from dataclasses import dataclass

from probe.model import App, Header, Reaction, Symptom
from probe.verdict.broker_delay import JOINS, MAX_DELAY_US, broker_delay_so_far_ms
from probe.verdict.hits import Hit, find_hits
from probe.verdict.recovery import Recovery, find_recovery
from probe.verdict.service import Errors, bystander_served_at, find_errors, here_since, served_at, serves
from probe.verdict.wire_evidence import WireEvidence

PATIENCE_FACTOR = 1.2
"""So many times its own limit is what a client is given (SEMANTICS 2, patience)."""
TOLERANCE_MS = 100
"""Watches end a little early or late."""
SUCCESSES_AFTER_REVERT = 3
"""So many successes after the fault was mended, and a client works again."""
WITHHELD_US = 2_000_000
"""A request is kept if it waits longer than any long poll."""
GRACE_MS = 2000
"""A client is due so much beyond `prompt` from the moment it can recover."""
MAX_GRACE_WATCH_MS = 10000
"""Where the new target comes late (slow elections), a client is due the watch from then on, up to so much."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The evidence that says whether a trial is over."""

    reading: WireEvidence
    hits: tuple[Hit, ...]
    errors: Errors
    recovery: Recovery

    @property
    def first_hit(self) -> int | None:
        """Return when the fault first met the client."""
        return self.hits[0].at if self.hits else None

    @property
    def watched_ms(self) -> int:
        """Return how long the window is, or has been so far."""
        timeline = self.reading.timeline
        return max(self.reading.header.watched_ms, (timeline.until - timeline.begin) // 1000)


def observe(evidence: WireEvidence) -> Progress:
    """Find hits, errors and recovery."""
    hits = find_hits(evidence)
    errors = find_errors(evidence, hits[0].at if hits else None)
    return Progress(evidence, hits, errors, find_recovery(evidence, hits, errors))


def reached(progress: Progress) -> bool:
    """Say whether the client reached what is asked of it.

    Recovered; where surfacing is expected, one error, and the bystander serves; where nothing is, it serves.
    """
    evidence, expects = progress.reading, progress.reading.play.expects
    if expects is Reaction.NOTHING:
        return serves(evidence, served_at(evidence, evidence.subject.affected))
    if expects is Reaction.SURFACE:
        return bool(progress.errors.affected) and _bystander_serves(evidence, progress.errors.affected[0])
    return progress.recovery.at is not None


def has_recovered(progress: Progress) -> bool | None:
    """Say whether the client recovered; None where it had nothing to recover from."""
    if not progress.hits or progress.reading.play.expects is Reaction.NOTHING:
        return None
    return progress.recovery.at is not None


def _bystander_serves(evidence: WireEvidence, error: App) -> bool:
    """Say whether the bystander had a success after the first error, if it ever had one."""
    served = bystander_served_at(evidence)
    return not served or served[-1] > error.at


def patience_ms(header: Header) -> int:
    """Return for how long after the fault a trial that has not recovered is watched before it is called stuck.

    max(watch, 1.2 x the client's own limit), and the election on top where that takes longer than `prompt`. A client
    that was told the old leader and asks no sooner than its minimum discovery age has that for a limit, too.
    """
    election = header.play.election_ms or 0
    late = election if election > header.play.prompt_ms else 0
    return max(header.play.watch_ms, _own_time_ms(header)) + late


def _own_time_ms(header: Header) -> int:
    return round(PATIENCE_FACTOR * max(header.limits.own_limit_ms, header.limits.min_discovery_age_ms))


def watched_enough(progress: Progress) -> bool:
    """Say whether a client that has not reached its goal was given all the time it is due."""
    header = progress.reading.header
    due_ms: float = header.play.watch_ms if _succeeded_after_revert(progress) else patience_ms(header)
    due_ms += broker_delay_so_far_ms(progress.reading, progress.recovery)
    if progress.watched_ms + TOLERANCE_MS < due_ms or progress.recovery.pending:
        return False
    due = DUE.get(header.play.expects)
    return due is None or due(progress)


def kept_waiting(progress: Progress) -> bool:
    """Say whether the client has met no fault yet because a broker keeps its request about the affected object.

    Measured on 3.9: a produce request that waits for replicas when its log dir dies is answered at its own timeout.
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
    """Say whether a client that should have told of an error works again after it: there is nothing left to tell."""
    evidence, healed = progress.reading, progress.reading.timeline.healed
    if evidence.play.expects is not Reaction.SURFACE or healed is None or healed > evidence.timeline.until:
        return False
    since = [at for at in served_at(evidence, evidence.subject.affected) if at > healed]
    return len(since) >= SUCCESSES_AFTER_REVERT and not progress.errors.affected


def _enough_to_discover(progress: Progress) -> bool:
    """Nobody can go to a target that was never announced; a late one, or a late first hit, is waited for."""
    timeline, play = progress.reading.timeline, progress.reading.play
    if timeline.available is None:
        return False
    met = timeline.begin if progress.first_hit is None else progress.first_hit
    possible = max(timeline.available, met)  # a broker may keep a request for long before it answers with the error
    fair = _own_time_ms(progress.reading.header)  # it may have asked just before it could have been told
    if (possible - timeline.begin) // 1000 > play.prompt_ms:
        fair = max(fair, play.prompt_ms + GRACE_MS, min(play.watch_ms, MAX_GRACE_WATCH_MS))
    return (timeline.until - possible) // 1000 + TOLERANCE_MS >= fair


def _enough_to_retry(progress: Progress) -> bool:
    """Nobody can recover from a fault that still stands."""
    timeline, play = progress.reading.timeline, progress.reading.play
    if timeline.healed is not None and timeline.healed <= timeline.until:
        fair = max(play.prompt_ms + GRACE_MS, _own_time_ms(progress.reading.header))  # it may have tried just before
        return (timeline.until - timeline.healed) // 1000 + TOLERANCE_MS >= fair
    return not progress.hits or (timeline.until - progress.hits[-1].at) // 1000 >= GRACE_MS


def here_ms(progress: Progress) -> int:
    """Return for how long the client was there to be watched: one that is started under the fault comes when it can."""
    return (progress.reading.timeline.until - here_since(progress.reading)) // 1000


def _waits_for_members(evidence: WireEvidence) -> bool:
    """Say whether a request to join is kept until another member, which left without a word, is given up."""
    due_us = PATIENCE_FACTOR * (evidence.setting_us("session_timeout_ms") or 0)
    now = evidence.timeline.until
    for item in evidence.exchanges:
        waits = item.answer is None or item.answer.at > now
        open_yet = evidence.closings.get(item.request.conn, now) >= now
        if item.request.api in JOINS and waits and open_yet and now - item.request.at < due_us:
            return True
    return False


def _enough_to_serve(progress: Progress) -> bool:
    """Nobody is stuck who was served a moment ago: brokers pause, too, and one look at the end would find that."""
    evidence = progress.reading
    served = served_at(evidence, evidence.subject.affected)
    since = max([here_since(evidence), *served])
    if _waits_for_members(evidence):
        return False
    return (evidence.timeline.until - since) // 1000 >= min(evidence.play.watch_ms, MAX_GRACE_WATCH_MS)


DUE = {
    Reaction.NOTHING: _enough_to_serve,
    Reaction.DISCOVER: _enough_to_discover,
    Reaction.RETRY: _enough_to_retry,
}
