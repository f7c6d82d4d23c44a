"""Growth of a failover's cost with partitions and clients: a power law in both, with its error. Pure.

`cost = a * partitions^p * clients^c`, fitted by least squares of the logarithms. An exponent is named growth from one
half on. The interval of a prediction is that of a new observation (Student's t, 90 %), as in any textbook of linear
regression, and at least one request to either side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from probe.model.cost_point import CostPoint, by_group
from probe.model.scale import Scale

GROWS = 0.5
"""Exponent from which a cost is said to grow with something."""
LEAST_POINTS = 4
"""Fewest points of a fit."""
STUDENT = (6.31, 2.92, 2.35, 2.13, 2.02, 1.94, 1.90, 1.86, 1.83, 1.81)
"""Student's t for 90 %, two-sided, by degrees of freedom from 1 to 10; beyond, 1.7."""
STUDENT_BEYOND = 1.7

Metric = Callable[[CostPoint], float]
METRICS: dict[str, Metric] = {
    "Metadata": lambda point: point.metadata,
    "requests": lambda point: point.requests,
    "connections": lambda point: point.connections,
    "peak/s": lambda point: point.peak_per_s,
    "bytes": lambda point: point.bytes,
}
"""Costs whose growth is named."""


class Growth(StrEnum):
    """Kinds of growth of a cost."""

    CONSTANT = "constant"
    PARTITIONS = "with partitions"
    CLIENTS = "with clients"
    BOTH = "with both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The growth of one cost of one client."""

    points: tuple[CostPoint, ...]
    growth: Growth
    at_one: float
    """The cost of one client with one partition that moves."""
    partitions: float | None
    """Exponent. None = measured at one number of partitions only."""
    clients: float | None
    """Exponent. None = measured at one number of clients only."""
    factor: float
    """Standard error as a factor: two of three measured costs lie within it of the fit."""
    inverse: tuple[tuple[float, ...], ...]
    """Of the normal equations, for intervals."""

    @property
    def lowest(self) -> Scale:
        """The smallest numbers that were measured."""
        return _corner(self.points, min)

    @property
    def highest(self) -> Scale:
        """The greatest numbers that were measured, though perhaps not together."""
        return _corner(self.points, max)

    @property
    def corners(self) -> tuple[Scale, ...]:
        """The scales that were measured and of which no other one is greater in both numbers."""
        scales = sorted({Scale(partitions=one.partitions, clients=one.clients) for one in self.points})
        return tuple(
            one
            for one in scales
            if not any(one != it and one.partitions <= it.partitions and one.clients <= it.clients for it in scales)
        )

    def expected(self, scale: Scale) -> float:
        """Return the cost by the fit."""
        by_partitions = math.log(scale.partitions) * (self.partitions or 0)
        return self.at_one * math.exp(by_partitions + math.log(scale.clients) * (self.clients or 0))

    def interval(self, scale: Scale) -> tuple[float, float]:
        """Return the interval in which nine of ten measurements at a scale are expected."""
        row = _row(scale, self.partitions is not None, self.clients is not None)
        spread = sum(row[i] * self.inverse[i][j] * row[j] for i in range(len(row)) for j in range(len(row)))
        free = len(self.points) - len(row)
        wide = student(free) * math.log(self.factor) * math.sqrt(1 + max(0.0, spread))
        middle = self.expected(scale)
        return max(0.0, min(middle / math.exp(wide), middle - 1)), max(middle * math.exp(wide), middle + 1)


def fit(points: Iterable[CostPoint], metric: Metric) -> Fit | None:
    """Return the growth of a cost over points of one client; None with fewer than four, or where no scale differs."""
    used = tuple(points)
    over_partitions = len({one.partitions for one in used}) > 1
    over_clients = len({one.clients for one in used}) > 1
    rows = [_row(one.scale, over_partitions, over_clients) for one in used]
    if len(used) < max(LEAST_POINTS, len(rows[0]) + 1 if rows else 0) or not (over_partitions or over_clients):
        return None
    values = [math.log(max(metric(one), 0.5)) for one in used]
    size = len(rows[0])
    normal = [[sum(row[i] * row[j] for row in rows) for j in range(size)] for i in range(size)]
    inverse = inverted(normal)
    if inverse is None:
        return None
    right = [sum(row[i] * value for row, value in zip(rows, values, strict=True)) for i in range(size)]
    found = [sum(inverse[i][j] * right[j] for j in range(size)) for i in range(size)]
    left = [
        value - sum(a * b for a, b in zip(row, found, strict=True)) for row, value in zip(rows, values, strict=True)
    ]
    variance = sum(one * one for one in left) / (len(used) - size)
    rest = found[1:]
    by_partitions = rest.pop(0) if over_partitions else None
    by_clients = rest.pop(0) if over_clients else None
    return Fit(
        points=used,
        growth=named(by_partitions, by_clients),
        at_one=math.exp(found[0]),
        partitions=by_partitions,
        clients=by_clients,
        factor=math.exp(math.sqrt(variance)),
        inverse=tuple(map(tuple, inverse)),
    )


def growths(points: Iterable[CostPoint]) -> Iterator[tuple[CostPoint, str, Fit]]:
    """Yield the fits of all costs of each client among points: one of its points, the cost's name, and the fit."""
    for mine in by_group(points):
        for name, metric in METRICS.items():
            if (found := fit(mine, metric)) is not None:
                yield mine[0], name, found


def named(partitions: float | None, clients: float | None) -> Growth:
    """Return the name of a growth by its exponents."""
    many, crowded = (partitions or 0) >= GROWS, (clients or 0) >= GROWS
    if many and crowded:
        return Growth.BOTH
    return Growth.PARTITIONS if many else Growth.CLIENTS if crowded else Growth.CONSTANT


def student(free: int) -> float:
    """Return Student's t for 90 %, two-sided."""
    return STUDENT[free - 1] if 1 <= free <= len(STUDENT) else STUDENT_BEYOND


def inverted(matrix: Sequence[Sequence[float]]) -> list[list[float]] | None:
    """Return the inverse of a small symmetric matrix by Gauss and Jordan; None of a singular one."""
    size = len(matrix)
    work = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda row: abs(work[row][i]))
        if abs(work[pivot][i]) < 1e-9:
            return None
        work[i], work[pivot] = work[pivot], work[i]
        work[i] = [value / work[i][i] for value in work[i]]
        for j in range(size):
            if j != i:
                work[j] = [a - work[j][i] * b for a, b in zip(work[j], work[i], strict=True)]
    return [row[size:] for row in work]


def _row(scale: Scale, over_partitions: bool, over_clients: bool) -> list[float]:
    row = [1.0]
    if over_partitions:
        row.append(math.log(scale.partitions))
    if over_clients:
        row.append(math.log(scale.clients))
    return row


def _corner(points: Sequence[CostPoint], choose: Callable[[Iterable[int]], int]) -> Scale:
    return Scale(partitions=choose([one.partitions for one in points]), clients=choose([one.clients for one in points]))
