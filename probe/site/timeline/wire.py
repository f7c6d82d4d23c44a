"""The moments of the wire, from the evidence of the rules in `probe.verdict.wire_evidence` (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from probe.model import Folded, Reaction, Row, Trigger
from probe.protocol.names import api_name, error_name
from probe.site.timeline.moments import Moment, MomentKind
from probe.verdict.discovery import Discovery, find_discoveries, is_discovery
from probe.verdict.hits import find_hits
from probe.verdict.triggers import explain
from probe.verdict.wire_evidence import Exchange, WireEvidence

BECAUSE = {
    Trigger.BOOTSTRAP: ", at a bootstrap address",
    Trigger.CONNECT: ", on a new connection",
    Trigger.PERIODIC: ", as the periodic refresh was due",
    Trigger.DISCONNECT: ", because of a lost connection or a time-out",
    Trigger.ERROR: ", because of the error",
    Trigger.UNKNOWN: ", for an unknown reason",
}


def wire(evidence: WireEvidence) -> Iterator[Moment]:
    """Yield requests about the affected object with responses, discoveries and connections; times are absolute."""
    asked = {(one.at, one.conn): one for one in _explained(evidence)}
    for item in evidence.exchanges:
        if is_discovery(evidence, item):
            found = asked.get((item.request.at, item.request.conn))
            known = item.request.at < evidence.timeline.begin
            yield _discovery(evidence, item, Trigger.NONE if found is None or known else found.trigger)
        elif item.about:
            yield from _work(evidence, item)
    for folded in evidence.folded_about():
        yield _folded(evidence, folded)
    for opened in evidence.events.opened:
        yield Moment(opened.at, MomentKind.OPENED, f"broker {opened.broker}", "connection opened")
    for closed in evidence.events.closed:
        sort = MomentKind.CLOSED if closed.by == "client" else MomentKind.CUT
        yield Moment(closed.at, sort, f"broker {closed.broker}", f"connection closed by {closed.by}")


def _explained(evidence: WireEvidence) -> Iterable[Discovery]:
    return explain(evidence, find_discoveries(evidence), find_hits(evidence))


def _discovery(evidence: WireEvidence, item: Exchange, trigger: Trigger) -> Moment:
    """Return a discovery. Before the fault any named broker is right, afterwards only the target."""
    request, lane = item.request, f"broker {item.request.broker}"
    why = f"{api_name(request.api)}{BECAUSE.get(trigger, '')}: "
    if item.answer is None:
        return Moment(request.at, MomentKind.ASK_STALE, lane, f"{why}never answered")
    rows = [row for row in item.answer.rows if evidence.affected.named_by(row) or not (row.topic or row.key)]
    leader = next((row.leader for row in rows if row.leader is not None), -1)
    code = next((row.code for row in rows if row.code), item.answer.code)
    target = evidence.timeline.target if request.at >= evidence.timeline.begin else -1
    right = leader >= 0 and target in {-1, leader}
    text = f"names broker {leader}" if leader >= 0 else "names no broker"
    return Moment(request.at, MomentKind.ASK if right else MomentKind.ASK_STALE, lane, f"{why}{text}{_error(code)}")


def _work(evidence: WireEvidence, item: Exchange) -> Iterator[Moment]:
    request, name, lane = item.request, api_name(item.request.api), f"broker {item.request.broker}"
    if _is_futile(evidence, request.at, request.broker, request.api):
        yield Moment(request.at, MomentKind.FUTILE, lane, f"{name} to a broker that no longer serves it")
    if item.answer is None:
        silent = request.acks != 0
        text = "never answered" if silent else "sent, no answer requested"
        yield Moment(request.at, MomentKind.SILENT if silent else MomentKind.WORK, lane, f"{name}: {text}")
    elif item.codes:
        yield Moment(item.answer.at, MomentKind.ERROR, lane, f"{name}: {error_name(item.codes[0])}")
    else:
        yield Moment(item.answer.at, MomentKind.WORK, lane, f"{name}: answered")


def _is_futile(evidence: WireEvidence, at: int, broker: int, api: int) -> bool:
    """Return whether the rules count a request during the fault as futile."""
    moments = evidence.timeline
    if evidence.play.expects is not Reaction.DISCOVER or moments.available is None or moments.target < 0:
        return False
    return moments.available < at <= moments.until and broker != moments.target and evidence.is_work(api)


def _folded(evidence: WireEvidence, item: Folded) -> Moment:
    rows: list[Row] = [row for row in item.rows if evidence.affected.named_by(row)]
    code = next((row.code for row in rows if row.code), 0)
    text, sort = (
        f"{api_name(item.api)}: {error_name(code) if code else 'answered'}",
        MomentKind.ERROR if code else MomentKind.WORK,
    )
    if not evidence.is_work(item.api) and not code:
        sort, text = MomentKind.ASK_STALE, f"{api_name(item.api)}: many, folded"
    count = max(item.requests, item.responses)
    return Moment(item.at, sort, f"broker {item.broker}", text, item.until, count)


def _error(code: int) -> str:
    return f", {error_name(code)}" if code else ""
