"""The promises of writers, held against the read-back (docs/verdicts.md#promise). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from probe.model import App, AppKind, MarkKind
from probe.model.roles import ROLES
from probe.verdict import new_log
from probe.verdict.age import told
from probe.verdict.record_keys import identity, series_of, strayed
from probe.verdict.timeline import SLACK_US
from probe.verdict.wire_evidence import WireEvidence

Operation = tuple[int, int]
"""(partition, sequence), as `probe.verdict.record_keys.identity` returns it"""

TXN_ENDS = frozenset({AppKind.TXN_COMMITTED, AppKind.TXN_ABORTED, AppKind.TXN_ERROR})
"""Ends of a transaction, which are the outcome of every record in it."""


@dataclass(frozen=True, slots=True)
class Promises:
    """Counts. None = does not apply, or there was no read-back."""

    acked: int | None = None
    lost: int | None = None
    duplicated: int | None = None
    reordered: int | None = None
    position_jump: int | None = None
    broken: tuple[str, ...] = field(default=())
    """The promises that were given and not kept, with their numbers."""


def written(evidence: WireEvidence) -> Promises:
    """Judge a producer, with transactions or without."""
    header = evidence.header
    acked = {_identity(evidence, item) for item in evidence.events.apps if item.kind is AppKind.ACKED}
    if not header.stored:
        return Promises(acked=len(acked))
    order: dict[int, list[int]] = {}
    copies = Counter[Operation]()
    for record in sorted(header.stored, key=lambda item: (item.partition, item.offset)):
        if record.instance == evidence.subject.instance:
            order.setdefault(series_of(header, record.partition, record.sequence), []).append(record.sequence)
            copies[identity(header, record.partition, record.sequence)] += 1
    wanted, unwanted = _owed(evidence, acked), 0
    if evidence.play.new_log:
        wanted = {identity(header, *item) for item in new_log.acknowledged(evidence)}
    if ROLES[evidence.role].transactional:
        wanted, unwanted = _transactions(evidence, copies)
    lost = len([item for item in wanted if item not in copies])
    duplicated = sum(copies.values()) - len(copies) + unwanted
    reordered = sum(map(_steps_back, order.values()))
    broken = _broken(evidence, lost=lost, duplicated=duplicated, reordered=reordered)
    return Promises(
        acked=len(acked),
        lost=lost,
        duplicated=duplicated,
        reordered=reordered,
        broken=(*broken, *strayed(header)),
    )


def _identity(evidence: WireEvidence, item: App) -> Operation:
    return identity(evidence.header, item.partition, item.sequence)


def _owed(evidence: WireEvidence, acked: set[Operation]) -> set[Operation]:
    """Return the operations whose loss counts: without acks=all the harmless election may cost those before it.

    A client that awaits no answer (acks=0) learns of it by asking alone, so it may cost what was sent until then.
    """
    elected = evidence.events.marked(MarkKind.ELECTED)
    if elected is None or _waits_for_all(evidence):
        return acked
    until = elected + SLACK_US
    if evidence.acks_none:  # at the latest from the fault on
        begin = evidence.timeline.begin
        until = min(next(told(evidence, elected), begin) + SLACK_US, begin)
    early = {_identity(evidence, one) for one in evidence.events.apps if one.kind is AppKind.ACKED and one.at <= until}
    return acked - early


def _waits_for_all(evidence: WireEvidence) -> bool:
    return ROLES[evidence.role].transactional or evidence.header.settings.get("acks") in {"all", "-1"}


def _broken(evidence: WireEvidence, **counts: int) -> Iterator[str]:
    settings, transactional = evidence.header.settings, ROLES[evidence.role].transactional
    once = transactional or settings.get("idempotence") == "true"
    given = {"lost": _waits_for_all(evidence), "duplicated": once, "reordered": once}
    yield from (f"{count} {what}" for what, count in counts.items() if count and given[what])


def _steps_back(numbers: list[int]) -> int:
    """Count records that are stored after a later one. Copies are not counted again."""
    seen: set[int] = set()
    highest, back = -1, 0
    for number in numbers:
        if number not in seen and number < highest:
            back += 1
        seen.add(number)
        highest = max(highest, number)
    return back


def _transactions(evidence: WireEvidence, copies: Mapping[Operation, int]) -> tuple[set[Operation], int]:
    """Return the records of committed transactions, and the number of visible records that must not be visible.

    Records of an aborted transaction must not be visible. Those of one that ended in an error may be, but only all of
    them.
    """
    wanted: set[Operation] = set()
    unwanted = 0
    for outcome, members in _transaction_list(evidence):
        visible = sum(1 for item in members if item in copies)
        if outcome is AppKind.TXN_COMMITTED:
            wanted |= members
        elif outcome is AppKind.TXN_ABORTED or visible < len(members):
            unwanted += visible
    return wanted, unwanted


def _transaction_list(evidence: WireEvidence) -> Iterator[tuple[AppKind | None, set[Operation]]]:
    """Yield each transaction's end (None = not reported) and its operations.

    A retried commit may end in success; an error after that is of the next transaction, which could not begin.
    """
    members: set[Operation] = set()
    outcome: AppKind | None = None
    for item in evidence.events.apps:
        if item.kind is AppKind.TXN_BEGUN:
            yield outcome, members
            members, outcome = set(), None
        elif item.kind is AppKind.SENT and outcome is None:
            members.add(_identity(evidence, item))
        elif item.kind is AppKind.SEND_ERROR:
            members.discard(_identity(evidence, item))
        elif item.kind in TXN_ENDS and outcome is not AppKind.TXN_COMMITTED:
            outcome = item.kind
    yield outcome, members
