"""The answer of `probe bisect` about the change that it found."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from probe.cells.bisect import ChangePoint, NoChange, describe, is_shown, sentence
from probe.cells.citations import cited
from probe.cells.comparison import CHANCE, MORE
from probe.cli.common_options import RESULTS
from probe.cli.wiring.bisect_run import BisectState
from probe.errors import NothingJudgedError


def change_lines(found: ChangePoint | NoChange, state: BisectState, results: str) -> Iterator[str]:
    """Yield what a bisection found: the change with its evidence and its doubts, or that there is none."""
    if isinstance(found, NoChange):
        yield _no_change(found, state)
        return
    known = state.known
    yield sentence(found, known)
    for word, name in (("before", found.before), ("since", found.since)):
        yield f"{word + ':':<8}{known[name].reason}; {cited(known[name].cell, known[name], results)}"
    yield _basis(found, state, results)
    yield from _doubts(found, state)
    judged = [name for name in state.versions if name in known and known[name].judged]
    for old, new in pairwise(judged):
        if known[old].outcome is not known[new].outcome and new != found.since:
            yield f"another change: {old} {describe(known[old])}, {new} {describe(known[new])}; --to {new} finds it"


def _basis(found: ChangePoint, state: BisectState, results: str) -> str:
    """Say whether the trials show the change, or what would."""
    sides = [state.known[name] for name in (found.before, found.since)]
    counts = sorted({len(side.verdicts) for side in sides})
    trials = f"{' and '.join(map(str, counts))} trial{'s' if counts[-1] > 1 else ''}"
    if is_shown(found, state.known):
        return f"shown by {trials} of each in one run"
    cell = state.cell
    where = "" if results == RESULTS else f" --results {results}"
    workload = f" --workload {cell.workload}" if cell.unusual else ""
    what = f"{cell.family} {cell.scenario} --role {cell.role}{workload}"
    again = f"probe bisect {what} --from {found.before} --to {found.since}"
    more = f" --trials {MORE}" if counts[0] > CHANCE else ""
    return f"undecided: chance may have made the difference ({trials} of each); {again}{more}{where} decides"


def _doubts(found: ChangePoint, state: BisectState) -> Iterator[str]:
    for name in found.passed:
        reason = state.absent.get(name) or f"it is {state.known[name].outcome}"
        yield f"between: {name} says nothing: {reason}"


def _no_change(found: NoChange, state: BisectState) -> str:
    if not found.judged:
        raise NothingJudgedError(
            f"no version of {state.cell.family} could be judged in {state.cell.scenario}; `probe show` says why"
        )
    known = state.known
    grade = known[found.judged[-1]].conforms
    word = {True: ", conforms", False: ", does not conform", None: ""}[grade]
    return (
        f"no change: {', '.join(found.judged)}: each {describe(known[found.judged[-1]])}{word}; "
        "a change that was reverted in between would be missed: limit the range with --from and --to"
    )
