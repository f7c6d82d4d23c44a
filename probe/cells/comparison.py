"""Worse, better, equal or undecided: what two settled cells of one question show (docs/comparisons.md). Pure.

Compared is harm (`probe.cells.harm`), by the gravest question on which the sides differ. One trial of each side is a
screen: it shows where the sides may differ. What differs is decided by trials of both sides of one run only:

* In a *plain* cell four trials a side decide if all eight are as the screen was.
* In a cell of *chance* (trials of this library, scenario and role are known to differ, or one is near a bound), and in
  one whose trials contradict each other, twelve a side decide by Fisher's exact test, one-sided, with Holm's correction
  over the comparison. Cells in which no spread of the trials could have decided are no tests (Tarone 1990). Where more
  trials are asked for, they follow the first twelve unless chance may well have made the difference of these.

Recovery times that differ by less than a fifth are no difference, whatever bound lies between them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median

from probe.cells.aggregate import SettledCell
from probe.cells.chances import fisher, greatest_difference, holm, least
from probe.cells.harm import QUESTIONS, harms
from probe.cells.trends import Step
from probe.model.counts import counted
from probe.model.harm import Harm

PLAIN, CHANCE, EQUAL = 4, 12, 7
"""Trials a side that decide a plain cell, and one of chance; those after which "equal" can be said."""
MORE = 40
"""Trials a side that are proposed where the usual ones decide nothing."""
HOPELESS = 0.25
"""Probability by chance above which `CHANCE` trials a side end a cell, also where more were asked for."""
LEVEL = 0.005
"""Share of comparisons in which chance alone may call a cell of chance worse or better."""
SURE = LEVEL / 100
"""Probability by chance below which `CHANCE` trials a side decide, also where more were asked for: Holm's correction
over a hundred cells lets it hold."""
APART = 0.3
"""Greatest distance of two shares of bad trials that are called equal."""
ALIKE = 0.2
"""Difference of two recovery times, as a share of the longer one, below which they are alike."""


class Answer(StrEnum):
    """The result of a comparison for a cell."""

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


SHOWN = frozenset({Answer.WORSE, Answer.BETTER})
NO_HARM = frozenset({Answer.SAME, Answer.CHANGED, Answer.EQUAL})
"""Answers that show a difference of harm, and those that show none."""


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
    """The result for one question."""

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
    """The probability that chance alone makes the difference, where it was tested."""

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
    found = _screened([_one(pair, trials, equal=equal) for pair in pairs])
    tested = [place for place, one in enumerate(found) if one.chance is not None]
    for place, held in zip(tested, holm([found[place].chance or 0.0 for place in tested], LEVEL), strict=True):
        if held:
            found[place] = replace(found[place], answer=found[place].towards, needs=0)
    return found


def _screened(found: Sequence[Compared]) -> list[Compared]:
    """Take back answers on four trials a side of runs in which most cells with just as many do not differ.

    No screen chose these cells, so that of each side the first trial is one, and four more decide.
    """
    alike = Counter(_runs(one) for one in found if one.answer in NO_HARM and one.trials == PLAIN)
    differ = Counter(_runs(one) for one in found if one.answer in SHOWN)
    open_again = {run for run, count in differ.items() if alike[run] > count}
    return [
        replace(one, answer=Answer.UNDECIDED, needs=PLAIN)
        if one.answer in SHOWN and one.trials == PLAIN and _runs(one) in open_again
        else one
        for one in found
    ]


def _runs(one: Compared) -> tuple[str, str]:
    return one.step.before.run_id, one.step.after.run_id


def _one(pair: Pair, trials: int, *, equal: bool) -> Compared:
    step = pair.step
    if not (step.is_comparable and step.before.judged and step.after.judged):
        return Compared(step, Answer.UNCLEAR)
    alike = _recover_alike(step)
    before, after = (harms(side, alike=alike) for side in (step.before, step.after))
    if not (before and after):
        return Compared(step, _unharmed(step))
    if not pair.together:
        before, after = _usual(before), _usual(after)
    count = min(len(before), len(after))
    harm = _question(before, after)
    if harm is Harm.NONE:
        said = _unharmed(step)
        if said is Answer.SAME and equal and pair.together and _is_equal(before, after):
            said = Answer.EQUAL
        return Compared(step, said, trials=count)
    return _decided(pair, before, after, harm, trials)


def _unharmed(step: Step) -> Answer:
    return Answer.SAME if step.before.outcome is step.after.outcome else Answer.CHANGED


def _usual(side: Sequence[Harm]) -> tuple[Harm]:
    """Return the commonest harm of stored trials as one trial, the least of equally common ones."""
    counts = Counter(sorted(side))
    return (counts.most_common(1)[0][0],)


def _decided(pair: Pair, before: Sequence[Harm], after: Sequence[Harm], harm: Harm, trials: int) -> Compared:
    """Decide a question on which the sides differ, but for Holm's correction."""
    old, new = (_bad(before, harm), len(before)), (_bad(after, harm), len(after))
    count = min(len(before), len(after))
    towards = Answer.WORSE if new[0] * old[1] > old[0] * new[1] else Answer.BETTER
    undecided = Compared(pair.step, Answer.UNDECIDED, harm, towards, count)
    contradicted = any(bad not in {0, of} for bad, of in (old, new))
    if not pair.chance and not contradicted:
        return replace(undecided, answer=towards) if count >= PLAIN else replace(undecided, needs=PLAIN)
    if count < CHANCE:
        return replace(undecided, needs=trials)
    by_chance = fisher(*new, *old) if towards is Answer.WORSE else fisher(*old, *new)
    undecided = replace(undecided, needs=trials if count < trials and by_chance <= HOPELESS else 0)
    return undecided if least(*new, *old) > LEVEL else replace(undecided, chance=by_chance)


def _question(before: Sequence[Harm], after: Sequence[Harm]) -> Harm:
    """Return the gravest question on which the middle trials of both sides differ, else any; `NONE` if on none."""
    for sides in ((_middle(before), _middle(after)), (before, after)):
        for harm in QUESTIONS:
            if _bad(sides[0], harm) * len(sides[1]) != _bad(sides[1], harm) * len(sides[0]):
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
    times = (one.facts.own_recovery_ms for one in side.verdicts)
    return [float(one) for one in times if one is not None]


def _is_equal(before: Sequence[Harm], after: Sequence[Harm]) -> bool:
    """Return whether no question can have shares that are far apart."""
    return min(len(before), len(after)) >= EQUAL and all(
        greatest_difference(_bad(before, harm), len(before), _bad(after, harm), len(after)) < APART
        for harm in QUESTIONS
    )
