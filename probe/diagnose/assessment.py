"""From the troubles of a client to findings: the status by definitions of the verdict, the details by its functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from probe.diagnose.cases import Case
from probe.diagnose.clients import ClientState
from probe.diagnose.coverage import Coverage
from probe.diagnose.findings import Asked, ErrorCount, Finding, Status
from probe.diagnose.leaders import Leaders
from probe.diagnose.objects import WHOLE, Item, Kind, work_on
from probe.diagnose.proofs import LOG_WORK
from probe.diagnose.status import status_of
from probe.diagnose.trouble_history import observed
from probe.diagnose.troubles import ItemState, Trouble
from probe.model import History, Request, StormBound
from probe.verdict.apis import DISCOVERY
from probe.verdict.discovery import Discovery, find_discoveries, folded_discoveries
from probe.verdict.hits import find_hits
from probe.verdict.reason_text import storm_text
from probe.verdict.recovery import Recovery
from probe.verdict.route import MIN_FUTILE_US, FutileRequests, find_futile
from probe.verdict.storms import find_storms
from probe.verdict.triggers import explain
from probe.verdict.wire_evidence import WireEvidence

DETAILED = 4
"""Objects of a client, the worst first, of which all is said; of others the status, errors and rates."""
NOT_SHOWN = "only one broker of this client is in the input: it may have asked another"
CLOCKS_US = 1_000_000
"""Most by which the clocks of two hosts are taken to differ."""


@dataclass(frozen=True, slots=True)
class View:
    """Limits of an input's view of a client."""

    brokers: bool
    """It talks to more than one broker in the input, so the others are not hidden."""
    clocks: bool
    """Its connections are in several files, which may be of hosts whose clocks differ."""
    coverage: Coverage
    connects: bool = False
    """It opens too many connections (docs/verdicts.md#storm, bound c)."""


def findings_of(client: ClientState, leaders: Leaders, now: int, *, back_off_ms: int, view: View) -> list[Finding]:
    """Return the findings of a client's current troubles, the worst first."""
    events = client.kept.events()
    plain = sorted(
        (_plain(client, item, client.items[item], view, now) for item in client.troubled),
        key=lambda one: one.rank,
    )
    found: list[Finding] = []
    for one in plain:
        trouble = client.items[one.item].trouble
        if len(found) < DETAILED and trouble is not None and one.item.kind not in WHOLE:
            history = observed(client, one.item, trouble, events, leaders, now, back_off_ms)
            found.append(_detailed(one, history, trouble, view))
        else:
            found.append(one)
    return sorted(found, key=lambda one: one.rank)


def _plain(client: ClientState, item: Item, state: ItemState, view: View, now: int) -> Finding:
    trouble = state.trouble
    assert trouble is not None, item
    reign = view.coverage.leaders.reign(item)
    judged = status_of(
        Case(
            client,
            item,
            state,
            trouble,
            now,
            view.coverage.missing(item),
            moved=_moved(view.coverage.leaders, item, trouble),
        )
    )
    over = judged.status in {Status.RECOVERED, Status.WAS_STUCK}
    end = trouble.good_at if over and trouble.good_at is not None else now
    seconds = max(MIN_FUTILE_US, end - trouble.since) / 1_000_000
    return Finding(
        item=item,
        status=judged.status,
        reason=judged.reason,
        role=None,
        since=judged.since,
        last=trouble.last,
        broker=trouble.broker,
        recovered=judged.recovered,
        times=1 + trouble.recoveries,
        errors=_errors(trouble),
        cuts=trouble.cuts,
        silent=trouble.silent,
        leader=None if reign is None else reign.node,
        moved_to=trouble.moved_to if over else None,
        member=None if state.membership is None else state.membership.member(),
        session=state.session,
        futile_per_s=trouble.futile / seconds,
        futile_bytes_per_s=trouble.futile_bytes / seconds if trouble.futile_bytes or not trouble.futile else None,
    )


def _moved(leaders: Leaders, item: Item, trouble: Trouble) -> bool:
    """Return whether who serves an object by the last answers has served the client, and is not who refused it."""
    reign = leaders.reign(item)
    if reign is None or trouble.moved_to is None:
        return False
    return leaders.node_at(trouble.moved_to) == reign.node != leaders.node_at(trouble.last_broker)


def _errors(trouble: Trouble) -> tuple[ErrorCount, ...]:
    found = [
        ErrorCount(code=code, api=api, broker=broker, count=round(one.count), first=one.first, last=one.last)
        for (code, api, broker), one in trouble.errors.items()
    ]
    return tuple(sorted(found, key=lambda one: -one.count))


def _detailed(plain: Finding, history: History, trouble: Trouble, view: View) -> Finding:
    evidence = WireEvidence(history)
    hits = find_hits(evidence)
    discoveries = explain(evidence, find_discoveries(evidence), hits)
    start = max(trouble.since, evidence.timeline.available or trouble.since)
    recovery = Recovery(start, None if plain.recovered is None else trouble.good_at)
    futile = find_futile(evidence, discoveries, recovery, provoked=True)
    exceeded = find_storms(evidence, discoveries, hits, futile).letters
    whole = plain.status is Status.STUCK or not view.coverage.missing(plain.item)
    storm = _shown(exceeded, trouble, works=_works(plain.item, history), whole=whole, connects=view.connects)
    status = Status.STORMS if storm and plain.status is not Status.STUCK else plain.status
    rates = _rates(futile, plain)
    return replace(
        plain,
        status=status,
        reason=storm_text(storm) if status is Status.STORMS else plain.reason,
        role=history.header.cell.role,
        asked=_asked(evidence, discoveries, trouble.since, view),
        storm=storm,
        history=history,
        futile_per_s=rates[0],
        futile_bytes_per_s=rates[1],
    )


def _shown(letters: str, trouble: Trouble, *, works: bool, whole: bool, connects: bool) -> str:
    """Return the bounds whose excess a wire proves.

    What an administrator is asked, and looks up the leader for (bounds a and b), is in no frame.
    That nothing happened before a discovery (bound a) is not known where a broker is away or no leader is in office: no
    frame shows attempts that are refused. Where brokers are not in the input, a reason to ask, and what was served, may
    be there (bounds a and d). `connects`: it opened too many connections without those that it kept (bound c).
    """
    away = trouble.cuts or trouble.silent or any(api in DISCOVERY for _, api, _ in trouble.errors)
    unproven = {StormBound.IDLE} if away else set()
    unproven |= set() if whole else {StormBound.IDLE, StormBound.FUTILE}
    unproven |= set() if works else {StormBound.IDLE, StormBound.ASKED}
    unproven |= set() if connects else {StormBound.CONNECTED}
    return "".join(letter for letter in letters if letter not in unproven)


def _works(item: Item, history: History) -> bool:
    """Return whether a client does more with a partition than to ask about it."""
    asked = (event for event in history.events if isinstance(event, Request) and event.api in LOG_WORK)
    return item.kind is not Kind.PARTITION or any(item in work_on(event.api, event.rows) for event in asked)


def _rates(futile: FutileRequests, plain: Finding) -> tuple[float, float | None]:
    """Return the verdict's rates where the new target is known; else those since the first sign stay."""
    if futile.requests_per_s is None or futile.bytes_per_s is None:
        return plain.futile_per_s, plain.futile_bytes_per_s
    sized = plain.futile_bytes_per_s is not None
    return futile.requests_per_s, futile.bytes_per_s if sized else None


def _asked(evidence: WireEvidence, discoveries: Sequence[Discovery], since: int, view: View) -> Asked:
    after = [item for item in discoveries if item.at >= since]
    folded = sum(share for at, share in folded_discoveries(evidence) if at >= since)
    unknown = "" if after else _not_shown(discoveries, since, view)
    if not after:
        return Asked(count=round(folded), unknown=unknown)
    first = after[0]
    exchange = next(
        item for item in evidence.exchanges if (item.request.at, item.request.conn) == (first.at, first.conn)
    )
    answer = exchange.answer
    rows = () if answer is None else [row for row in answer.rows if evidence.affected.named_by(row) or not row.key]
    named = next((row.leader for row in rows if row.leader is not None and row.leader >= 0 and not row.code), None)
    return Asked(
        count=len(after) + round(folded),
        first=first.at,
        broker=first.broker,
        trigger=first.trigger,
        named=named,
        answered=answer is not None,
        code=next((row.code for row in rows if row.code), 0 if answer is None else answer.code),
        unknown=unknown,
    )


def _not_shown(discoveries: Sequence[Discovery], since: int, view: View) -> str:
    """Return why a client that did not ask may have asked; empty if all that it asked is in the input."""
    before = [item.at for item in discoveries if since - CLOCKS_US <= item.at < since] if view.clocks else []
    if before:
        early = (since - before[-1]) / 1000
        return f"it asked {early:.0f} ms before, by the clock of a file that may be of another host"
    return "" if view.brokers else NOT_SHOWN
