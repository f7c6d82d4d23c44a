"""A comparison of two sides in one line, and what follows where nothing is decided. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from probe.cells.causes import placed
from probe.cells.comparison import Answer, Compared
from probe.cells.known_directions import NO_DIRECTION, Directions
from probe.model.counts import counted

NAMED = (Answer.WORSE, Answer.BETTER)
UNNAMED = (Answer.UNDECIDED, Answer.CHANGED, Answer.UNCLEAR)


NOTHING_SPEAKS = "nothing here speaks for the change, or against it"


def conclusion(found: Sequence[Compared], known: Directions = NO_DIRECTION) -> str:
    """Return what follows where no cell is shown worse or better; empty where one is, or nothing was compared.

    Where look-ups of both sides give the change a direction, `known_lines` says which.
    """
    speaks = "look-ups of each side say what speaks for the change, or against it" if known else NOTHING_SPEAKS
    open_ones = [one for one in found if one.answer is Answer.UNDECIDED]
    if not found or any(one.answer in NAMED for one in found):
        return ""
    if not open_ones:
        where = "in the cells that are stored for both sides, " if known else ""
        return f"{where}no difference in harm is shown: {speaks}"
    return (
        f"not decided: no cell is shown worse or better, and {counted(len(open_ones), 'cell')} may be "
        f"({directions(open_ones)}); until trials decide, {speaks}"
    )


def known_lines(known: Directions, old: str, new: str) -> Iterator[str]:
    """Yield where only one of both sides is known, or suspected, to stop or lose work, as look-ups of them say."""
    for faults, bad, good in ((known.better, old, new), (known.worse, new, old)):
        for is_sure, word in ((True, "stops or loses work"), (False, "is suspected to stop or lose work")):
            if mine := [one for one in faults if one.is_proven is is_sure]:
                yield f"{bad} {word} in {placed(mine)}, and {good} goes on there, as far as each is known by itself"


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
