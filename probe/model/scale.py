"""The scale of a trial of cost: partitions that move at once, clients of one kind, and how they are answered.

The written form of an axis is that of `--over`: `partitions=1,10,100`, `clients=1,10`, `late=0,100,1000`
or `admitted=0,20`. A scale is no part of a cell: the matrix has one moving partition and one client.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

PARTITIONS, CLIENTS, LATE, ADMITTED = "partitions", "clients", "late", "admitted"
LEAST = 2
"""Fewest values of an axis."""
MOST = {PARTITIONS: 10_000, CLIENTS: 1000, LATE: 60_000, ADMITTED: 100_000}
"""Greatest value of each axis; `late` is in milliseconds, `admitted` a number a second."""
LOWEST = {PARTITIONS: 1, CLIENTS: 1, LATE: 0, ADMITTED: 0}


@dataclass(frozen=True, slots=True, order=True)
class Scale:
    """One point of a sweep of cost."""

    partitions: int = 1
    """Partitions that the fault hits at once. Each client writes to all of them, and to one more that it spares."""
    clients: int = 1
    """Instances of the client, each with a client id of its own."""
    late: int = 0
    """Milliseconds by which answers to Metadata and ApiVersions are delayed from the fault on."""
    admitted: int = 0
    """Metadata and ApiVersions requests that are answered in a second, of all clients together, from the fault on:
    those above are refused by a reset of their connection. 0 = all of them."""

    def __str__(self) -> str:
        """Return the scale in words: `100 clients x 10 partitions`."""
        late = f", answers after {self.late} ms" if self.late else ""
        refused = f", refused above {self.admitted} a second" if self.admitted else ""
        return f"{_counted(self.clients, 'client')} x {_counted(self.partitions, 'partition')}{late}{refused}"

    @property
    def is_calm(self) -> bool:
        """Whether all requests are answered, and at once."""
        return not (self.late or self.admitted)

    @property
    def pairs(self) -> int:
        """Partitions of all clients: those that the fault hits, and the spared one of each client."""
        return (self.partitions + 1) * self.clients


def is_axis(text: str) -> bool:
    """Return whether a value of `--over` names an axis of the scale."""
    return text.partition("=")[0] in MOST


def parse_scales(axes: Sequence[str], base: Scale) -> tuple[Scale, ...]:
    """Return the points of these axes, each with each, from the smallest to the largest.

    What no axis names is that of `base`. Raises ValueError, with the reason.

    >>> [str(one) for one in parse_scales(["clients=1,10"], Scale(partitions=2))]
    ['1 client x 2 partitions', '10 clients x 2 partitions']
    """
    found: dict[str, tuple[int, ...]] = {}
    for text in axes:
        name, _, listed = text.partition("=")
        if name in found:
            raise ValueError(f"{name} is given twice; give all of its values at once")
        found[name] = _values(name, listed)
    points = product(*([(name, value) for value in values] for name, values in found.items()))
    made = (replace(base, **dict(point)) for point in points)
    return tuple(sorted(made, key=lambda one: (one.pairs, one)))


def _values(name: str, listed: str) -> tuple[int, ...]:
    if name not in MOST:
        raise ValueError(f"{name} cannot be combined with others; axes are {', '.join(MOST)}")
    texts = [text.strip() for text in listed.split(",")]
    if not all(text.isdecimal() for text in texts):
        raise ValueError(f"{name} needs whole numbers, separated by commas")
    values = tuple(sorted({int(text) for text in texts}))
    if len(values) < LEAST:
        raise ValueError(f"{name} needs at least {LEAST} different values, separated by commas")
    if values[0] < LOWEST[name] or values[-1] > MOST[name]:
        raise ValueError(f"{name} is from {LOWEST[name]} to {MOST[name]}")
    return values


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")
