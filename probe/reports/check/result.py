"""The parts of every format of `probe check`, and the words that they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from probe.cells.cell_ignores import Accepted
from probe.cells.cell_names import cell_name
from probe.cells.change_words import sentence
from probe.cells.cli_hints import show_command
from probe.cells.comparison import Answer, Compared
from probe.model import CONTROL, Client, Role
from probe.model.counts import counted

SAID = (Answer.WORSE, Answer.BETTER, Answer.UNDECIDED)
"""The answers that are listed, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The comparison of a working copy with a release."""

    release: Client
    build: Client
    found: Sequence[Compared]
    accepted: Accepted
    results: str
    """The results folder as commands name it."""
    moment: datetime
    """When the check was made."""
    manifest: str = ""
    """The file by which the working copy is built, relative to the folder of the command; empty = none is known."""

    def of(self, answer: Answer) -> list[Compared]:
        """Return the cells with an answer that nothing accepts: what stops first, then by name."""
        mine = [one for one in self.found if one.answer is answer and not self.reason_for(one)]
        return sorted(mine, key=_gravest_first)

    @property
    def known(self) -> list[Compared]:
        """The worse cells that the ignore file accepts."""
        return [one for one in self.found if self.reason_for(one)]

    def reason_for(self, one: Compared) -> str:
        """Return why a worse cell is accepted; empty if it is not."""
        return self.accepted.why.get(cell_name(one.step.after.cell), "") if one.answer is Answer.WORSE else ""

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        worse = self.of(Answer.WORSE)
        if worse:
            more = f" (and {counted(len(worse) - 1, 'more cell')} worse)" if len(worse) > 1 else ""
            return f"Worse than {self.release.version}: {sentence(worse[0])}{more}"
        open_ones = len(self.of(Answer.UNDECIDED))
        rest = f"; {counted(open_ones, 'cell')} undecided" if open_ones else ""
        return f"Nothing is worse than {self.release.version} in {counted(len(self.found), 'cell')}{rest}"

    def by_role(self) -> Iterator[tuple[Role, list[Compared]]]:
        """Yield the roles that have something to say, each with it: worse, better, undecided."""
        listed = [one for answer in SAID for one in self.of(answer)]
        for role in Role:
            if mine := [one for one in listed if one.step.after.cell.role is role]:
                yield role, mine

    def command(self, one: Compared) -> str:
        """Return the command that shows the timeline of the working copy in a cell."""
        return show_command(one.step.after, self.results)


def _gravest_first(one: Compared) -> tuple[int, bool, bool, str]:
    cell = one.step.after.cell
    return -int(one.harm), cell.scenario != CONTROL, cell_name(cell) != f"{cell.role} {cell.scenario}", cell_name(cell)


def basis(one: Compared) -> str:
    """Return both outcomes with the trials behind the answer: `refreshes -> stuck; 4 trials each`."""
    chance = f", chance alone {one.chance:.2g}" if one.chance is not None else ""
    sides = f"{one.step.before.tally} -> {one.step.after.tally}"
    maybe = f"may be {one.towards}: " if one.answer is Answer.UNDECIDED else ""
    return f"{maybe}{sides}; {counted(one.trials, 'trial')} each{chance}"
