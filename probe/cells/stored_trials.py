"""The trials of a settled cell that stay in their file, and what the file says of them. Pure.

An answer weighs thousands of cells of later releases by a few properties, which were computed when the file was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, overload

from probe.model.cell import Outcome
from probe.model.harm import TrialHarm
from probe.model.verdicts import Verdict


class Worst(NamedTuple):
    """The worst trial of a settled cell."""

    outcome: Outcome
    conforms: bool | None
    reason: str


class Worth(NamedTuple):
    """Properties of a settled cell that follow from its trials, under the names that `SettledCell` has for them."""

    outcome: Outcome
    conforms: bool | None
    rules: int
    loses: bool
    """Whether its trials lost acknowledged records."""
    mixed: bool
    """Whether some trials conform and some do not."""
    harms: tuple[TrialHarm, ...]
    worst: Worst


class StoredTrials(Sequence[Verdict]):
    """The verdicts of trials, which are read when one of them is asked for."""

    def __init__(self, count: int, worth: Worth, read: Callable[[], tuple[Verdict, ...]]) -> None:
        self.worth = worth
        self._count = count
        self._read = read
        self._held: tuple[Verdict, ...] | None = None

    @property
    def _verdicts(self) -> tuple[Verdict, ...]:
        if self._held is None:
            self._held = self._read()
        return self._held

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self._verdicts)

    @overload
    def __getitem__(self, place: int) -> Verdict: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Verdict, ...]: ...
    def __getitem__(self, place: int | slice) -> Verdict | tuple[Verdict, ...]:
        return self._verdicts[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | StoredTrials) and self._verdicts == tuple(other)

    def __hash__(self) -> int:
        return hash(self._verdicts)


def worth_in(verdicts: Sequence[Verdict]) -> Worth | None:
    """Return what a file says of trials; None for those that were not read from one that does."""
    return verdicts.worth if isinstance(verdicts, StoredTrials) else None


def are_mixed(verdicts: Sequence[Verdict]) -> bool:
    """Return whether some trials conform and some do not."""
    held = worth_in(verdicts)
    return {True, False} <= {one.conforms for one in verdicts} if held is None else held.mixed
