"""A comparison of two sides in one line, and what follows where nothing is decided. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from probe.cells.comparison import Answer, Compared
from probe.model.counts import counted

NAMED = (Answer.WORSE, Answer.BETTER)
UNNAMED = (Answer.UNDECIDED, Answer.CHANGED, Answer.UNCLEAR)


def conclusion(found: Sequence[Compared]) -> str:
    """Return what follows where no cell is shown worse or better; empty where one is, or nothing was compared."""
    open_ones = [one for one in found if one.answer is Answer.UNDECIDED]
    if not found or any(one.answer in NAMED for one in found):
        return ""
    if not open_ones:
        return "no difference in harm is shown: nothing here speaks for the change, or against it"
    return (
        f"not decided: no cell is shown worse or better, and {counted(len(open_ones), 'cell')} may be "
        f"({directions(open_ones)}); until trials decide, nothing here speaks for the change, or against it"
    )


def summary(found: Sequence[Compared]) -> str:
    """Return what a comparison says in one line."""
    counts = Counter(one.answer for one in found)
    parts = [f"{counts[answer]} {answer}" for answer in (*NAMED, *UNNAMED, Answer.EQUAL) if counts[answer]]
    if counts[Answer.SAME]:
        parts.append(f"{counts[Answer.SAME]} {Answer.SAME} ({_each(found)})")
    word = next((f"{answer}: " for answer in NAMED if counts[answer]), "")
    return f"{word}{counted(len(found), 'cell')}: {', '.join(parts)}"


def _each(found: Iterable[Compared]) -> str:
    """Return on how many trials of each side "no difference seen" rests."""
    trials = sorted({one.trials for one in found if one.answer is Answer.SAME})
    if len(trials) == 1:
        return f"{counted(trials[0], 'trial')} each"
    usual = Counter(one.trials for one in found if one.answer is Answer.SAME).most_common(1)[0][0]
    return f"{trials[0]} to {trials[-1]} trials each, mostly {usual}"


def directions(open_ones: Iterable[Compared]) -> str:
    """Return what undecided cells may be, with their numbers: `12 may be worse, 25 may be better`."""
    counts = Counter(one.towards for one in open_ones)
    return ", ".join(f"{counts[one]} may be {one}" for one in NAMED if counts[one])
