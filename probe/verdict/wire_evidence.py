"""A history read once: requests paired with their answers, and which of them are about the affected object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from probe.model import App, Event, Folded, History, Request, Response, Role, Row, Target, Trigger
from probe.model.lazy import lazy
from probe.verdict import apis
from probe.verdict.timeline import EventIndex, Timeline, find_timeline
from probe.verdict.wire_proof import with_wire_proof

SPREAD_US = 100_000
"""Folded frames count as if they came evenly, one share in each 100 ms of their span."""


@dataclass(frozen=True, slots=True)
class Affected:
    """The object a fault is about, as rows name it."""

    topic: str
    partition: int
    key: str
    """Group or transactional id where the target is a coordinator, else empty."""
    key_type: int
    """0 group, 1 transaction, as in FindCoordinator."""

    def named_by(self, row: Row) -> bool:
        """Say whether a row is about the object; a row about its whole topic is."""
        if self.key:
            return row.key == self.key
        return row.topic == self.topic and row.partition in (self.partition, -1)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, and its answer if one reached the client."""

    request: Request
    answer: Response | None
    about: bool
    """Request or answer names the affected object."""
    codes: tuple[int, ...]
    """Errors about it in the answer."""

    @property
    def succeeded(self) -> bool:
        """Say whether the answer tells of success; with acks=0 there is no answer, and the request is all there is."""
        if self.answer is None:
            return self.about and self.request.acks == 0
        return self.about and not self.codes and not self.answer.error

    @property
    def done_at(self) -> int:
        """Return when the client had its answer."""
        return self.request.at if self.answer is None else self.answer.at


class WireEvidence:
    """What the rules look at; everything is computed at most once."""

    def __init__(self, history: History) -> None:
        self.header = history.header
        self.play = history.header.play
        self.subject = history.header.subject
        self.role = history.header.cell.role
        ours, self.beside = read_wire(history)
        self.events = EventIndex(with_wire_proof(history.header, ours))
        self.timeline: Timeline = find_timeline(self.header, self.events)
        self.affected = _affected(history)
        self._ignored = apis.BENIGN - set(self.play.codes)

    @property
    def has_bystander_partition(self) -> bool:
        """Say whether the other partition hangs on the affected broker, but not on the affected object.

        A transaction spans both partitions: what holds one up holds up the other.
        """
        whole = self.play.target in {Target.COORDINATOR, Target.CLUSTER} or (
            self.role is Role.TRANSACTIONAL and self.play.target is Target.LEADER
        )
        return not whole

    @property
    def clock_us(self) -> int:
        """Return the error bound of the application's times."""
        return self.header.clock_error_us

    @property
    def acks_none(self) -> bool:
        """Say whether the client waits for no answer at all."""
        return self.header.settings.get("acks") == "0"

    def setting_us(self, name: str) -> int | None:
        """Return an effective setting that is told in milliseconds; None where it is not, or has no end."""
        value = self.header.settings.get(name, "")
        return int(value) * 1000 if value.isdigit() else None

    @lazy
    def causes(self) -> frozenset[Trigger]:
        """Triggers that count as "because of the fault"; with acks=0 an error shows as a closed connection."""
        extra = {Trigger.DISCONNECT} if self.acks_none else set[Trigger]()
        return frozenset(self.play.causes) | extra

    @lazy
    def exchanges(self) -> tuple[Exchange, ...]:
        """Return all requests with their answers, by the time of the request."""
        answers: dict[tuple[int, int], list[Response]] = {}
        for answer in reversed(self.events.responses):
            answers.setdefault((answer.conn, answer.corr), []).append(answer)
        found = []
        for request in self.events.requests:
            waiting = answers.get((request.conn, request.corr))
            found.append(self._exchange(request, waiting.pop() if waiting else None))
        found += [self._exchange(_asked(answer), answer) for left in answers.values() for answer in left]
        return tuple(sorted(found, key=lambda item: item.request.at))

    @lazy
    def closings(self) -> dict[int, int]:
        """Return when each connection ended."""
        return {event.conn: event.at for event in self.events.closed}

    def is_work(self, api: int) -> bool:
        """Say whether only the target can serve an API."""
        return api in apis.work(self.play.target)

    def _exchange(self, request: Request, answer: Response | None) -> Exchange:
        api = request.api
        answered = () if answer is None else answer.rows
        asked = any(map(self.affected.named_by, request.rows)) or (request.everything and not self.affected.key)
        rows = [row for row in answered if self.affected.named_by(row)]
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
        """Count what names no object where the scenario names its API (InitProducerId without an id)."""
        named = any(row.topic or row.key for row in (*request.rows, *(answer.rows if answer else ())))
        return request.api in self.play.apis and not named and request.api != apis.METADATA

    def folded_about(self) -> Iterator[Folded]:
        """Yield folded spans whose rows name the affected object, up to the last frame that named it.

        A span may mix frames about several objects; the last frame of each kind is told one by one, so frames about
        ours lie before it. Their number is then the span's by length.
        """
        for item in self.events.folded:
            if any(map(self.affected.named_by, item.rows)):
                told = self._answers_about.get((item.conn, item.api), [])
                end = max((at for at in told if at <= item.until), default=item.at)
                yield _cut_short(item, end) if item.at < end < item.until else item

    @lazy
    def _answers_about(self) -> dict[tuple[int, int], list[int]]:
        """Return when frames about the affected object passed that are told one by one, by (connection, API)."""
        found: dict[tuple[int, int], list[int]] = {}
        for item in self.exchanges:
            if item.about:
                found.setdefault((item.request.conn, item.request.api), []).extend((item.request.at, item.done_at))
        return found


def read_wire(history: History) -> tuple[list[Event], list[App]]:
    """Part the client's own events from what the bystander's application saw.

    Connections that carry another client id are nobody's evidence: they are the bystander's, or a stranger's. A client
    that another trial left behind goes on trying ports of its own cluster, and one of them may be ours by now.
    """
    subject = history.header.subject
    own, other = subject.client_id, subject.bystander_instance
    theirs = {
        item.conn
        for item in history.events
        if isinstance(item, Request) and (item.client_id == other or not item.client_id.startswith(own))
        if item.client_id
    }
    if not theirs and not other:
        return list(history.events), []
    ours = [
        item
        for item in history.events
        if getattr(item, "conn", None) not in theirs and not (isinstance(item, App) and item.instance == other)
    ]
    return ours, [item for item in history.events if isinstance(item, App) and item.instance == other]


def _asked(answer: Response) -> Request:
    """Stand in for a request that the history does not hold."""
    return Request(
        at=answer.sent_at,
        conn=answer.conn,
        broker=answer.broker,
        corr=answer.corr,
        api=answer.api,
        version=answer.version,
    )


def _affected(history: History) -> Affected:
    subject, role = history.header.subject, history.header.cell.role
    key, key_type = "", 0
    if history.header.play.target is Target.COORDINATOR:
        of_group = apis.TXN_OFFSET_COMMIT in history.header.play.apis
        transactional = role is Role.TRANSACTIONAL and bool(subject.transactional_id) and not of_group
        key, key_type = (subject.transactional_id, 1) if transactional else (subject.group, 0)
    return Affected(subject.topic, subject.affected, key, key_type)


def _cut_short(item: Folded, end: int) -> Folded:
    share = (end - item.at) / (item.until - item.at)
    fewer = {name: round(getattr(item, name) * share) for name in ("requests", "responses", "bytes")}
    return replace(item, until=end, **fewer)


def spread(item: Folded, amount: int) -> list[tuple[int, float]]:
    """Lay an amount evenly over the span of folded frames: (time, share)."""
    parts = max(1, (item.until - item.at) // SPREAD_US)
    step = (item.until - item.at) / parts
    return [(int(item.at + step * (n + 0.5)), amount / parts) for n in range(parts)]


def within(times: Iterable[int], begin: int, until: int) -> list[int]:
    """Keep the times of a window, both ends included."""
    return [at for at in times if begin <= at <= until]
