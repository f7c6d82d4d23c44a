"""How far a trial has come: hits, errors, recovery, and whether it was watched long enough."""

from __future__ import annotations

from dataclasses import dataclass

from probe.model import App, Expects, Header, Kind
from probe.verdict.broker_delay import JOINS, LONGEST_KEPT_US, kept_so_far_ms
from probe.verdict.hits import Hit, find_hits
from probe.verdict.recovery import Recovery, find_recovery
from probe.verdict.service import Errors, bystander_served_at, find_errors, here_since, served_at, serves
from probe.verdict.wire_evidence import Reading

PATIENT = 1.2
"""So many times its own limit is what a client is given (SEMANTICS 2, patience)."""
TOLERANCE_MS = 100
"""Watches end a little early or late."""
WENT_ON = 3
"""So many successes after the fault was mended, and a client works again."""
KEPT_US = 2_000_000
"""A request is kept if it waits longer than any long poll."""
FAIR_MS = 2000
"""A client is due so much beyond `prompt` from the moment it can recover."""
FAIR_WATCH_MS = 10000
"""Where the new target comes late (slow elections), a client is due the watch from then on, up to so much."""


@dataclass(frozen=True, slots=True)
class Course:
    """The evidence that says whether a trial is over."""

    reading: Reading
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
        moments = self.reading.moments
        return max(self.reading.header.watched_ms, (moments.until - moments.begin) // 1000)


def follow(reading: Reading) -> Course:
    """Find hits, errors and recovery."""
    hits = find_hits(reading)
    errors = find_errors(reading, hits[0].at if hits else None)
    return Course(reading, hits, errors, find_recovery(reading, hits, errors))


def reached(course: Course) -> bool:
    """Say whether the client reached what is asked of it.

    Recovered; where surfacing is expected, one error, and the bystander serves; where nothing is, it serves.
    """
    reading, expects = course.reading, course.reading.play.expects
    if expects is Expects.NOTHING:
        return serves(reading, served_at(reading, reading.subject.affected))
    if expects is Expects.SURFACE:
        return bool(course.errors.affected) and _bystander_serves(reading, course.errors.affected[0])
    return course.recovery.at is not None


def has_recovered(course: Course) -> bool | None:
    """Say whether the client recovered; None where it had nothing to recover from."""
    if not course.hits or course.reading.play.expects is Expects.NOTHING:
        return None
    return course.recovery.at is not None


def _bystander_serves(reading: Reading, error: App) -> bool:
    """Say whether the bystander had a success after the first error, if it ever had one."""
    served = bystander_served_at(reading)
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
    return round(PATIENT * max(header.limits.own_limit_ms, header.limits.min_discovery_age_ms))


def watched_enough(course: Course) -> bool:
    """Say whether a client that has not reached its goal was given all the time it is due."""
    header = course.reading.header
    due_ms: float = header.play.watch_ms if _went_on(course) else patience_ms(header)
    due_ms += kept_so_far_ms(course.reading, course.recovery)
    if course.watched_ms + TOLERANCE_MS < due_ms or course.recovery.pending:
        return False
    due = DUE.get(header.play.expects)
    return due is None or due(course)


def kept_waiting(course: Course) -> bool:
    """Say whether the client has met no fault yet because a broker keeps its request about the affected object.

    Measured on 3.9: a produce request that waits for replicas when its log dir dies is answered at its own timeout.
    """
    if course.hits or course.reading.play.kind is not Kind.ANSWER:
        return False
    reading, now = course.reading, course.reading.moments.until
    return any(
        item.answer is None
        and item.request.acks != 0
        and KEPT_US < now - item.request.at < LONGEST_KEPT_US
        and item.request.conn not in reading.closings
        for item in reading.exchanges
    )


def _went_on(course: Course) -> bool:
    """Say whether a client that should have told of an error works again after it: there is nothing left to tell."""
    reading, healed = course.reading, course.reading.moments.healed
    if reading.play.expects is not Expects.SURFACE or healed is None or healed > reading.moments.until:
        return False
    since = [at for at in served_at(reading, reading.subject.affected) if at > healed]
    return len(since) >= WENT_ON and not course.errors.affected


def _enough_to_discover(course: Course) -> bool:
    """Nobody can go to a target that was never announced; a late one, or a late first hit, is waited for."""
    moments, play = course.reading.moments, course.reading.play
    if moments.available is None:
        return False
    met = moments.begin if course.first_hit is None else course.first_hit
    possible = max(moments.available, met)  # a broker may keep a request for long before it answers with the error
    fair = _own_time_ms(course.reading.header)  # it may have asked just before it could have been told
    if (possible - moments.begin) // 1000 > play.prompt_ms:
        fair = max(fair, play.prompt_ms + FAIR_MS, min(play.watch_ms, FAIR_WATCH_MS))
    return (moments.until - possible) // 1000 + TOLERANCE_MS >= fair


def _enough_to_retry(course: Course) -> bool:
    """Nobody can recover from a fault that still stands."""
    moments, play = course.reading.moments, course.reading.play
    if moments.healed is not None and moments.healed <= moments.until:
        fair = max(play.prompt_ms + FAIR_MS, _own_time_ms(course.reading.header))  # it may have tried just before
        return (moments.until - moments.healed) // 1000 + TOLERANCE_MS >= fair
    return not course.hits or (moments.until - course.hits[-1].at) // 1000 >= FAIR_MS


def here_ms(course: Course) -> int:
    """Return for how long the client was there to be watched: one that is started under the fault comes when it can."""
    return (course.reading.moments.until - here_since(course.reading)) // 1000


def _waits_for_members(reading: Reading) -> bool:
    """Say whether a request to join is kept until another member, which left without a word, is given up."""
    due_us = PATIENT * (reading.setting_us("session_timeout_ms") or 0)
    now = reading.moments.until
    for item in reading.exchanges:
        waits = item.answer is None or item.answer.at > now
        open_yet = reading.closings.get(item.request.conn, now) >= now
        if item.request.api in JOINS and waits and open_yet and now - item.request.at < due_us:
            return True
    return False


def _enough_to_serve(course: Course) -> bool:
    """Nobody is stuck who was served a moment ago: brokers pause, too, and one look at the end would find that."""
    reading = course.reading
    served = served_at(reading, reading.subject.affected)
    since = max([here_since(reading), *served])
    if _waits_for_members(reading):
        return False
    return (reading.moments.until - since) // 1000 >= min(reading.play.watch_ms, FAIR_WATCH_MS)


DUE = {
    Expects.NOTHING: _enough_to_serve,
    Expects.DISCOVER: _enough_to_discover,
    Expects.RETRY: _enough_to_retry,
}
