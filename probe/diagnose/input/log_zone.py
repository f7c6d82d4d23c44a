"""The time zone of request logs whose stamps name none: asked for, shown by a capture beside them, or assumed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, timedelta, timezone, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

from probe.diagnose.input.log_lines import Line, stamp
from probe.diagnose.observation import LogZone, Wire, ZoneBy
from probe.errors import ProbeError
from probe.model import Request
from probe.protocol.log_requests import MARK, parse_line

ASSUMED = LogZone(UTC, ZoneBy.ASSUMED)
STEP = timedelta(minutes=15)
"""Zones differ from UTC by whole quarters of an hour, from 12 hours behind to 14 ahead."""
BEHIND, AHEAD = -48, 56
"""The same in steps."""
CLOCKS_US = 60_000_000
"""Most by which the clocks of brokers and of the capturing host may differ."""
SAMPLE = 2_000
"""Requests of the capture that are looked for in the log."""
FEWEST = 5
"""Requests that have to show the same zone."""
ENOUGH = 300
"""Requests that are found again after which the rest of the log is not searched."""
_CORRELATION = re.compile(r"correlationId\W{1,4}(\d+)")
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)")
_STEP_US = STEP // timedelta(microseconds=1)


class _Sent(NamedTuple):
    """By what a request is recognised in both."""

    client_id: str
    api: int
    version: int
    corr: int


def parse_zone(text: str) -> LogZone:
    """Return a zone by its name in the database of time zones, or by its offset as `date +%z` prints it. ProbeError."""
    return LogZone(_zone(text), ZoneBy.OPTION)


def _zone(text: str) -> tzinfo:
    offset = _OFFSET.fullmatch(text)
    try:
        if offset is not None:
            span = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
            return timezone(-span if offset[1] == "-" else span)
        return ZoneInfo(text)
    except (ValueError, KeyError, OSError):
        raise ProbeError(
            f"--log-zone {text}: no such time zone; write a name such as Europe/Berlin, or an offset such as +02:00"
        ) from None


def names_no_zone(head: bytes) -> bool:
    """Return whether the first request of a log has a time stamp without a zone."""
    lines = head.decode("utf-8", "replace").splitlines()
    first = next((line for line in lines if MARK in line), "")
    found = stamp(first)
    return found is not None and found.zone is None


def zone_by_capture(captured: Iterable[Wire], logged: Callable[[], Iterator[Line]]) -> LogZone | None:
    """Return the zone in which the requests of a log are those of a capture; None if too few are, or in several.

    `logged` reads the lines of the log as if their times were UTC.
    """
    sent: dict[_Sent, list[int]] = defaultdict(list)
    for event in captured:
        if isinstance(event, Request):
            sent[_Sent(event.client_id, event.api, event.version, event.corr)].append(event.at)
            if len(sent) >= SAMPLE:
                break
    steps = _votes(sent, logged()) if sent else Counter[int]()
    (best, votes), *others = [*steps.most_common(2), (0, 0)]
    if votes < FEWEST or votes < 2 * others[0][1]:
        return None
    return LogZone(timezone(best * STEP), ZoneBy.CAPTURE)


def _votes(sent: Mapping[_Sent, list[int]], lines: Iterator[Line]) -> Counter[int]:
    """Return how many requests were found again, by the number of steps that the log is ahead."""
    votes: Counter[int] = Counter()
    numbers = {str(one.corr) for one in sent}
    for at, line, _ in lines:
        corr = _CORRELATION.search(line)
        if corr is None or corr[1] not in numbers:
            continue
        try:
            found = parse_line(line)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            continue
        if found is None:
            continue
        for moment in sent.get(_Sent(found.client_id, found.api, found.version, found.corr), ()):
            ahead = at - found.total_us - moment
            step = round(ahead / _STEP_US)
            if BEHIND <= step <= AHEAD and abs(ahead - step * _STEP_US) <= CLOCKS_US:
                votes[step] += 1
        if votes.total() >= ENOUGH:
            break
    return votes
