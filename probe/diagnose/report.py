"""A diagnosis for a person: the worst first, on one screen (pure). All that an input says is made visible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from probe.cells.citations import source
from probe.diagnose.advice import Advice
from probe.diagnose.brokers import BrokerView
from probe.diagnose.diagnosis import Diagnosis
from probe.diagnose.findings import BAD, ORDER, Asked, ClientFinding, Finding, Status
from probe.diagnose.membership import STALE, STALE_EPOCH
from probe.diagnose.names import BrokerNames
from probe.diagnose.objects import Kind
from probe.diagnose.observation import FILES, Left, ZoneBy, zone_text
from probe.model import Trigger
from probe.model.counts import counted
from probe.model.safe_text import visible
from probe.protocol.names import api_name, error_name
from probe.verdict.reason_text import TRIGGER_TEXTS, storm_text

FEW = 10
"""Clients of a status that are listed without `--all`."""
OBJECTS = 3
"""Objects of a client, and errors of a broker, that are listed without `--all`."""
AT = 11
"""Column at which texts begin."""
SPOKEN = tuple(status for status in ORDER if status in BAD | {Status.UNKNOWN})
"""Statuses of which all is said; the others have a line per client."""


def lines(diagnosis: Diagnosis, advices: Sequence[tuple[ClientFinding, Advice]], *, everything: bool) -> Iterator[str]:
    """Yield the report, one statement per line."""
    names = BrokerNames(diagnosis.brokers)
    said = {one.key: advice for one, advice in advices}
    yield head(diagnosis)
    for status in ORDER:
        mine = [one for one in diagnosis.clients if one.status is status]
        shown = mine if everything else mine[:FEW]
        for one in shown:
            yield from _client(one, names, said.get(one.key), everything=everything)
        if len(mine) > len(shown):
            yield f"{status:<{AT}}and {len(mine) - len(shown)} more; --all lists them"
    yield from _brokers(diagnosis.brokers, names, everything=everything)
    for left in diagnosis.left:
        yield f"{'not read':<{AT}}{visible(not_read(left))}"


def head(diagnosis: Diagnosis) -> str:
    """Return what was read, and how many clients have which status."""
    counts = Counter(one.status for one in diagnosis.clients)
    found = ", ".join(f"{counts[status]} {status}" for status in ORDER if counts[status]) or "none"
    brokers = counted(len(diagnosis.brokers), "broker address").replace("addresss", "addresses")
    seconds = (diagnosis.until - diagnosis.begin) / 1e6
    if not diagnosis.events:
        return "no message of a client of Kafka"
    span = f"{clock(diagnosis.begin)} to {clock(diagnosis.until)} UTC, {seconds:.0f} s"
    of = " and ".join(diagnosis.sources) or "input"
    return f"{of} ({span}{log_zone(diagnosis)}), {brokers}; {counted(len(diagnosis.clients), 'client')}: {found}"


def log_zone(diagnosis: Diagnosis) -> str:
    """Return what the time stamps of a request log were taken for, as the end of a clause; empty if they say it."""
    zone = diagnosis.log_zone
    if zone is None:
        return ""
    why = {
        ZoneBy.OPTION: "as asked",
        ZoneBy.CAPTURE: "as the capture shows",
        ZoneBy.ASSUMED: "--log-zone names another",
    }
    return f"; the log names no zone, taken as {zone_text(zone.zone, diagnosis.begin)}: {why[zone.by]}"


def not_read(left: Left) -> str:
    """Return what was not decoded of a file, and why."""
    if left.unit == FILES:
        return f"{left.file}: {left.reason}"
    return f"{counted(left.count, left.unit.removesuffix('s'))} of {left.file}: {left.reason}"


def clock(at: int) -> str:
    """Return a time of day, UTC."""
    return datetime.fromtimestamp(at / 1e6, UTC).strftime("%H:%M:%S")


def whose(one: ClientFinding) -> str:
    """Return a client with its library."""
    library = one.library
    known = library.text or (f"reports {library.reported}" if library.reported else "library not known")
    also = f"; {library.note}" if library.note else ""
    return f"{one.key.address} {one.key.client_id or '(no client id)'} ({known}{also})"


def _client(one: ClientFinding, names: BrokerNames, advice: Advice | None, *, everything: bool) -> Iterator[str]:
    yield f"{one.status:<{AT}}{visible(whose(one))}"
    if one.status not in SPOKEN and not everything:
        named = [item for item in one.findings if item is one.worst or item.fenced]
        yield from (_indented(summary(item, names)) for item in named[:OBJECTS])
        yield from map(_indented, log_in(one))
        return
    shown = one.findings if everything else one.findings[:OBJECTS]
    for finding in shown:
        for text in details(finding, names):
            yield _indented(text)
    if not one.findings or one.worst is None or one.reason != one.worst.reason:
        yield from (_indented(text) for text in (one.reason,) if text)
    yield from map(_indented, log_in(one))
    if one.storm and one.reason != one.storm:
        yield _indented(f"storm: {one.storm}")
    if len(one.findings) > len(shown):
        yield _indented(f"and {len(one.findings) - len(shown)} more objects with a trouble; --all lists them")
    yield _indented(
        f"{counted(one.connections, 'connection')}, {one.opened} of them opened here; "
        f"{counted(one.healthy, 'object')} without a trouble"
    )
    if advice is not None and one.status in BAD:
        yield from (_indented(text) for text in advised(advice))


def log_in(one: ClientFinding) -> Iterator[str]:
    """Yield how a client logged in, if its session has an end (KIP-368) or it was refused."""
    found = one.log_in
    if found is None or not (found.session_ms or one.status is Status.REFUSED):
        return
    how = f"log-in by {found.mechanism}" if found.mechanism else "log-in"
    if not found.session_ms:
        yield how
        return
    yield f"{how}; the broker grants a session of {found.session_ms / 1000:.1f} s" + (
        f", and ended {counted(one.expired, 'connection')} of which it was over: it did not log in again"
        if one.expired
        else ""
    )


def _indented(text: str) -> str:
    return f"{'':<{AT}}{visible(text)}"


def summary(finding: Finding, names: BrokerNames) -> str:
    """Return a finding in one line."""
    parts = [f"{finding.item}: {met(finding, names)}"]
    if finding.recovered is not None:
        seconds = (finding.recovered - finding.since) / 1e6
        parts.append(f"{'stuck for' if finding.status is Status.WAS_STUCK else 'recovered after'} {seconds:.1f} s")
    if finding.moved_to is not None and finding.moved_to != finding.broker:
        parts.append(f"moved to {names.at(finding.moved_to)}")
    if finding.fenced:
        parts.append(finding.fenced)
    return "; ".join(parts)


def details(finding: Finding, names: BrokerNames) -> Iterator[str]:
    """Yield everything about a finding: what it met, whether it asked, what it costs, and the reason."""
    yield summary(finding, names)
    if finding.futile_per_s:
        size = "" if finding.futile_bytes_per_s is None else f"{finding.futile_bytes_per_s / 1000:.1f} kB/s, "
        yield f"{finding.futile_per_s:.1f} futile requests/s, {size}since {clock(finding.since)}"
    if finding.asked is not None:
        yield asked(finding.asked, finding, names)
    if finding.storm and finding.status is not Status.STORMS:
        yield f"storm: {storm_text(finding.storm)}"
    if any(one.code == STALE_EPOCH for one in finding.errors):
        yield STALE
    if finding.times > 1:
        yield f"{finding.times} times in this input"
    if finding.reason:
        yield f"{finding.status}: {finding.reason}"


def met(finding: Finding, names: BrokerNames) -> str:
    """Return what a client met, and where."""
    parts = [
        f"{error_name(one.code)} to {api_name(one.api)} {counted(one.count, 'time')} at {names.at(one.broker)} "
        f"since {clock(one.first)}"
        for one in finding.errors[:OBJECTS]
    ]
    if finding.cuts:
        parts.append(f"{counted(finding.cuts, 'connection')} cut at {names.at(finding.broker)}")
    if finding.silent:
        parts.append(f"{counted(finding.silent, 'request')} without an answer")
    return ", ".join(parts) or f"no sign of trouble since {clock(finding.since)}"


def asked(one: Asked, finding: Finding, names: BrokerNames) -> str:
    """Return whether a client asked who serves the object, why, and what the answer was."""
    what = "leads" if finding.item.kind is Kind.PARTITION else "coordinates"
    now = "" if finding.leader is None else f"; by the last answers {names.node(finding.leader)} {what}"
    if not one.count:
        return f"{one.unknown or f'it never asked who {what} now'}{now}"
    why = "" if one.trigger in {Trigger.NONE, Trigger.UNKNOWN} else f", {TRIGGER_TEXTS[one.trigger]}"
    when = "" if one.first is None else f" first after {max(0, one.first - finding.since) / 1e6:.1f} s"
    if one.named is not None:
        answer = f"the answer named {names.node(one.named)}"
    elif one.code:
        answer = f"the answer was {error_name(one.code)}"
    else:
        answer = "the answer named nobody" if one.answered else "nobody answered"
    return f"it asked who {what} {counted(one.count, 'time')}{when}{why}: {answer}{now}"


def advised(advice: Advice) -> Iterator[str]:
    """Yield what the evidence says of such a client."""
    if advice.unknown:
        yield f"evidence: {advice.unknown}"
        return
    for item in advice.same:
        cell = item.cell
        yield (
            f"evidence: {cell.client} {cell.role} {cell.profile} {cell.scenario}{cell.unusual} on {cell.broker}: "
            f"{item.tally} ({source(item) or f'run {item.run_id}'})"
        )
    yield _upgrade(advice)
    for measure in advice.measures:
        does = "helps" if measure.helps else "does not help"
        cell = measure.shown_by.cell
        yield f"{does}: {measure.action} ({cell.version} {cell.profile} {cell.scenario}: {measure.shown_by.tally})"


def _upgrade(advice: Advice) -> str:
    """Return which versions do the same, and the first that does not."""
    first, last = advice.alike[0], advice.alike[-1]
    span = f"{last} does" if first == last else f"{first} to {last} do"
    if not advice.upgrade:
        return f"upgrade: {span} the same; no later version is known to pass"
    return (
        f"upgrade: {span} the same; {advice.upgrade} is the first that passes in {', '.join(advice.passes_in)}, "
        f"so this is a version before {advice.upgrade}"
    )


def _brokers(brokers: Sequence[BrokerView], names: BrokerNames, *, everything: bool) -> Iterator[str]:
    for one in brokers:
        if not one.refused and not everything:
            continue
        shown = one.refused if everything else one.refused[:OBJECTS]
        texts = [
            f"{error_name(item.code)} for {item.item} {counted(item.count, 'time')}"
            + ("" if item.leads is None else f" (led by broker {item.leads})")
            for item in shown
        ]
        if len(one.refused) > len(shown):
            texts.append(f"and {len(one.refused) - len(shown)} more")
        serves = "" if one.node is None else f", which serves {counted(one.serves, 'object')} by the last answers"
        found = f"{names.at(one.number)}{serves}: {', '.join(texts) or 'no error'}"
        yield f"{'broker':<{AT}}{visible(found)}"
