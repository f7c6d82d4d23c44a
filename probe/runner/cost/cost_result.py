"""The result of a trial of cost: a verdict per client, and the sums of its requests. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from probe import verdict
from probe.model import App, EngineEvent, Event, Header, History, Mark, Stored, Verdict
from probe.model.cost import PointCost
from probe.runner.cost.client_record import ClientRecord
from probe.runner.cost.cost_sums import Window, client_cost, peak_per_s, rate_per_s
from probe.runner.cost.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Observations of a trial of cost."""

    header: Header
    tally: Tally
    marks: Sequence[Mark]
    stored: Mapping[str, Sequence[Stored]]
    """The records that were read back, by their writer's client id."""
    clock_errors: Mapping[str, int]
    """Error bound of a client's times, in microseconds, by client id."""
    end_at: int
    """End of the observation. 0 = there was none."""


def by_writer(stored: Iterable[Stored]) -> Mapping[str, Sequence[Stored]]:
    """Return records by the client id of their writer."""
    found: dict[str, list[Stored]] = {}
    for record in stored:
        found.setdefault(record.instance, []).append(record)
    return found


def with_costs(own: PointCost, seen: Observed) -> PointCost:
    """Return a point with the costs of its clients; as it is where nothing was observed."""
    tally, records = seen.tally, list(seen.tally.records.values())
    if not seen.end_at:
        return own
    works = {
        record.name: [tally.works_at(record, number) for number in record.start.partitions[:-1]] for record in records
    }
    known = [at for times in works.values() for at in times if at is not None]
    whole = len(known) == sum(map(len, works.values()))
    window = Window(tally.fault_at, max(known) if known and whole else seen.end_at)
    return replace(
        own,
        clients=tuple(client_cost(one, window, works[one.name], judged(one, seen, own.problems)) for one in records),
        window_ms=(window.until - window.since) // 1000,
        peak_per_s=peak_per_s(records, window),
        after_per_s=rate_per_s(records, Window(window.until + 1, seen.end_at)),
    )


def judged(record: ClientRecord, seen: Observed, problems: Sequence[str] = ()) -> Verdict:
    """Judge one client as the only one, by the partition that the fault hit first; `problems` are the harness's.

    Of a partition that is kept from its hit on, operations that began before are left out.
    """
    affected = record.affected
    subject = replace(seen.header.subject, instance=record.name, client_id=record.name, affected=affected)
    mine = (affected, subject.bystander)
    sent = record.sent_late

    def known(partition: int, sequence: int) -> bool:
        return sequence in sent if partition == affected and record.late else partition in record.kept

    def of_known(event: Event) -> bool:
        return not isinstance(event, App) or event.sequence < 0 or known(event.partition, event.sequence)

    header = replace(
        seen.header,
        subject=subject,
        problems=(*seen.header.problems, *problems),
        stored=tuple(one for one in seen.stored.get(record.name, ()) if known(one.partition, one.sequence)),
        clock_error_us=seen.clock_errors.get(record.name, 0),
    )
    events = [*filter(of_known, record.events), *_about(mine, seen.tally.engine), *seen.marks]
    events.sort(key=lambda event: event.at)
    return verdict.judge(History(header, tuple(events)))


def _about(partitions: Sequence[int], events: Sequence[EngineEvent]) -> list[EngineEvent]:
    return [event for event in events if event.partition < 0 or event.partition in partitions]
