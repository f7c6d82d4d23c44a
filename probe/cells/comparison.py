"""Worse, better, equal or undecided: what two settled cells of one question show (docs/comparisons.md). Pure.

Compared is harm (`probe.cells.harm`), by the gravest question on which the sides differ. One trial of each side is a
screen: it shows where the sides may differ. What differs is decided by trials of both sides of one run only:

* In a *plain* cell four trials a side decide if all eight are as the screen was.
* In a cell of *chance* (trials of this library, scenario and role are known to differ, or one is near a bound), and in
  one whose trials contradict each other, twelve a side decide by Fisher's exact test, one-sided, with Holm's correction
  over the comparison. Cells in which no spread of the trials could have decided are no tests (Tarone 1990).

Recovery times that differ by less than a fifth are no difference, whatever bound lies between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median

from probe.cells.aggregate import SettledCell
from probe.cells.chances import fisher, greatest_difference, holm, least
from probe.cells.harm import QUESTIONS, Harm, harms
from probe.cells.trends import Step
from probe.model.cell import Outcome
from probe.model.counts import counted

PLAIN, CHANCE, EQUAL = 4, 12, 7
"""Trials a side that decide a plain cell, and one of chance; those after which "equal" can be said."""
MORE = 40
"""Trials a side that are proposed where the usual ones decide nothing."""
LEVEL = 0.005
"""Share of comparisons in which chance alone may call a cell of chance worse or better."""
APART = 0.3
"""Greatest distance of two shares of bad trials that are called equal."""
ALIKE = 0.2
"""Difference of two recovery times, as a share of the longer one, below which they are alike."""


class Answer(StrEnum):
    """What a comparison says of a cell."""

    WORSE = "worse"
    BETTER = "better"
    UNDECIDED = "undecided"
    """The sides differ on too few trials, or chance may have made the difference."""
    CHANGED = "changed"
    """Other outcomes with the same harm, or where nothing is required."""
    SAME = "no difference seen"
    EQUAL = "equal"
    """Said on request only: on trials enough that a difference of `APART` would have shown."""
    UNCLEAR = "unclear"
    """One side says nothing about the client, or the conditions differ."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A question with its two answers, and what is known of chance in such cells."""

    step: Step
    chance: bool = False
    """Whether trials of a comparable cell of this library, scenario and role differ, or one came near a bound."""
    one_run: bool = True
    """Whether only trials of one run decide. False for two runs that are compared with each other."""

    @property
    def together(self) -> bool:
        """Whether the trials of both sides may decide."""
        return self.step.before.run_id == self.step.after.run_id or not self.one_run


@dataclass(frozen=True, slots=True)
class Compared:
    """What is said of one question."""

    step: Step
    answer: Answer
    harm: Harm = Harm.NONE
    """The question on which the sides differ: this harm or a greater one. `NONE` = on none."""
    towards: Answer = Answer.SAME
    """In which direction they differ: worse or better."""
    trials: int = 1
    """Trials of each side that were compared."""
    needs: int = 0
    """Trials a side of one run that would decide it; 0 = it is decided, or more trials than usual are needed."""
    chance: float | None = None
    """How often chance alone would have made the difference, where it was tested."""

    @property
    def said(self) -> str:
        """The answer in words; of an undecided question, what it may be and the trials behind it."""
        if self.answer is not Answer.UNDECIDED:
            return str(self.answer)
        return f"undecided, may be {self.towards} ({counted(self.trials, 'trial')} each)"


def compare(pairs: Sequence[Pair], *, trials: int = CHANCE, equal: bool = False) -> list[Compared]:
    """Return what is said of each question; the pairs are all questions of one comparison.

    `trials` decide a cell of chance. With `equal`, cells without a difference are called so where they have the trials.
    """
    found = [_one(pair, trials, equal=equal) for pair in pairs]
    tested = [place for place, one in enumerate(found) if one.chance is not None]
    for place, held in zip(tested, holm([found[place].chance or 0.0 for place in tested], LEVEL), strict=True):
        if held:
            found[place] = replace(found[place], answer=found[place].towards)
    return found


def _one(pair: Pair, trials: int, *, equal: bool) -> Compared:
    step = pair.step
    if not (step.is_comparable and step.before.judged and step.after.judged):
        return Compared(step, Answer.UNCLEAR)
    count = min(len(step.before.verdicts), len(step.after.verdicts)) if pair.together else 1
    alike = _recover_alike(step)
    before, after = (harms(side, alike=alike)[:count] for side in (step.before, step.after))
    count = min(len(before), len(after)) or count
    if not (before and after) or (harm := _question(before[:count], after[:count])) is Harm.NONE:
        said = Answer.SAME if _first(step.before, count) == _first(step.after, count) else Answer.CHANGED
        if said is Answer.SAME and equal and pair.together and _is_equal(before[:count], after[:count]):
            said = Answer.EQUAL
        return Compared(step, said, trials=count)
    return _decided(pair, (before[:count], after[:count]), harm, trials)


def _first(side: SettledCell, count: int) -> set[Outcome]:
    return {one.outcome for one in side.verdicts[:count]}


def _decided(pair: Pair, sides: tuple[Sequence[Harm], Sequence[Harm]], harm: Harm, trials: int) -> Compared:
    """Decide a question on which the sides differ, but for Holm's correction."""
    count = len(sides[0])
    bad, other = (_bad(side, harm) for side in sides)
    towards = Answer.WORSE if other > bad else Answer.BETTER
    undecided = Compared(pair.step, Answer.UNDECIDED, harm, towards, count)
    contradicted = {bad, other} != {0, count}
    if not pair.chance and not contradicted:
        return replace(undecided, answer=towards) if count >= PLAIN else replace(undecided, needs=PLAIN)
    if count < trials:
        return replace(undecided, needs=trials)
    if least(other, count, bad, count) > LEVEL:
        return undecided
    value = fisher(other, count, bad, count) if towards is Answer.WORSE else fisher(bad, count, other, count)
    return replace(undecided, chance=value)


def _question(before: Sequence[Harm], after: Sequence[Harm]) -> Harm:
    """Return the gravest question on which the middle trials of both sides differ, else any; `NONE` if on none."""
    for sides in ((_middle(before), _middle(after)), (before, after)):
        for harm in QUESTIONS:
            if _bad(sides[0], harm) != _bad(sides[1], harm):
                return harm
    return Harm.NONE


def _bad(side: Sequence[Harm], harm: Harm) -> int:
    return sum(one >= harm for one in side)


def _middle(side: Sequence[Harm]) -> tuple[Harm]:
    return (sorted(side)[len(side) // 2],)


def _recover_alike(step: Step) -> bool:
    """Return whether both sides recover after about the same time, so that a bound between them means nothing."""
    times = [_recovery_ms(one) for one in (step.before, step.after)]
    if not (times[0] and times[1]):
        return False
    short, long = sorted((median(times[0]), median(times[1])))
    return long - short < ALIKE * long


def _recovery_ms(side: SettledCell) -> list[float]:
    facts = (one.facts for one in side.verdicts)
    return [float(one.recovery_ms - (one.kept_ms or 0)) for one in facts if one.recovery_ms is not None]


def _is_equal(before: Sequence[Harm], after: Sequence[Harm]) -> bool:
    """Return whether no question can have shares that are far apart."""
    count = len(before)
    return count >= EQUAL and all(
        greatest_difference(_bad(before, harm), count, _bad(after, harm), count) < APART for harm in QUESTIONS
    )
