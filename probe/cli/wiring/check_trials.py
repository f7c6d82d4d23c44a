"""The trials of `probe check`: a screen of every cell, then both sides of those that differ, alternating."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from probe.cells.aggregate import SettledCell
from probe.cells.comparison import Compared
from probe.cells.comparison_steps import Asked, compared_steps
from probe.cells.short_watches import as_late
from probe.cells.trends import Step
from probe.cli.console.streams import say
from probe.cli.wiring.check_plan import WATCH_MS, Questions, Sides, is_watched_briefly
from probe.cli.wiring.decisive_trials import decisive_of
from probe.cli.wiring.evidence import open_evidence
from probe.cli.wiring.fresh_trials import Both, FreshTrials, beside, decide_with
from probe.errors import NothingJudgedError
from probe.evidence.cell_choice import Wanted
from probe.model import Cell
from probe.model.counts import counted
from probe.model.engines import DEFAULT_ENGINE

AGE_DAYS = 180
"""Evidence is asked for cells of chance only, of which it is never too old."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """The place of the trials, and the number of those at once."""

    results: str
    jobs: int | None
    questions: Questions
    exactly: int | None = None
    """Trials in flight whatever the state of the machine, for benchmarks."""

    def fresh(self) -> FreshTrials:
        """Return fresh trials in a run of their own."""
        return FreshTrials(self.results, self.jobs, self.questions.planner, exactly=self.exactly)


def check(player: Player, sides: Sides, trials: int) -> list[Compared]:
    """Play both sides and return what is said of each cell. NothingJudgedError if that is nothing."""
    steps, asked = played_steps(player, list(player.questions.pairs(sides).values()), trials)
    found = compared_steps(steps, asked)
    if not any(one.step.after.judged for one in found):
        why = found[0].step.after.reason if found else "no trial of it ended"
        raise NothingJudgedError(f"nothing could be judged of {sides.build.client}: {why}")
    return found


def played_steps(
    player: Player, pairs: Sequence[Both], trials: int, alike: Callable[[Sequence[Compared]], None] = lambda _: None
) -> tuple[list[Step], Asked]:
    """Play the cells of a release and of a build: a screen, then fresh trials of both where it differs.

    `trials` decide a cell of chance; `alike` gets what the screen has answered, before further trials. Return the steps
    of the pairs that were played, in which the trials that decide stand, and what is known of chance in them.
    """
    screen = _screened(player, pairs)
    asked = _asked(player, pairs, screen.values(), trials)
    steps = [Step(screen[before], screen[after]) for before, after in pairs if before in screen and after in screen]
    found = compared_steps(steps, asked)
    alike([one for one in found if not one.needs])
    open_ones = [one for one in found if one.needs]
    if not open_ones:
        return steps, asked
    with player.fresh() as fresh:
        played = decide_with(fresh, open_ones, asked, _seen)
    return decisive_of(steps, [played, screen]), asked


def _screened(player: Player, pairs: Sequence[Both]) -> dict[Cell, SettledCell]:
    briefly = sum(is_watched_briefly(before) for before, _ in pairs)
    watched = f", {briefly} of them watched for {WATCH_MS // 1000} s at most" if briefly else ""
    say(f"both sides of {counted(len(pairs), 'cell')}{watched}")
    counts = {cell: player.questions.trials_of(cell) for both in pairs for cell in both}
    with player.fresh() as fresh:
        possible = {cell: count for cell, count in beside(counts).items() if fresh.possible(cell)}
        return {cell: _seen(one) for cell, one in fresh.play(possible).items()}


def _seen(one: SettledCell) -> SettledCell:
    """Return a played cell as it is compared."""
    return as_late(one) if is_watched_briefly(one.cell) else one


def _asked(player: Player, pairs: Sequence[Both], screened: Collection[SettledCell], trials: int) -> Asked:
    """Return which cells have to do with chance, by all that is stored of the library and by known results."""
    family = sorted({cell.family for both in pairs for cell in both})
    with open_evidence(None, player.results, AGE_DAYS) as evidence:
        stored = evidence.find(Wanted(family=family, engine=[str(DEFAULT_ENGINE)]))
    asked = Asked.of([*stored.values(), *screened], trials=trials)
    return replace(asked, chance=asked.chance | player.questions.races)
