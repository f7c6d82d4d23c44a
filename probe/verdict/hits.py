"""Proof that the fault reached this client, read on the client's side of the wire (SEMANTICS 2, hit)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from probe.model import EngineKind, Kind, Target, Trigger
from probe.verdict import apis
from probe.verdict.wire_evidence import Exchange, Reading, spread

SILENCE_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Hit:
    """The fault met the client."""

    at: int
    broker: int
    code: int = 0
    """Error code of the answer; 0 for a cut, a silence, a soft hit."""
    soft: bool = False
    """Answered without an error by a broker that is no longer, or not yet, right."""
    weight: float = 1
    """How many frames it stands for, where they were folded."""


def find_hits(reading: Reading) -> tuple[Hit, ...]:
    """Return all hits of the window, by time."""
    finders = FINDERS[reading.play.kind]
    since, until = reading.moments.earliest, reading.moments.until
    found = (hit for finder in finders for hit in finder(reading))
    return tuple(sorted((hit for hit in found if since <= hit.at <= until), key=lambda hit: hit.at))


def _answers(reading: Reading) -> Iterator[Hit]:
    for item in reading.exchanges:
        if item.answer is None or not item.codes or not _counts(reading, item.request.api):
            continue
        for code in item.codes:
            if _wanted(reading, code):
                yield Hit(item.answer.at, item.answer.broker, code)
                break
    for folded in reading.folded_about():
        codes = [row.code for row in folded.rows if reading.affected.named_by(row) and row.code]
        code = next((code for code in codes if _wanted(reading, code)), 0)
        if code and _counts(reading, folded.api):
            yield from (Hit(at, folded.broker, code, weight=share) for at, share in spread(folded, folded.responses))


def _wanted(reading: Reading, code: int) -> bool:
    """Say whether a code is the scenario's; one about answers or changes that names none means any."""
    if reading.play.codes:
        return code in reading.play.codes
    return reading.play.kind in {Kind.ANSWER, Kind.CHANGE}


def _counts(reading: Reading, api: int) -> bool:
    """Say whether the API is the scenario's; an error of OffsetForLeaderEpoch is a hit like one of Fetch."""
    wanted = reading.play.apis
    return not wanted or api in wanted or (api == apis.EPOCHS and apis.FETCH in wanted)


def _cuts(reading: Reading) -> Iterator[Hit]:
    failing = {reading.subject.old}
    failing |= {event.broker for event in reading.strands.engine if event.kind is EngineKind.STOPPED}
    for event in reading.strands.closed:
        if event.by == "relay" or (event.by == "broker" and event.broker in failing):
            yield Hit(event.at, event.broker)


def _cuts_if_they_tell(reading: Reading) -> Iterator[Hit]:
    """Cuts are hits of a scenario about answers where it counts a disconnect as a cause, or where acks=0 hides all."""
    if Trigger.DISCONNECT in reading.causes:
        yield from _cuts(reading)


def _silences(reading: Reading) -> Iterator[Hit]:
    cut = {event.conn: event.at for event in reading.strands.closed if event.by != "client"}
    begin, old = reading.moments.begin, reading.subject.old
    for item in reading.exchanges:
        request = item.request
        due = max(request.at, begin) + SILENCE_US
        answered = item.answer is not None and item.answer.at < due
        if answered or request.acks == 0 or (old >= 0 and request.broker != old) or cut.get(request.conn, due) < due:
            continue
        if reading.closings.get(request.conn, due) >= begin:
            yield Hit(due, request.broker)


def _soft(reading: Reading) -> Iterator[Hit]:
    """Yield requests sent after the change that a broker served although it is not the one in office.

    Where no broker changes (a topic grows), whoever still works by what it knew before.
    """
    moments = reading.moments
    if moments.moved is None and reading.play.target is not Target.CLUSTER:
        return
    since = moments.begin if moments.moved is None else moments.moved
    for item in reading.exchanges:
        if item.request.at > since and _is_soft(reading, item):
            yield Hit(item.done_at, item.request.broker, soft=True)


def _is_soft(reading: Reading, item: Exchange) -> bool:
    wrong = item.request.broker != reading.moments.target
    return wrong and reading.is_work(item.request.api) and item.answer is not None and item.succeeded


FINDERS: dict[Kind, tuple[Callable[[Reading], Iterator[Hit]], ...]] = {
    Kind.ANSWER: (_answers, _cuts_if_they_tell),
    Kind.CONNECTION: (_answers, _cuts),
    Kind.SILENCE: (_answers, _silences),
    Kind.CHANGE: (_answers, _soft),
    Kind.NONE: (),
}
"""What makes a hit, by the kind of fault. Answers count outside `answer` and `change` only where codes are named."""
