"""A history prepared for the rules: requests paired with answers, and whether they concern the affected object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from probe.model import App, EngineKind, Folded, History, Request, Response, Row, Symptom, Target, Trigger
from probe.model.lazy_attribute import lazy
from probe.model.roles import ROLES
from probe.verdict import apis
from probe.verdict.affected_object import find_affected
from probe.verdict.instances import separate
from probe.verdict.record_keys import with_partitions
from probe.verdict.timeline import EventIndex, Timeline, find_timeline
from probe.verdict.wire_proof import with_wire_proof

SPREAD_US = 100_000
"""Folded frames count as if they were evenly distributed, one share per 100 ms of their span."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, and its answer if one reached the client."""

    request: Request
    answer: Response | None
    about: bool
    """Request or answer names the affected object."""
    codes: tuple[int, ...]
    """Errors about the affected object in the answer."""
    unread: bool = False
    """Its connection had ended before."""

    @property
    def succeeded(self) -> bool:
        """Return whether the answer is successful.

        With acks=0 there is no answer, and the request counts as successful if a broker may have read it.
        """
        if self.answer is None:
            return self.about and self.request.acks == 0 and not self.unread
        return self.about and not self.codes and not self.answer.error

    @property
    def done_at(self) -> int:
        """Return when the client had its answer."""
        return self.request.at if self.answer is None else self.answer.at


class WireEvidence:
    """The input of the rules. Every value is computed at most once."""

    def __init__(self, history: History) -> None:
        self.header = history.header
        self.play = history.header.play
        self.subject = history.header.subject
        self.role = history.header.cell.role
        ours, self._beside, self._successor = separate(history)
        beside = with_partitions(self.header, self._beside, self.subject.bystander_instance)
        self.bystander_apps = [item for item in beside if isinstance(item, App)]
        self.successor_apps = [item for item in self._successor if isinstance(item, App)]
        self.events = EventIndex(
            with_partitions(self.header, with_wire_proof(self.header, ours), self.subject.instance)
        )
        self.timeline: Timeline = find_timeline(self.header, self.events)
        self.affected = find_affected(history)
        self._ignored = apis.BENIGN - set(self.play.codes)

    @property
    def has_bystander_partition(self) -> bool:
        """Return whether the other partition shares the affected broker, but not the affected object.

        A transaction spans both partitions: a delay of one delays the other.
        """
        whole = self.play.target in {Target.COORDINATOR, Target.CLUSTER} or (
            ROLES[self.role].transactional and self.play.target is Target.LEADER
        )
        return not whole

    @property
    def partitions(self) -> tuple[int, ...]:
        """Return the partitions that have to be served: those of a group of two are judged alike."""
        both = (self.subject.affected, self.subject.bystander)
        return both if self.play.kind is Symptom.MEMBERSHIP else both[:1]

    @lazy
    def judged_apps(self) -> list[App]:
        """Return the events of the application, by time; of a group of two those of both members."""
        if self.play.kind is not Symptom.MEMBERSHIP or not self.successor_apps:
            return self.events.apps
        return sorted([*self.events.apps, *self.successor_apps], key=lambda item: item.at)

    @property
    def clock_us(self) -> int:
        """Return the error bound of the application's times."""
        return self.header.clock_error_us

    @property
    def acks_none(self) -> bool:
        """Return whether the client waits for no answer at all."""
        return self.header.settings.get("acks") == "0"

    def setting_us(self, name: str) -> int | None:
        """Return an effective setting given in milliseconds. None where it is missing or infinite."""
        value = self.header.settings.get(name, "")
        return int(value) * 1000 if value.isdigit() else None

    @lazy
    def causes(self) -> frozenset[Trigger]:
        """Return the triggers that count as "because of the fault".

        With acks=0 an error appears as a closed connection.
        """
        extra = {Trigger.DISCONNECT} if self.acks_none else set[Trigger]()
        return frozenset(self.play.causes) | extra

    @lazy
    def exchanges(self) -> tuple[Exchange, ...]:
        """Return all requests with their answers, by the time of the request."""
        return self._paired(self.events)

    @lazy
    def bystander_exchanges(self) -> tuple[Exchange, ...]:
        """Return the same of the second instance that is the bystander; empty without one."""
        return self._paired(EventIndex(self._beside))

    @lazy
    def successor_exchanges(self) -> tuple[Exchange, ...]:
        """Return the same of the second member of the client's group; empty without one."""
        return self._paired(EventIndex(self._successor))

    @lazy
    def closings(self) -> dict[int, int]:
        """Return when each connection ended."""
        return {event.conn: event.at for event in self.events.closed}

    @lazy
    def refused_beside(self) -> set[int]:
        """Return when error answers about the bystander partition came, if its leader moves in this trial, too.

        That it moves is known from the engine, or from Metadata answers that name several leaders.
        """
        rows = [(answer, row) for answer in self.events.responses for row in answer.rows if self.is_beside(row)]
        named = {row.leader for answer, row in rows if answer.api == apis.METADATA and not row.code} - {None, -1}
        moved = (item for item in self.events.engine if item.kind is EngineKind.MOVED)
        aside = (self.subject.topic, self.subject.bystander)
        moves = len(named) > 1 or any((item.topic, item.partition) == aside for item in moved)
        if self.play.target is not Target.LEADER or not moves:
            return set()
        return {answer.at for answer, row in rows if row.code and row.code not in self._ignored}

    def is_beside(self, row: Row) -> bool:
        """Return whether a row is about the bystander partition."""
        return (row.topic, row.partition) == (self.subject.topic, self.subject.bystander)

    def is_work(self, api: int) -> bool:
        """Return whether only the target can serve an API."""
        return api in apis.work(self.play.target)

    def _paired(self, events: EventIndex) -> tuple[Exchange, ...]:
        answers: dict[tuple[int, int], list[Response]] = {}
        for answer in reversed(events.responses):
            answers.setdefault((answer.conn, answer.corr), []).append(answer)
        ended = {event.conn: event.at for event in events.closed}
        found = []
        for request in events.requests:
            waiting = answers.get((request.conn, request.corr))
            item = self._exchange(request, waiting.pop() if waiting else None)
            late = ended.get(request.conn, request.at) < request.at
            found.append(replace(item, unread=True) if late else item)
        found += [self._exchange(_asked(answer), answer) for left in answers.values() for answer in left]
        return tuple(sorted(found, key=lambda item: item.request.at))

    def _exchange(self, request: Request, answer: Response | None) -> Exchange:
        api = request.api
        answered = () if answer is None else answer.rows
        asked = any(map(self.affected.named_by, request.rows)) or (request.everything and not self.affected.key)
        rows = [row for row in answered if self.affected.named_by(row)]
        if self.affected.controller and not (asked := api in apis.CONTROLLED):
            rows = []
        if self.affected.key and not (api in apis.COORDINATED or api == apis.FIND_COORDINATOR):
            asked, rows = False, []
        if self.affected.key and asked:  # old answers do not repeat the key
            rows += [row for row in answered if not row.key]
        about = asked or bool(rows) or self._names_no_topic(request, answer)
        found = [row.code for row in rows]
        if about and answer is not None:
            found.insert(0, answer.code)
        codes = dict.fromkeys(code for code in found if code and code not in self._ignored)
        return Exchange(request, answer, about, tuple(codes))

    def _names_no_topic(self, request: Request, answer: Response | None) -> bool:
        """Return whether a request names no object (InitProducerId without an id) but the scenario names its API."""
        if request.api not in self.play.apis or request.api == apis.METADATA:
            return False
        return not any(row.topic or row.key for row in (*request.rows, *(answer.rows if answer else ())))

    def folded_about(self) -> Iterator[Folded]:
        """Yield folded spans whose rows name the affected object, up to the last frame that named it.

        A span may mix frames about several objects. The last frame of every kind is an event of its own, so frames
        about this object precede it. Their number is then estimated by the length of the span.
        """
        for item in self.events.folded:
            if any(map(self.affected.named_by, item.rows)):
                seen = self._answers_about.get((item.conn, item.api), [])
                end = max((at for at in seen if at <= item.until), default=item.at)
                yield _cut_short(item, end) if item.at < end < item.until else item

    @lazy
    def _answers_about(self) -> dict[tuple[int, int], list[int]]:
        """Return when unfolded frames about the affected object passed, by (connection, API)."""
        found: dict[tuple[int, int], list[int]] = {}
        for item in self.exchanges:
            if item.about:
                found.setdefault((item.request.conn, item.request.api), []).extend((item.request.at, item.done_at))
        return found


def _asked(answer: Response) -> Request:
    """Return a substitute for a request that the history does not contain."""
    return Request(
        at=answer.sent_at,
        conn=answer.conn,
        broker=answer.broker,
        corr=answer.corr,
        api=answer.api,
        version=answer.version,
    )


def _cut_short(item: Folded, end: int) -> Folded:
    share = (end - item.at) / (item.until - item.at)
    fewer = {name: round(getattr(item, name) * share) for name in ("requests", "responses", "bytes")}
    return replace(item, until=end, **fewer)


def spread(item: Folded, amount: int) -> list[tuple[int, float]]:
    """Distribute an amount evenly over the span of folded frames: (time, share)."""
    parts = max(1, (item.until - item.at) // SPREAD_US)
    step = (item.until - item.at) / parts
    return [(int(item.at + step * (n + 0.5)), amount / parts) for n in range(parts)]


def within(times: Iterable[int], begin: int, until: int) -> list[int]:
    """Return the times inside a window, both ends included."""
    return [at for at in times if begin <= at <= until]
