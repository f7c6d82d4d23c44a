"""Text of `probe lookup`. Plain, since rich takes longer to load than a look-up runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from probe.catalogue.scenarios import CORE
from probe.cells.aggregate import SettledCell
from probe.cells.audit import TOLD, Fault, Finding
from probe.cells.audit_upgrades import restarting
from probe.cells.citations import command, rests_on, source
from probe.cells.cli_hints import run_command
from probe.cells.fault_words import doubt, in_harm, remarks, shown
from probe.cells.log_in_words import log_in_remarks
from probe.cells.targets import Target, targets
from probe.cells.upgrades import next_conforming, next_harmless
from probe.cli.answers.finding_groups import ended, first_line, grouped, shared, sources
from probe.cli.console.line_wrap import command_lines, wrapped
from probe.model import Cell, Role
from probe.model.counts import counted
from probe.model.profile import named_profile
from probe.model.safe_text import visible
from probe.model.ways_out import mending_profiles

LISTED = (*TOLD, Finding.UNKNOWN)
"""Findings that are listed one by one where there is evidence; the others are summed up per role."""

FEW = 3
"""Number of faults of a version that the overview names."""

AT = 3 + max(map(len, Finding))
"""Column at which texts begin, behind the finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Knowledge besides the findings."""

    passing: Mapping[Cell, str]
    """The next version that passes, by the cell of the evidence."""
    mending: Mapping[Cell, str]
    """The next version in which work goes on and nothing is lost, by the cell of the evidence."""
    targets: Mapping[Cell, Target]
    """The later version that mends most of what fails, by the cell of the evidence."""
    helping: Mapping[Cell, str]
    """A profile in which the same version passes, by the cell of the evidence."""
    restarting: Mapping[Cell, bool]
    """Whether a second instance works that starts under the fault, by the cell of the evidence."""
    results: str
    """The results folder as commands name it."""
    can_run: bool
    """Whether clients can be run here, so that a command to run one is of use."""

    @classmethod
    def of(
        cls,
        bad: Collection[SettledCell],
        later: Collection[SettledCell],
        read: Collection[SettledCell],
        *,
        good: Iterable[SettledCell] = (),
        results: str = "",
        can_run: bool = True,
    ) -> Known:
        """Return the remedies that are known for what fails: in later versions, and in other profiles of the same.

        `good` are cells in which work goes on, which a later version may stop.
        """
        return cls(
            passing=next_conforming(bad, later),
            mending=next_harmless(bad, later),
            targets=targets(bad, good, later),
            helping=mending_profiles(bad, read),
            restarting=restarting(bad, read),
            results=results,
            can_run=can_run,
        )

    def remedied(self, fault: Fault) -> Fault:
        """Return a fault with the profile and the restart that are known to help."""
        if fault.evidence is None:
            return fault
        cell = fault.evidence.cell
        return replace(fault, helped_by=self.helping.get(cell, ""), restart_helps=self.restarting.get(cell))


def as_text(
    faults: Sequence[Fault], known: Known, *, everything: bool, columns: int, folded: bool = False
) -> Iterator[str]:
    """Yield the findings about a client, the worst first, and the evidence they rest on.

    Those that share a cause are one entry where it is `folded`. Lines have at most `columns` columns; 0 = any number.
    """
    shown = sorted((item for item in faults if everything or _is_listed(item)), key=by_gravity)
    for group in grouped(shown) if folded else [[item] for item in shown]:
        yield from _answer_lines(group[0], known, columns) if len(group) == 1 else _group_lines(group, known, columns)
    if not everything:
        for text in _summed_up([item for item in faults if not _is_listed(item)]):
            yield from wrapped(text, columns, AT)
    if never := [item.cell for item in faults if item.evidence is None]:
        yield f"  {len(never)} never measured{'; to measure them:' if known.can_run else ''}"
        if known.can_run:
            yield from command_lines(visible(run_command(never, known.results)), columns, 4)
    for text in _sources(faults):
        yield from wrapped(text, columns, AT)


def _is_listed(fault: Fault) -> bool:
    return fault.finding in LISTED and fault.evidence is not None


def by_gravity(fault: Fault) -> tuple[int, bool, bool, int]:
    """Order by finding; control cells first, then core faults, then by severity."""
    return list(Finding).index(fault.finding), not fault.is_control, fault.cell.scenario not in CORE, -fault.grade


def _what(cell: Cell) -> str:
    return f"{cell.role} {cell.profile} {cell.scenario}{cell.unusual}"


def _answer_lines(fault: Fault, known: Known, columns: int) -> Iterator[str]:
    """Yield what is found, then each on its own line: the reason, what passes, the evidence, a command."""
    seen = fault.evidence
    first = f"{_what(fault.cell)}: {in_harm(fault)}{ended(fault) or shown(fault)}{doubt(fault)}"
    yield from wrapped(f"  {fault.finding:<{AT - 3}} {visible(first)}", columns, AT)
    if seen is None:
        return
    does = "is the first that works" if fault.is_control else "passes"
    better = [f"{known.passing[seen.cell]} {does}"] if seen.cell in known.passing else []
    better += [f"profile {known.helping[seen.cell]} passes"] if seen.cell in known.helping else []
    for text in (*remarks(seen), seen.reason, *better, *rests_on(seen)):
        yield from wrapped(f"{'':<{AT}}{visible(text)}", columns, AT)
    if known.can_run or seen.origin is None or seen.origin.is_own:
        yield from command_lines(visible(command(fault.cell, seen, known.results)), columns, AT)


def _group_lines(group: Sequence[Fault], known: Known, columns: int) -> Iterator[str]:
    """Yield findings that share a cause: where, what mends them, the evidence, and the command of the first one."""
    first, seen = group[0], group[0].evidence
    yield from wrapped(f"  {first.finding:<{AT - 3}} {visible(first_line(group))}", columns, AT)
    if seen is None:
        return
    cells = [item.evidence.cell for item in group if item.evidence is not None]
    better = [f"passes in {way}" for way in shared((known.passing.get(cell, "") for cell in cells), len(cells))]
    better += [f"profile {way} passes" for way in shared((known.helping.get(cell, "") for cell in cells), len(cells))]
    reasons = [f"for example {_what(first.cell)}: {seen.reason}"] if first.finding in TOLD else []
    for text in (*remarks(seen), *reasons, *better, *sources(group)):
        yield from wrapped(f"{'':<{AT}}{visible(text)}", columns, AT)
    if reasons and (known.can_run or seen.origin is None or seen.origin.is_own):
        yield from command_lines(visible(command(first.cell, seen, known.results)), columns, AT)


def _summed_up(faults: Sequence[Fault]) -> Iterator[str]:
    for finding in Finding:
        for role in Role:
            mine = [item for item in faults if item.finding is finding and item.cell.role is role]
            if mine:
                names = dict.fromkeys(f"{_scenario(item.cell)}{_of_several(item)}" for item in mine)
                once = ", 1 trial each" if any(_trials(item) == 1 for item in mine) else ""
                yield f"  {finding:<{AT - 3}} {role}{once}: {', '.join(names)}"


def _trials(fault: Fault) -> int:
    return len(fault.evidence.verdicts) if fault.evidence is not None else 0


def _of_several(fault: Fault) -> str:
    """Return the number of trials of a fault, if it has several, that the client ends, where it has to, and log-ins."""
    parts = [
        *([counted(_trials(fault), "trial")] if _trials(fault) > 1 else []),
        *(["ends, as it must"] if ended(fault) else []),
        *log_in_remarks(fault.evidence),
    ]
    return f" [{', '.join(parts)}]" if parts else ""


def _scenario(cell: Cell) -> str:
    """Return the scenario of a cell, with its profile if that is not the usual one."""
    profile = named_profile(cell.profile)
    return f"{cell.scenario} ({profile})" if profile else cell.scenario


def _sources(faults: Iterable[Fault]) -> Iterator[str]:
    counts = Counter(source(item.evidence) for item in faults if item.evidence is not None)
    for text, count in counts.most_common():
        yield f"  {count} from {text}"


def counts_of(faults: Iterable[Fault]) -> str:
    """Return how many findings there are of each kind, and on how many trials: `3 fails, 12 passes, in 34 trials`."""
    faults = list(faults)
    counts = Counter(item.finding for item in faults)
    found = ", ".join(f"{counts[item]} {item}" for item in Finding if counts[item])
    return f"{found}, in {counted(sum(map(_trials, faults)), 'trial')}"


def asked_of(faults: Sequence[Fault]) -> str:
    """Return on how much an answer rests: `315 cells (a fault in a role), 652 trials`.

    Cells of another release, or of the library inside an application, are counted apart.
    """
    own = [item for item in faults if item.is_own or item.evidence is None]
    others = len(faults) - len(own)
    mine = f"{counted(len(own), 'cell')} (a fault in a role), {counted(sum(map(_trials, own)), 'trial')}"
    if not others:
        return mine
    beside = f"{counted(others, 'cell')} of another release, or of the library inside"
    return f"{mine}; {beside}" if own else f"nothing was measured of it; {beside}"


def overview(version: str, faults: Sequence[Fault]) -> str:
    """Return one line about a version: its counts and its faults."""
    bad = sorted((item for item in faults if item.finding is Finding.FAILS), key=by_gravity)
    names = dict.fromkeys(
        f"{item.cell.role} {_scenario(item.cell)} {item.evidence.worst}" for item in bad if item.evidence
    )
    more = f", and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"  {version:<11} {counts_of(faults)}{': ' if names else ''}{', '.join([*names][:FEW])}{more}"
