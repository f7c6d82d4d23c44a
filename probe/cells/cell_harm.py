"""The harm of a settled cell: that of its gravest trial, and how many trials have it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from probe.cells.aggregate import SettledCell
from probe.cells.stored_trials import worth_in
from probe.model.counts import share
from probe.model.harm import Harm, TrialHarm, gravest
from probe.model.harm_bounds import trial_harm
from probe.model.harm_rules import ends_work


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class CellHarm:
    """The harm of a cell. Greater values are worse."""

    worst: TrialHarm
    """The harm of the gravest trial."""
    bad: int
    """Trials with this rank or a graver one."""
    of: int
    """Trials that say something about the client."""

    @property
    def rank(self) -> Harm:
        """The rank of the gravest trial."""
        return self.worst.rank

    @property
    def is_chance(self) -> bool:
        """Whether some trials had less harm: a version in which all had is no proof of a mend."""
        return self.bad < self.of

    @property
    def words(self) -> str:
        """The harm in words, with its share where trials differ: `stops silently in 3 of 20`."""
        return f"{self.worst.words}{share(self.bad, self.of)}"


def stops_beside_loss(settled: SettledCell) -> bool:
    """Return whether work stops in trials of a cell, where the records that are lost are the graver harm."""
    return settled.loses and any(map(ends_work, settled.verdicts))


def harms_of(settled: SettledCell) -> tuple[TrialHarm, ...]:
    """Return the harm of each trial that says something about the client."""
    if settled.told is not None:
        return settled.told
    held = worth_in(settled.verdicts)
    if held is not None:
        return held.harms
    found = (trial_harm(settled.cell, verdict) for verdict in settled.verdicts)
    return tuple(one for one in found if one is not None)


def with_harms(settled: SettledCell) -> SettledCell:
    """Return a cell that holds the harms of its trials, for who asks for them many times."""
    return replace(settled, told=harms_of(settled))


def harm_in(settled: SettledCell) -> CellHarm | None:
    """Return the harm of a cell; None = unknown, since no trial says anything.

    Acknowledged records that real brokers lost in the same question are lost on the embedded engine's line, too.
    """
    found = harms_of(settled)
    worst = gravest(found)
    if worst is None:
        return None
    own = CellHarm(worst=worst, bad=_count(found, worst.rank), of=len(found))
    if settled.real is None:
        return own
    real = harm_in(settled.real)
    return own if real is None else max(own, real, key=lambda one: one.rank)


def _count(found: Iterable[TrialHarm], rank: Harm) -> int:
    return sum(one.rank >= rank for one in found)
