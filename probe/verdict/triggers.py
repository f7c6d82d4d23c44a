"""Find why a client asked, by elimination (docs/verdicts.md#trigger). No time window attributes a trigger."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter

from probe.model import Symptom, Target, Trigger
from probe.model.lazy_attribute import lazy
from probe.verdict import apis
from probe.verdict.discovery import Discovery, first_requests
from probe.verdict.hits import Hit
from probe.verdict.refresh_schedule import RefreshSchedule, find_refresh_schedule
from probe.verdict.wire_evidence import Exchange, WireEvidence

BECAUSE_OF_ERROR_US = 1_000_000
"""A connection that the client closes within this time after an error answer was closed because of the error."""
IGNORED_ERRORS = 3
"""Failed attempts in a row, each begun after the error answer to the last one. A client that sent no discovery since
does not ask because of such an answer. The first may have been concurrent with others; on the second some only wait."""
HABIT = 3
"""Number of connections begun with a discovery that show a client which asks on connect."""
DONE_AT = attrgetter("done_at")


@dataclass
class Clues:
    """The input for explaining a trial's discoveries."""

    reading: WireEvidence
    discoveries: tuple[Discovery, ...]
    first_hit: int | None

    @lazy
    def refreshes(self) -> RefreshSchedule:
        """Return the periodic refresh, derived from the discoveries before the fault."""
        return find_refresh_schedule(self.reading, self.discoveries)

    @lazy
    def opened(self) -> dict[int, int]:
        """Return when each connection was opened."""
        return {event.conn: event.at for event in self.reading.events.opened}

    @lazy
    def useful(self) -> list[int]:
        """Return when answers that name the target came."""
        return sorted(item.answered for item in self.discoveries if item.useful and item.answered is not None)

    @lazy
    def errors(self) -> list[int]:
        """Return when error answers about the affected object came, and when the client reacted to one.

        Where the other partition moves, too, its error answers make the client ask for both.
        """
        since = self.reading.timeline.earliest
        came = {*map(DONE_AT, self.refusals), *self.reading.refused_beside}
        answers = sorted(at for at in came if at >= since)
        closings = (
            event.at for event in self.reading.events.closed if event.by == "client" and _just_before(answers, event.at)
        )
        return sorted([*answers, *closings])

    @lazy
    def losses(self) -> list[int]:
        """Return when a connection was lost or could not be opened, or a request timed out, since the fault."""
        return sorted([*_lost(self.reading, self.errors), *_timed_out(self.reading)])

    def unheeded(self, at: int) -> bool:
        """Return whether error answers had not made the client ask before it lost a connection, which it had by `at`.

        Example: sarama without KAFKA_STORAGE_ERROR ignores these answers, and asks when the broker is restarted.
        """
        last = bisect_right(self.errors, at)
        lost = bisect_right(self.losses, self.errors[last - 1]) if last else len(self.losses)
        return lost < bisect_right(self.losses, at) and self.ignored(at, self.losses[lost])

    def ignored(self, at: int, until: int) -> bool:
        """Return whether errors since the last useful answer before `at` had not made the client ask until a time."""
        since = self._reported(at)
        errors = self.errors[bisect_right(self.errors, since) : bisect_right(self.errors, at)]
        if not errors or bisect_left(self.asked, errors[0]) != bisect_right(self.asked, until):
            return False
        return self._attempts(since, until) >= IGNORED_ERRORS

    @lazy
    def asked(self) -> list[int]:
        """Return when discoveries were sent."""
        return [item.at for item in self.discoveries]

    def _attempts(self, since: int, until: int) -> int:
        """Count error answers of the target's own APIs in a span. Those to concurrent requests count as one."""
        count = 0
        for number in range(bisect_right(self.refusals, since, key=DONE_AT), len(self.refusals)):
            item = self.refusals[number]
            if item.done_at > until or count == IGNORED_ERRORS:
                break
            if item.request.at > since and self.reading.is_work(item.request.api):
                count, since = count + 1, item.done_at
        return count

    @lazy
    def refusals(self) -> list[Exchange]:
        """Return exchanges that ended with an error about the affected object, by the time of the answer."""
        return sorted((item for item in self.reading.exchanges if item.answer and item.codes), key=DONE_AT)

    @lazy
    def first_request(self) -> dict[int, int]:
        """Return when each connection carried its first request after the handshake."""
        return {conn: request.at for conn, request in first_requests(self.reading).items()}

    @lazy
    def asks_on_connect(self) -> bool:
        """Return whether most connections between warm-up and the fault, and at least three, began with a discovery.

        Those of the start prove nothing, since every client's begin so; one without other work may be made for it.
        """
        begin, warm = self.reading.timeline.begin, self.reading.timeline.warm
        asked = {(item.at, item.conn) for item in self.discoveries}
        idle = apis.HANDSHAKE | apis.DISCOVERY
        requests = (item.request for item in self.reading.exchanges)
        worked = {one.conn for one in requests if one.at < begin and one.api not in idle}
        began = [
            (at, conn) in asked
            for conn, at in self.first_request.items()
            if at < begin and conn in worked and self.opened.get(conn, 0) >= warm
        ]
        return sum(began) >= HABIT and 2 * sum(began) > len(began)

    def since_reported(self, times: list[int], at: int) -> bool:
        """Return whether one of `times` lies between the last useful answer and `at`."""
        return bisect_right(times, at) > bisect_right(times, self._reported(at))

    def _reported(self, at: int) -> int:
        """Return the time of the last useful answer before `at`, or a time before the fault."""
        known = bisect_right(self.useful, at)
        return self.useful[known - 1] if known else self.reading.timeline.earliest - 1


def _just_before(answers: list[int], at: int) -> bool:
    return bisect_right(answers, at) > bisect_left(answers, at - BECAUSE_OF_ERROR_US)


def _lost(evidence: WireEvidence, errors: list[int]) -> list[int]:
    """Return when connections were cut by others, closed with a request unanswered, or closed without one answer."""
    begin = evidence.timeline.earliest
    answered = {item.answer.conn for item in evidence.exchanges if item.answer}
    waiting = _waiting(evidence)
    found = []
    for event in evidence.events.closed:
        if event.at < begin or (event.by == "client" and _just_before(errors, event.at)):
            continue
        if event.by != "client" or event.conn in waiting or event.conn not in answered:
            found.append(event.at)
    return found


def _waiting(evidence: WireEvidence) -> set[int]:
    """Return the connections that ended with a request unanswered."""
    return {item.request.conn for item in evidence.exchanges if item.answer is None and item.request.acks != 0}


def _timed_out(evidence: WireEvidence) -> list[int]:
    """Return when requests had been unanswered for the client's own timeout (one second where it is not known)."""
    limit = _timeout_us(evidence)
    if limit is None:
        return []
    due = [(item, item.request.at + limit) for item in evidence.exchanges if item.request.acks != 0]
    begin = evidence.timeline.begin
    return [at for item, at in due if at >= begin and not _over(evidence, item, at)]


def _over(evidence: WireEvidence, item: Exchange, at: int) -> bool:
    """Return whether an exchange had ended by then, with its answer or with its connection."""
    ended = item.answer.at if item.answer else evidence.closings.get(item.request.conn, at + 1)
    return ended < at


def _timeout_us(evidence: WireEvidence) -> int | None:
    known = map(evidence.setting_us, ("request_timeout_ms", "socket_timeout_ms"))
    limits = [limit for limit in known if limit]
    if limits:
        return min(limits)
    return 1_000_000 if evidence.play.kind is Symptom.SILENCE else None


def _startup(clues: Clues, item: Discovery) -> bool:
    return item.at < clues.reading.timeline.warm


def _bootstrap(clues: Clues, item: Discovery) -> bool:
    """Return whether the client started over at a bootstrap address: no connection from before the first hit is left.

    Where bootstrap addresses are brokers like others this looks like a reconnect, so only scenarios about the whole
    cluster have it.
    """
    told_apart = Trigger.BOOTSTRAP in clues.reading.causes or clues.reading.play.target is Target.CLUSTER
    if not told_apart or item.broker not in clues.reading.subject.bootstrap or not _opened_after_hit(clues, item):
        return False
    hit = clues.first_hit or 0
    before = [conn for conn, at in clues.opened.items() if at < hit]
    return all(clues.reading.closings.get(conn, item.at) < item.at for conn in before)


def _connect(clues: Clues, item: Discovery) -> bool:
    first = clues.first_request.get(item.conn) == item.at
    return first and _opened_after_hit(clues, item) and clues.asks_on_connect


def _opened_after_hit(clues: Clues, item: Discovery) -> bool:
    return clues.first_hit is not None and clues.opened.get(item.conn, 0) > clues.first_hit


def _periodic(clues: Clues, item: Discovery) -> bool:
    # a busy machine may wake a client late, which had ignored errors until then
    late = clues.refreshes.overdue(item.at) and clues.ignored(item.at, item.at - 1)
    return clues.refreshes.predict(item.at) or late


def _disconnect(clues: Clues, item: Discovery) -> bool:
    if not clues.since_reported(clues.losses, item.at):
        return False
    return not clues.since_reported(clues.errors, item.at) or clues.unheeded(item.at)


def _error(clues: Clues, item: Discovery) -> bool:
    return clues.since_reported(clues.errors, item.at)


ELIMINATION: tuple[tuple[Trigger, Callable[[Clues, Discovery], bool]], ...] = (
    (Trigger.STARTUP, _startup),
    (Trigger.BOOTSTRAP, _bootstrap),
    (Trigger.CONNECT, _connect),
    (Trigger.PERIODIC, _periodic),
    (Trigger.DISCONNECT, _disconnect),
    (Trigger.ERROR, _error),
)
"""The first match wins. A discovery without a match is `unknown`."""


def explain(evidence: WireEvidence, discoveries: tuple[Discovery, ...], hits: tuple[Hit, ...]) -> tuple[Discovery, ...]:
    """Return the discoveries with their triggers."""
    clues = Clues(evidence, discoveries, hits[0].at if hits else None)
    return tuple(_explained(clues, item) for item in discoveries)


def _explained(clues: Clues, item: Discovery) -> Discovery:
    trigger = next((trigger for trigger, explains in ELIMINATION if explains(clues, item)), Trigger.UNKNOWN)
    return replace(item, trigger=trigger, unheeded=trigger is Trigger.DISCONNECT and clues.unheeded(item.at))
