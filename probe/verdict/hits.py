"""Hits: proof that the fault reached this client, on the client's side of the wire (docs/verdicts.md#hit)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from probe.model import EngineEvent, EngineKind, Reaction, Symptom, Target, Trigger
from probe.verdict import apis
from probe.verdict.followers import unserved_by_follower
from probe.verdict.wire_evidence import Exchange, WireEvidence, spread

SILENCE_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Hit:
    """The client met the fault."""

    at: int
    broker: int
    code: int = 0
    """Error code of the answer. 0 for a cut, a silence, a soft hit."""
    soft: bool = False
    """Answered without an error by a broker that is not the target any more, or not yet."""
    weight: float = 1
    """Number of frames that it represents, where they were folded."""


def find_hits(evidence: WireEvidence) -> tuple[Hit, ...]:
    """Return all hits of the window, by time. A client that the failing follower did not serve has none."""
    if unserved_by_follower(evidence):
        return ()
    finders = FINDERS[evidence.play.kind]
    since, until = evidence.timeline.earliest, evidence.timeline.until
    found = (hit for finder in finders for hit in finder(evidence))
    return tuple(sorted((hit for hit in found if since <= hit.at <= until), key=lambda hit: hit.at))


def _answers(evidence: WireEvidence) -> Iterator[Hit]:
    for item in evidence.exchanges:
        if item.answer is None or not item.codes or not _counts(evidence, item.request.api):
            continue
        for code in item.codes:
            if _wanted(evidence, code):
                yield Hit(item.answer.at, item.answer.broker, code)
                break
    for folded in evidence.folded_about():
        codes = [row.code for row in folded.rows if evidence.affected.named_by(row) and row.code]
        code = next((code for code in codes if _wanted(evidence, code)), 0)
        if code and _counts(evidence, folded.api):
            yield from (Hit(at, folded.broker, code, weight=share) for at, share in spread(folded, folded.responses))


def _wanted(evidence: WireEvidence, code: int) -> bool:
    """Return whether a code belongs to the scenario. A scenario about answers or changes without codes accepts any."""
    if evidence.play.codes:
        return code in evidence.play.codes
    return evidence.play.kind in {Symptom.ANSWER, Symptom.CHANGE}


def _counts(evidence: WireEvidence, api: int) -> bool:
    """Return whether the API belongs to the scenario. Errors of OffsetForLeaderEpoch count like those of Fetch."""
    wanted = evidence.play.apis
    return not wanted or api in wanted or (api == apis.EPOCHS and apis.FETCH in wanted)


def _writes(evidence: WireEvidence) -> Iterator[Hit]:
    """Yield refused writes where the scenario names Produce and the fault is about a producer's id.

    These answers name the partition, not the id.
    """
    if not evidence.affected.key or apis.PRODUCE not in evidence.play.apis:
        return
    subject = evidence.subject
    for answer in evidence.events.responses:
        if answer.api == apis.PRODUCE:
            mine = (row for row in answer.rows if (row.topic, row.partition) == (subject.topic, subject.affected))
            code = next((row.code for row in mine if row.code in evidence.play.codes), 0)
            if code:
                yield Hit(answer.at, answer.broker, code)


def _cuts(evidence: WireEvidence) -> Iterator[Hit]:
    failing = {evidence.subject.old}
    failing |= {event.broker for event in evidence.events.engine if event.kind is EngineKind.STOPPED}
    anywhere = not apis.LOG_IN.isdisjoint(evidence.play.apis)  # any broker ends a session, and a log-in that it refuses
    failed = {event.conn for event in _failed_handshakes(evidence)}
    for event in evidence.events.closed:
        cut = event.by == "relay" or (event.by == "broker" and (anywhere or event.broker in failing))
        if cut and event.conn not in failed:
            yield Hit(event.at, event.broker)


def _handshakes(evidence: WireEvidence) -> Iterator[Hit]:
    yield from (Hit(event.at, event.broker) for event in _failed_handshakes(evidence))


def _failed_handshakes(evidence: WireEvidence) -> Iterator[EngineEvent]:
    """Yield the TLS handshakes that failed because of the scenario's fault."""
    for event in evidence.events.engine:
        if event.kind is EngineKind.HANDSHAKE_FAILED and event.value:
            yield event


def _refused_tokens(evidence: WireEvidence) -> Iterator[Hit]:
    """Yield the requests for a token that the token server refused because of the scenario's fault."""
    for event in evidence.events.engine:
        if event.kind is EngineKind.TOKEN_REFUSED and event.value:
            yield Hit(event.at, event.broker)


def _cuts_as_cause(evidence: WireEvidence) -> Iterator[Hit]:
    """Yield cuts in a scenario about answers or changes, where a disconnect is a cause or acks=0 hides all errors."""
    if Trigger.DISCONNECT in evidence.causes:
        yield from _cuts(evidence)


def _silences(evidence: WireEvidence) -> Iterator[Hit]:
    cut = {event.conn: event.at for event in evidence.events.closed if event.by != "client"}
    begin, old = evidence.timeline.begin, evidence.subject.old
    anywhere = old < 0 or _everywhere(evidence)
    for item in evidence.exchanges:
        request = item.request
        elsewhere = not item.about if evidence.affected.controller else not anywhere and request.broker != old
        due = max(request.at, begin) + SILENCE_US
        answered = item.answer is not None and item.answer.at < due
        if answered or request.acks == 0 or elsewhere or cut.get(request.conn, due) < due:
            continue
        ended = evidence.closings.get(request.conn, due)  # the client gave the request up
        if ended >= begin:
            yield Hit(min(due, ended), request.broker)


def _everywhere(evidence: WireEvidence) -> bool:
    """Return whether the fault is at all brokers: it hits the whole cluster, where nothing moves."""
    return evidence.play.target is Target.CLUSTER and evidence.play.expects is Reaction.RETRY


def _soft(evidence: WireEvidence) -> Iterator[Hit]:
    """Yield requests sent after the change and served by a broker that is not the target.

    Where no broker changes (a topic grows), yield requests of clients that still use their old metadata.
    """
    timeline = evidence.timeline
    if evidence.play.target is Target.FOLLOWER:
        yield from _served_by_follower(evidence)
        return
    if timeline.moved is None and evidence.play.target is not Target.CLUSTER:
        return
    since = timeline.begin if timeline.moved is None else timeline.moved
    for item in evidence.exchanges:
        if item.request.at > since and _is_soft(evidence, item):
            yield Hit(item.done_at, item.request.broker, soft=True)


def _served_by_follower(evidence: WireEvidence) -> Iterator[Hit]:
    """Yield answers of a follower that has nothing new."""
    for item in evidence.exchanges:
        late = item.request.at > evidence.timeline.begin and item.request.broker == evidence.subject.old
        if late and evidence.is_work(item.request.api) and item.answer is not None and item.succeeded:
            yield Hit(item.done_at, item.request.broker, soft=True)


def _is_soft(evidence: WireEvidence, item: Exchange) -> bool:
    wrong = item.request.broker != evidence.timeline.target
    return wrong and evidence.is_work(item.request.api) and item.answer is not None and item.succeeded


FINDERS: dict[Symptom, tuple[Callable[[WireEvidence], Iterator[Hit]], ...]] = {
    Symptom.ANSWER: (_answers, _writes, _cuts_as_cause),
    Symptom.CONNECTION: (_answers, _cuts, _handshakes, _refused_tokens),
    Symptom.SILENCE: (_answers, _silences),
    Symptom.CHANGE: (_answers, _cuts_as_cause, _soft),
    Symptom.ABSENCE: (),
    Symptom.MEMBERSHIP: (),
    Symptom.NONE: (),
}
"""The functions that find hits, by symptom. For symptoms other than `answer` and `change`, answers count only where the
scenario names codes."""
