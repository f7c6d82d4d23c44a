"""Sums of a trial of cost, from the records of its clients. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from probe.model import Verdict
from probe.model.cost import WORK, ClientCost
from probe.protocol.names import api_name
from probe.runner.cost.client_record import ClientRecord

SECOND_US = 1_000_000
BIN_US = 100_000
"""Resolution of the highest rate: seconds begin at every tenth of one."""


@dataclass(frozen=True, slots=True)
class Window:
    """The time in which costs count, in microseconds."""

    since: int
    until: int

    def holds(self, at: int) -> bool:
        """Return whether a moment lies in it."""
        return self.since <= at <= self.until


def client_cost(record: ClientRecord, window: Window, works: Sequence[int | None], verdict: Verdict) -> ClientCost:
    """Return what a client cost; `works` has, by partition, when it worked again."""
    requests: Counter[str] = Counter()
    size = 0
    for at, api, count, length in record.rows():
        if window.holds(at):
            requests[api_name(api)] += count
            size += length
    known = [at for at in works if at is not None]
    return ClientCost(
        client_id=record.name,
        outcome=str(verdict.outcome),
        reason=verdict.reason,
        conforms=verdict.conforms,
        requests=dict((+requests).most_common()),
        bytes=size,
        connections=sum(map(window.holds, record.opened)),
        peak_per_s=peak_per_s([record], window),
        works_ms=(max(known) - window.since) // 1000 if known and len(known) == len(works) else None,
        working=len(known),
    )


def peak_per_s(records: Iterable[ClientRecord], window: Window) -> int:
    """Return the most requests in a second of the window, Produce apart."""
    bins: Counter[int] = Counter()
    for record in records:
        for at, api, count, _ in record.rows():
            if count and window.holds(at) and api_name(api) not in WORK:
                bins[(at - window.since) // BIN_US] += count
    width = SECOND_US // BIN_US
    return max((sum(bins[number + more] for more in range(width)) for number in list(bins)), default=0)


def rate_per_s(records: Iterable[ClientRecord], window: Window) -> float:
    """Return the requests a second in a window, Produce apart; 0 for an empty one."""
    length = window.until - window.since
    if length <= 0:
        return 0.0
    count = sum(
        number
        for record in records
        for at, api, number, _ in record.rows()
        if number and window.holds(at) and api_name(api) not in WORK
    )
    return round(count * SECOND_US / length, 1)
