"""One measured point of a failover's cost as a flat row, as `probe sweep --csv` writes it and estimates read it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Self

from probe.model.cost import METADATA, WORK, PointCost
from probe.model.engines import DEFAULT_ENGINE
from probe.model.scale import Scale


@dataclass(frozen=True, slots=True, kw_only=True)
class CostPoint:
    """A whole point (`points_of`). Counts are those of all clients together, as in `PointCost`."""

    client: str
    profile: str
    scenario: str
    engine: str = str(DEFAULT_ENGINE)
    broker: str
    interval_ms: int
    clients: int
    partitions: int
    late: int
    admitted: int
    metadata: int
    requests: int
    """All requests, Produce apart."""
    connections: int
    handshakes: int
    bytes: int
    peak_per_s: int
    after_per_s: float
    works_ms: int
    memory_mb: float
    cpu_s: float
    outcomes: str
    """Clients by outcome: `refreshes:99;late:1`."""

    @property
    def scale(self) -> Scale:
        """The scale at which it was measured."""
        return Scale(partitions=self.partitions, clients=self.clients, late=self.late, admitted=self.admitted)

    @property
    def group(self) -> tuple[str, str, str, str, str, int, int]:
        """Common to the points of one growth: client, profile, scenario, engine, brokers, `late`, `admitted`."""
        return self.client, self.profile, self.scenario, self.engine, self.broker, self.late, self.admitted

    @classmethod
    def of(cls, point: PointCost) -> Self:
        """Return the row of a point."""
        return cls(
            client=point.client,
            profile=point.profile,
            scenario=point.scenario,
            engine=point.engine,
            broker=point.broker,
            interval_ms=point.interval_ms,
            clients=point.scale.clients,
            partitions=point.scale.partitions,
            late=point.scale.late,
            admitted=point.scale.admitted,
            metadata=point.requests.get(METADATA, 0),
            requests=sum(count for api, count in point.requests.items() if api not in WORK),
            connections=point.connections,
            handshakes=point.handshakes,
            bytes=point.bytes,
            peak_per_s=point.peak_per_s,
            after_per_s=point.after_per_s,
            works_ms=point.works_ms or 0,
            memory_mb=point.memory_mb,
            cpu_s=point.cpu_s,
            outcomes=";".join(f"{outcome}:{number}" for outcome, number in point.outcomes.items()),
        )


NAMES = tuple(field.name for field in fields(CostPoint))
_READ: Mapping[str, type] = {"str": str, "int": int, "float": float}
_TYPES = {field.name: _READ[str(field.type)] for field in fields(CostPoint)}


def points_of(points: Iterable[PointCost]) -> list[CostPoint]:
    """Return the rows of points that are whole: no failure of the harness, equal counts, and all partitions work again.

    Otherwise the cost had not come to its end when the observation had.
    """
    whole = (one for one in points if not one.problems and not one.differences and one.works_ms is not None)
    return [CostPoint.of(one) for one in whole]


def by_group(points: Iterable[CostPoint]) -> list[list[CostPoint]]:
    """Return the points of each growth (`CostPoint.group`), in the order in which they come."""
    groups: dict[object, list[CostPoint]] = {}
    for one in points:
        groups.setdefault(one.group, []).append(one)
    return list(groups.values())


def as_csv(points: Iterable[CostPoint]) -> str:
    """Return points as CSV with a header."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(NAMES)
    writer.writerows([getattr(point, name) for name in NAMES] for point in points)
    return out.getvalue()


def of_csv(text: str) -> list[CostPoint]:
    """Read what `as_csv` wrote. Raises ValueError or KeyError for anything else."""
    rows = csv.DictReader(io.StringIO(text))
    return [CostPoint(**{name: kind(row[name]) for name, kind in _TYPES.items()}) for row in rows]
