"""Predict periodic refreshes from the discoveries before the fault."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from probe.verdict.discovery import Discovery
from probe.verdict.patience import awaited_ms
from probe.verdict.wire_evidence import WireEvidence

TOLERANCE_US = 25_000
"""Lateness of a tick that is always accepted."""
MAX_SPREAD = 0.1
"""Gaps that differ from the interval by at most this share are ticks. The tolerance never exceeds it, nor does the
lateness of a tick on a busy machine."""
LONG_SHARE = 0.01
"""Lateness of a tick, as a share of the interval, that is accepted where a client is observed to the end: there no gaps
before the fault show how late ticks of minutes are."""
MIN_INTERVALS = 3
"""Number of regular gaps after warm-up that show an interval where the client declares none."""
SHORTEST_US = 200_000
"""A shorter gap is a retry, not a refresh."""


@dataclass(frozen=True, slots=True)
class RefreshSchedule:
    """A periodic refresh: on a fixed grid (sarama, librdkafka), or at an interval after the last answer (Java)."""

    intervals: tuple[int, ...] = ()
    """As declared, and as observed. Empty = there is no periodic refresh."""
    last: int = 0
    """The last tick before the fault."""
    tolerance: int = 0
    asked: tuple[int, ...] = ()
    """All discoveries, by time."""
    least: int | None = None
    """Shortest wait of a refresh with a random interval (kafka-go). None = it is regular."""

    def predict(self, at: int) -> bool:
        """Return whether a tick is due at a time after the fault."""
        if not self.intervals or at <= self.last:
            return False
        before = bisect_left(self.asked, at) - 1
        previous = self.asked[before] if before >= 0 else self.last
        if self.least is not None:
            return self.least <= at - previous + self.tolerance and at - previous <= self.intervals[0] + self.tolerance
        return any(self._on_grid(at, every) or self._near(at - previous, every) for every in self.intervals)

    def overdue(self, at: int) -> bool:
        """Return whether a tick was due at most a tenth of the interval before a time after the fault.

        A busy machine wakes a client late. Alone this proves no tick, since an error may be as old.
        """
        if not self.intervals or self.least is not None or at <= self.last:
            return False
        return any(
            (at - self.last) % every <= MAX_SPREAD * every for every in self.intervals if at - self.last >= every
        )

    def _on_grid(self, at: int, every: int) -> bool:
        nearest = max(1, round((at - self.last) / every))
        return self._near(at - self.last, nearest * every)

    def _near(self, gap: int, expected: int) -> bool:
        return abs(gap - expected) <= self.tolerance


def find_refresh_schedule(evidence: WireEvidence, discoveries: tuple[Discovery, ...]) -> RefreshSchedule:
    """Derive the interval from the declared setting and from the gaps before the fault."""
    asked = tuple(item.at for item in discoveries)
    before = [at for at in asked if at < evidence.timeline.begin]
    if not before:
        return RefreshSchedule()
    declared = evidence.setting_us("refresh_ms") or 0
    least = evidence.setting_us("refresh_least_ms")
    if least is not None:
        return _drawn(evidence, declared, least, asked, before[-1])
    gaps = _gaps(before)
    warm = [at for at in before if at >= evidence.timeline.warm]
    seen = _near_declared(gaps, declared) if declared else _regular(_gaps(warm))
    intervals = tuple(every for every in (declared, seen) if every)
    if not intervals:
        return RefreshSchedule()
    regular = [gap for gap in gaps if abs(gap - intervals[-1]) <= MAX_SPREAD * intervals[-1]]
    jitter = max((abs(gap - intervals[-1]) for gap in regular), default=0)
    least_us = max(TOLERANCE_US, LONG_SHARE * declared if evidence.header.limits.to_the_end else 0)
    tolerance = int(min(max(least_us, 3 * jitter), MAX_SPREAD * intervals[-1]))
    return RefreshSchedule(intervals, before[-1], tolerance, asked)


def _gaps(times: list[int]) -> list[int]:
    return [later - sooner for sooner, later in pairwise(times)]


def _near_declared(gaps: list[int], declared: int) -> int:
    near = [gap for gap in gaps if abs(gap - declared) <= MAX_SPREAD * declared]
    return int(median(near)) if near else 0


def _regular(gaps: list[int]) -> int:
    last = gaps[-MIN_INTERVALS:]
    usual = int(median(last)) if len(last) == MIN_INTERVALS else 0
    steady = usual >= SHORTEST_US and all(abs(gap - usual) <= MAX_SPREAD * usual for gap in last)
    return usual if steady else 0


def _drawn(evidence: WireEvidence, most: int, least: int, asked: tuple[int, ...], last: int) -> RefreshSchedule:
    """Return the schedule of random intervals. It is empty if a tick in the observation is unlikely.

    Any moment of the interval may be a tick, so a tick cannot be distinguished from a discovery after an error.
    """
    likely = 0 < (least + most) // 2 <= max(evidence.play.watch_ms, awaited_ms(evidence.header)) * 1000
    return RefreshSchedule((most,), last, TOLERANCE_US, asked, least) if likely else RefreshSchedule()
