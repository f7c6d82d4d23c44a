"""Transcript of one run of a driver, and the bounds of time that it has to meet."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from probe.driver_contract import driver_pb2 as pb

DEADLINE_MS = 5000
QUICK_MS, SELDOM_MS = 100, 300
"""First and second interval of the operations."""
BYSTANDER, BYSTANDER_MS = 1, 200
PING_S, EXIT_S, CLOSE_LATE_S, USUAL_OFF_MS = 0.1, 3.0, 0.1, 30
PLAYS = 5
"""Plays until all bounds of time are met. If a busy machine breaks one in every 30 plays, all do once in 24 million."""


@dataclass
class Transcript:
    """One run of a driver: its events, and the records of the cluster."""

    hello: pb.Hello
    events: dict[str, list[pb.Event]] = field(default_factory=dict)
    batches: list[int] = field(default_factory=list)
    stored: dict[tuple[int, int], str] = field(default_factory=dict)
    committed: dict[int, int] = field(default_factory=dict)
    close_s: dict[str, float] = field(default_factory=dict)
    ping_s: list[float] = field(default_factory=list)
    exit_s: float = 0.0
    quick: int = 0
    """Operations that the producer had started when the interval changed."""

    def of(self, instance: str, *kinds: pb.Kind.ValueType) -> list[pb.Event]:
        return [event for event in self.events[instance] if event.kind in kinds]

    @property
    def ping_median_s(self) -> float:
        return sorted(self.ping_s)[len(self.ping_s) // 2]

    @property
    def is_punctual(self) -> bool:
        """Whether every bound of time is met. Where one is not, the machine may have been busy: it is played again."""
        usual = (off <= USUAL_OFF_MS for partition in (0, 1) for off, _ in self.off_ms(partition))
        closed = (took <= DEADLINE_MS / 1000 + CLOSE_LATE_S for took in self.close_s.values())
        return self.ping_median_s < PING_S and self.exit_s < EXIT_S and all(usual) and all(closed)

    def off_ms(self, partition: int) -> Iterator[tuple[float, list[float]]]:
        """Yield how far the usual gap between operations is from each of the two intervals, with the gaps, in ms."""
        least_ms = BYSTANDER_MS if partition == BYSTANDER else 0
        sent = self.of("producer", pb.SENT)
        # one may be under way at the second interval
        for part, pace_ms in (
            (sent[: self.quick], QUICK_MS),
            (sent[self.quick + 2 :], SELDOM_MS),
        ):  # one may be under way
            times = [event.clock_us for event in part if event.partition == partition]
            gaps = sorted((after - before) / 1000 for before, after in itertools.pairwise(times))
            yield abs((gaps[len(gaps) // 2] if gaps else 0.0) - max(pace_ms, least_ms)), gaps
