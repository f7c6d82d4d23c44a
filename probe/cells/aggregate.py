"""Settle stored trials into cells, by the same rules as the matrix (spark/aggregate.py; a test compares the two).

The trials with the greatest rank (`probe.model.conditions.rank`) give a cell its result: those that settle it, under
the newest conditions, in the latest run. Trials with a shortened observation and those of sweeps are left out. Trials
that wait settle nothing, and broken trials have a lower weight than these. A cell whose trials disagree in that run is
`flaky`; its worst trial decides what it is worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from probe.cells.doubts import doubt
from probe.cells.losses import Loss, loss_of
from probe.cells.origin import Origin
from probe.cells.stored_trials import Worst, Worth, worth_in
from probe.model import Cell, Outcome, Verdict, conditions, judged_trial
from probe.model.conditions import Rank
from probe.model.counts import counted
from probe.model.grades import Grade, grade, worst_trial
from probe.model.harm import TrialHarm
from probe.model.outcomes import conform
from probe.model.refusals import refused_by, regraded


def spelled(votes: Counter[Outcome]) -> str:
    """Return outcomes with their numbers of trials, the most frequent first, then by name: `refreshes:17;storms:3`."""
    return ";".join(f"{name}:{count}" for name, count in sorted(votes.items(), key=lambda item: (-item[1], item[0])))


class JudgedTrial(judged_trial.JudgedTrial, Protocol):
    """The part of a stored trial that settling needs, and a sweep."""

    @property
    def run_id(self) -> str:
        """The id of the run."""

    @property
    def sweep(self) -> str:
        """The sweep that the trial is part of; empty = none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledCell:
    """A cell with the trials that settle it."""

    cell: Cell
    run_id: str
    trial: int
    """The number of a trial with the commonest outcome of the cell, for `probe show`."""
    verdicts: Sequence[Verdict]
    """Those of all trials that count, in the order of their numbers; some files say what follows from them."""
    conditions: int = conditions.FIRST
    """Number of the conditions of these trials; the greatest of several, which are comparable."""
    origin: Origin | None = None
    """The evidence that it was read from. None = it was settled from the trials themselves."""
    beside: tuple[SettledCell, ...] = ()
    """Further evidence on the same question: from another file where that disagrees, or from the release line on the
    other side where the asked line has no evidence."""
    chance: str = ""
    """Why its trials are too few to show that the client passes (`probe.cells.chance`); empty = they are enough."""
    real: SettledCell | None = None
    """The same question on real brokers, where trials lost acknowledged records and this one is of the fake cluster."""
    writes: str = ""
    """Place of lost records: how the client writes, and what acks=all does in the same cell, where that is known."""
    told: tuple[TrialHarm, ...] | None = None
    """The harms of its trials, where facts do not tell (a row of the matrix, trials that were cut short), or where they
    are asked for many times."""
    keeps: str = ""
    """Source line of a client that stays with its broker, where nothing ends a standstill."""

    @property
    def _held(self) -> Worth | None:
        return worth_in(self.verdicts)

    @property
    def _worst(self) -> Verdict | Worst:
        return worst_trial(self.verdicts) if (held := self._held) is None else held.worst

    @property
    def rules(self) -> int:
        """Version of the rules that judged these trials; the oldest of several."""
        return held.rules if (held := self._held) else min(item.rules for item in self.verdicts)

    @property
    def rank(self) -> Rank:
        """The rank of the trials, by which settled cells of several runs compete."""
        return conditions.rank(self.cell, self.verdicts[0].outcome, self.conditions, self.run_id)

    @property
    def votes(self) -> Counter[Outcome]:
        """Number of trials per outcome."""
        return Counter(item.outcome for item in self.verdicts)

    @property
    def disagrees(self) -> bool:
        """Whether the trials have different outcomes."""
        held = self._held
        return len({item.outcome for item in self.verdicts}) > 1 if held is None else held.outcome is Outcome.FLAKY

    @property
    def outcome(self) -> Outcome:
        """The outcome on which all trials agree, otherwise `flaky`."""
        if held := self._held:
            return held.outcome
        return Outcome.FLAKY if self.disagrees else self.verdicts[0].outcome

    @property
    def outcomes(self) -> str:
        """The column `outcomes` of the matrix: `refreshes:17;storms:3`."""
        return spelled(Counter({name: count for name, count in self.votes.items() if name is not Outcome.NOT_RUN}))

    @property
    def worst(self) -> Outcome:
        """The outcome of the worst trial."""
        return self._worst.outcome

    @property
    def reason(self) -> str:
        """The reason of the worst trial."""
        return self._worst.reason

    @property
    def conforms(self) -> bool | None:
        """Whether the cell conforms: no trial may not conform; None where conformity is not judged."""
        return held.conforms if (held := self._held) else conform(item.conforms for item in self.verdicts)

    @property
    def grade(self) -> Grade:
        """Outcome and severity of the worst trial; of a refused client, that of one that does no work."""
        return regraded(grade(self._worst), self.refusal)

    @property
    def refusal(self) -> str:
        """Of a control cell: what keeps the client from working with brokers of this line; empty if nothing does."""
        return refused_by(self.cell, self.reason)

    @property
    def judged(self) -> bool:
        """Whether the outcome is a judgement about the client."""
        return self.grade.judged

    @property
    def doubt(self) -> str:
        """Why a later change may judge or play the cell otherwise; empty = nothing."""
        return doubt(self.cell, self.rules)

    @property
    def is_old(self) -> bool:
        """Whether it is too old to prove that a client passes; it still shows that one fails."""
        return bool(self.doubt) or (self.origin is not None and self.origin.is_old)

    @property
    def passes(self) -> bool:
        """Whether it proves that the client conforms, and that no acknowledged record was lost."""
        return bool(self.conforms) and not (self.is_old or self.chance or self.loses)

    @property
    def loss(self) -> Loss | None:
        """The acknowledged records that a writer's trials lost, whatever their outcome says; None = none."""
        if (held := self._held) is not None and not held.loses:
            return None
        return loss_of(self.cell.role, [item.facts for item in self.verdicts])

    @property
    def loses(self) -> bool:
        """Whether acknowledged records were lost, here or on real brokers."""
        held = self._held
        return self.real is not None or (self.loss is not None if held is None else held.loses)

    @property
    def since(self) -> int:
        """The number since which trials of the cell are comparable with these."""
        return conditions.span(self.cell, self.conditions)[0]

    @property
    def is_current(self) -> bool:
        """Whether it was measured under conditions comparable with those of today."""
        return conditions.is_current(self.cell, self.conditions)

    def is_comparable(self, other: SettledCell) -> bool:
        """Return whether both were measured under conditions that can be compared."""
        return conditions.comparable(self.cell, self.conditions, other.cell, other.conditions)

    @property
    def tally(self) -> str:
        """The outcome; where trials disagree, each with its count, the worst first.

        For instance `flaky: storms in 3 of 20, refreshes in 17`.
        """
        return self._tallied("") if self.disagrees else str(self.outcome)

    @property
    def result(self) -> str:
        """The outcome with the number of trials that it rests on.

        For instance `rides in 1 trial`, `flaky: storms in 3 of 20 trials, refreshes in 17`.
        """
        return (
            self._tallied(" trials") if self.disagrees else f"{self.outcome} in {counted(len(self.verdicts), 'trial')}"
        )

    def _tallied(self, trials: str) -> str:
        votes = self.votes
        others = (f", {name} in {count}" for name, count in votes.most_common() if name is not self.worst)
        return f"{self.outcome}: {self.worst} in {votes[self.worst]} of {len(self.verdicts)}{trials}{''.join(others)}"


def settle(rows: Iterable[JudgedTrial], limited: Container[Cell] = ()) -> dict[Cell, SettledCell]:
    """Settle trials into cells. The rows of one run alone give that run's result.

    Trials with a shortened observation settle only cells in `limited`, all of whose trials are watched for the same
    time; there a trial that still waits counts as one that is late does.
    """
    best: dict[Cell, tuple[Rank, list[JudgedTrial]]] = {}
    for row in rows:
        is_limited, outcome = row.cell in limited, row.verdict.outcome
        if (row.shortened and not is_limited) or row.sweep:
            continue
        if is_limited and outcome is Outcome.WAITING:
            outcome = Outcome.LATE
        rank = conditions.rank(row.cell, outcome, row.conditions, row.run_id)
        held = best.get(row.cell)
        if held is None or rank > held[0]:
            best[row.cell] = (rank, [row])
        elif rank == held[0]:
            held[1].append(row)
    return {cell: _settled(cell, sorted(mine, key=lambda row: row.trial)) for cell, (_, mine) in best.items()}


def merged(held: Mapping[Cell, SettledCell], fresh: Mapping[Cell, SettledCell]) -> dict[Cell, SettledCell]:
    """Return what the trials behind both give together. Both have trials of different runs."""
    better = {cell: item for cell, item in fresh.items() if cell not in held or item.rank > held[cell].rank}
    return {**held, **better}


def _settled(cell: Cell, rows: Sequence[JudgedTrial]) -> SettledCell:
    votes = Counter(row.verdict.outcome for row in rows)
    commonest = votes.most_common(1)[0][0]
    first = next(row for row in rows if row.verdict.outcome is commonest)
    return SettledCell(
        cell=cell,
        run_id=first.run_id,
        trial=first.trial,
        verdicts=tuple(row.verdict for row in rows),
        conditions=max(row.conditions for row in rows),
    )
