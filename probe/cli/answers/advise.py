"""The answer of `probe advise`: a summary, what is decided, and how the rest can be decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harm_in
from probe.cells.citations import cited
from probe.cells.comparison import Answer, Compared
from probe.cells.harm import WORDS
from probe.cells.known_directions import NO_DIRECTION, Directions
from probe.cells.level_changes import LevelChange
from probe.cells.trends import Step
from probe.cells.upgrades import advise_upgrade, drift
from probe.cli.answers.advice_summary import NAMED, UNNAMED, conclusion, directions, known_lines, summary
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.comparisons import Change, Filter
from probe.cli.wiring.decisive_trials import Cost
from probe.model import CONTROL, Cell
from probe.model.counts import counted
from probe.model.profile import DEFAULT_PROFILE
from probe.model.versions import version_key

WIDTH = 10
"""Columns of the word with which a line begins."""
MOST = 8
"""Cells of a kind that are listed without `--all`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceView:
    """Findings of `advise`, and the names in its answer."""

    change: Change
    wanted: Filter
    found: Sequence[Compared]
    levels: Sequence[LevelChange] = ()
    """Roles whose level differs; empty for a comparison of brokers."""
    known: Directions = NO_DIRECTION
    """Direction that look-ups of both sides give the change."""
    stored: Mapping[Cell, SettledCell]
    results: str
    cost: Cost
    command: str
    """The command that decides what is undecided."""
    more: str
    """The one that does so for what is undecided after its trials."""
    whole: bool = False
    """`--all`: every cell with its evidence."""


def advice_lines(view: AdviceView) -> Iterator[str]:
    """Yield what levels change, the summary, then the cells: those that are decided by harm, and the others folded."""
    for one in view.levels:
        yield f"{'level':<{WIDTH}} {one.words}"
    if text := conclusion(view.found, view.known):
        yield text
    decided = [one.step.after.cell for one in view.found if one.answer in NAMED]
    for text in known_lines(view.known.without(decided), *view.change.sides):
        yield f"{'look-up':<{WIDTH}} {text}"
    yield summary(view.found)
    for answer in NAMED:
        yield from _listed(view, answer, view.whole)
    yield from _undecided(view)
    if not view.whole:
        yield from _folded(view)
        return
    for answer in UNNAMED:
        yield from _listed(view, answer, whole=True)
    yield from _bad_in_both(view)
    if view.change.column == "version":
        yield from _settings([one.step for one in view.found], view.results)


def subject(step: Step, change: Change) -> str:
    """Return role, profile, scenario and workload of a step, and the client where brokers are compared."""
    cell = step.after.cell
    who = f"{cell.client} " if change.column == "broker" else ""
    extra = "" if cell.profile == DEFAULT_PROFILE else f" {cell.profile}"
    return f"{who}{cell.role}{extra} {cell.scenario}{cell.unusual}"


def _line(one: Compared, change: Change) -> str:
    return f"{one.answer:<{WIDTH}} {subject(one.step, change)}: {in_harm(one.step)} ({_basis(one)})"


def in_harm(step: Step) -> str:
    """Return both sides, the harm first: `stops silently -> none; stuck -> refreshes`."""
    harms = [one.words if one is not None else "unknown" for one in map(harm_in, (step.before, step.after))]
    return f"{' -> '.join(harms)}; {step.before.tally} -> {step.after.tally}"


def _basis(one: Compared) -> str:
    """Return the trials behind an answer; where it is open, what differs and what would decide it."""
    each = f"{counted(one.trials, 'trial')} each"
    chance = f", chance alone {one.chance:.2g}" if one.chance is not None else ""
    if one.answer is not Answer.UNDECIDED:
        return f"{each}{chance}"
    needs = f"; {one.needs} each decide" if one.needs else ""
    return f"may be {one.towards}: {WORDS[one.harm]}; {each}{chance}{needs}"


def _listed(view: AdviceView, answer: Answer, whole: bool) -> Iterator[str]:  # one flag of two callers
    mine = [one for one in view.found if one.answer is answer and not _is_in_head(one.step, view.change)]
    mine.sort(key=lambda one: -one.harm)
    for one in mine if whole else mine[:MOST]:
        yield _line(one, view.change)
        if whole:
            yield from _indented(_evidence(one, view))
    if len(mine) > MOST and not whole:
        yield f"{'':<{WIDTH}} and {len(mine) - MOST} more {answer}: --all lists them"


def _is_in_head(step: Step, change: Change) -> bool:
    after = step.after
    return change.column == "broker" and after.cell.scenario == CONTROL and bool(after.grade.severity)


def _undecided(view: AdviceView) -> Iterator[str]:
    """Say how the undecided cells can be decided, and what that takes."""
    open_ones = [one for one in view.found if one.answer is Answer.UNDECIDED]
    short, long = ([one for one in open_ones if bool(one.needs) is wanted] for wanted in (True, False))
    if short:
        cost = view.cost
        trials = f"{cost.least} to {cost.most}" if cost.most > cost.least else f"{cost.least}"
        yield (
            f"{'undecided':<{WIDTH}} {counted(len(short), 'cell')} on too few trials, {directions(short)}; "
            f"{trials} trials, about {cost.seconds} s, decide them:"
        )
        yield f"{'':<{WIDTH}} {view.command}"
    if long:
        most = max(one.trials for one in long)
        yield (
            f"{'undecided':<{WIDTH}} {counted(len(long), 'cell')} of chance after up to {most} trials each, "
            f"{directions(long)}; more trials may decide them:"
        )
        yield f"{'':<{WIDTH}} {view.more}"


def _folded(view: AdviceView) -> Iterator[str]:
    counts = Counter(one.answer for one in view.found)
    said = {
        Answer.CHANGED: "other outcomes with the same harm",
        Answer.UNCLEAR: "one side says nothing about the client",
    }
    for answer, why in said.items():
        if counts[answer]:
            yield f"{answer:<{WIDTH}} {counted(counts[answer], 'cell')}: {why}"
    bad = len(_both_bad(view.found))
    if bad:
        yield f"{'bad':<{WIDTH}} {counted(bad, 'cell')} {'conforms' if bad == 1 else 'conform'} on neither side"
    yield f"{'':<{WIDTH}} --all lists every cell with its evidence, and the settings that differ"


def _both_bad(found: Iterable[Compared]) -> list[Compared]:
    same = (one for one in found if one.answer in {Answer.SAME, Answer.EQUAL})
    return [one for one in same if one.step.before.conforms is False and one.step.after.conforms is False]


def _bad_in_both(view: AdviceView) -> Iterator[str]:
    for one in _both_bad(view.found):
        if not _is_in_head(one.step, view.change):
            yield f"{'bad':<{WIDTH}} {subject(one.step, view.change)}: {one.step.after.tally} on both sides"
            yield from _indented(_upgrade(one, view))


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"{'':<{WIDTH}} {line}" for line in lines)


def _evidence(one: Compared, view: AdviceView) -> Iterator[str]:
    for word, side in (("before: ", one.step.before), ("after:  ", one.step.after)):
        asked = replace(side.cell, broker=view.wanted.line) if view.change.column == "version" else side.cell
        yield f"{word}{side.reason}; {cited(asked, side, view.results)}"
    if one.answer is Answer.BETTER:
        yield from _upgrade(one, view)


def _upgrade(one: Compared, view: AdviceView) -> Iterator[str]:
    """Yield the smallest stored upgrade that conforms, and other profiles that do."""
    if view.change.column != "version":
        return
    found = advise_upgrade(one.step.before, view.change.library(view.change.new), view.stored.values())
    if found.upgrade is not None:
        yield f"smallest stored upgrade that conforms: {found.upgrade.cell.version} ({found.last_bad} does not)"
        yield from _between(found.last_bad, found.upgrade.cell)
    elif one.answer is not Answer.BETTER:
        yield f"no stored version up to {view.change.new} conforms"
    for item in found.profiles:
        yield (f"{item.cell.client} conforms with profile {item.cell.profile}; {cited(item.cell, item, view.results)}")


def _between(last_bad: str, good: Cell) -> Iterator[str]:
    """Name the listed versions without results between the last bad and the first good one, and the command to run."""
    listed = families()[good.family].versions if good.family in families() else ()
    low, high = version_key(last_bad), version_key(good.version)
    unknown = [item.version for item in listed if low < version_key(item.version) < high]
    if unknown:
        workload = f" --workload {good.workload}" if good.unusual else ""
        way = f"probe bisect {good.family} {good.scenario} --role {good.role}{workload}"
        yield f"no results between: {', '.join(unknown)}; {way}"


def _settings(steps: Iterable[Step], results: str) -> Iterator[str]:
    """Compare the effective settings per role and profile, in one trial each, of the control cell if it is stored."""
    ordered = sorted(steps, key=lambda step: step.before.cell.scenario != CONTROL)
    first = {(step.before.cell.role, step.before.cell.profile): step for step in reversed(ordered)}
    for (role, profile), step in sorted(first.items()):
        if any(side.origin is not None and not side.origin.is_own for side in (step.before, step.after)):
            yield f"{'settings':<{WIDTH}} {role} {profile}: only own trials have the effective settings"
            continue
        old, new = (_settings_of(side, results) for side in (step.before, step.after))
        changed = [f"{name} {before} -> {after}" for name, before, after in drift(old, new)]
        yield f"{'settings':<{WIDTH}} {role} {profile}: {', '.join(changed) or 'the same effective settings'}"


def _settings_of(side: SettledCell, results: str) -> Mapping[str, str]:
    from probe.store import history  # noqa: PLC0415  # loads pyarrow

    return history(results, side.run_id, side.cell, side.trial).header.settings
