"""Output of `probe lookup`: text or JSON. Plain, since rich takes longer to load than a look-up runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from probe.cells.audit import Fault, Finding
from probe.cells.citations import command, evidence_of, said, source
from probe.cells.cli_hints import run_command
from probe.cells.fault_words import doubt, unknown_reason
from probe.cli.console.wrapped import command_lines, wrapped
from probe.model import Cell, Role
from probe.model.profile import named_profile
from probe.model.visible import visible

LISTED = (Finding.FAILS, Finding.SUSPECTED, Finding.UNKNOWN)
"""Findings that are listed one by one where there is evidence; the others are summed up per role."""

FEW = 3
"""Number of faults of a version that the overview names."""

AT = 14
"""Column at which texts begin, behind the finding."""


def as_text(
    faults: Sequence[Fault], passing: Mapping[Cell, str], results: str, *, everything: bool, columns: int
) -> Iterator[str]:
    """Yield the findings about a client, the worst first, and the evidence they rest on.

    `passing` has the next version that passes, by the cell of the evidence. Lines have at most `columns` columns; 0 =
    any number.
    """
    shown = [item for item in faults if everything or _is_listed(item)]
    for fault in sorted(shown, key=_order):
        yield from _answer_lines(fault, passing, results, columns)
    if not everything:
        for text in _summed_up([item for item in faults if not _is_listed(item)]):
            yield from wrapped(text, columns, AT)
    if never := [item.cell for item in faults if item.evidence is None]:
        yield f"  {len(never)} never measured; to measure them:"
        yield from command_lines(visible(run_command(never, results)), columns, 4)
    for text in _sources(faults):
        yield from wrapped(text, columns, AT)


def _is_listed(fault: Fault) -> bool:
    return fault.finding in LISTED and fault.evidence is not None


def _order(fault: Fault) -> tuple[int, bool, int]:
    return list(Finding).index(fault.finding), not fault.is_control, -fault.grade


def _what(cell: Cell) -> str:
    return f"{cell.role} {cell.profile} {cell.scenario}{cell.unusual}"


def _answer_lines(fault: Fault, passing: Mapping[Cell, str], results: str, columns: int) -> Iterator[str]:
    """Yield what is found, then each on its own line: the reason, what passes, the evidence, a command."""
    seen = fault.evidence
    first = unknown_reason(fault) if seen is None else f"{seen.tally}{doubt(fault)}"
    yield from wrapped(f"  {fault.finding:<12}{visible(f'{_what(fault.cell)}: {first}')}", columns, AT)
    if seen is None:
        return
    does = "is the first that works" if fault.is_control else "passes"
    better = [f"{passing[seen.cell]} {does}"] if seen.cell in passing else []
    for text in (seen.reason, *better, *evidence_of(fault.cell, seen)):
        yield from wrapped(f"{'':<{AT}}{visible(text)}", columns, AT)
    yield from command_lines(visible(command(fault.cell, seen, results)), columns, AT)


def _summed_up(faults: Sequence[Fault]) -> Iterator[str]:
    for finding in Finding:
        for role in Role:
            names = [_scenario(item.cell) for item in faults if item.finding is finding and item.cell.role is role]
            if names:
                yield f"  {finding:<12}{role}: {', '.join(dict.fromkeys(names))}"


def _scenario(cell: Cell) -> str:
    """Return the scenario of a cell, with its profile if that is not the usual one."""
    profile = named_profile(cell.profile)
    return f"{cell.scenario} ({profile})" if profile else cell.scenario


def _sources(faults: Iterable[Fault]) -> Iterator[str]:
    counts = Counter(source(item.evidence) for item in faults if item.evidence is not None)
    for text, count in counts.most_common():
        yield f"  {count} from {text}"


def counts_of(faults: Iterable[Fault]) -> str:
    """Return how many findings there are of each kind: `3 fails, 12 passes`."""
    counts = Counter(item.finding for item in faults)
    return ", ".join(f"{counts[item]} {item}" for item in Finding if counts[item])


def overview(version: str, faults: Sequence[Fault]) -> str:
    """Return one line about a version: its counts and its faults."""
    bad = sorted((item for item in faults if item.finding is Finding.FAILS), key=_order)
    names = dict.fromkeys(
        f"{item.cell.role} {_scenario(item.cell)} {item.evidence.worst}" for item in bad if item.evidence
    )
    more = f", and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"  {version:<12}{counts_of(faults)}{': ' if names else ''}{', '.join([*names][:FEW])}{more}"


def as_json(about: Mapping[str, str], faults: Sequence[Fault], passing: Mapping[Cell, str], results: str) -> str:
    """Return the findings as JSON (docs/schema/lookup.json)."""
    answers = [_answer(item, passing, results) for item in sorted(faults, key=_order)]
    return json.dumps({**about, "answers": answers}, indent=1)


def _answer(fault: Fault, passing: Mapping[Cell, str], results: str) -> dict[str, Any]:
    seen = fault.evidence
    return {
        **fault.cell.columns(),
        "finding": fault.finding,
        **said(seen),
        "reason": "" if seen is None else seen.reason,
        "passes_in": "" if seen is None else passing.get(seen.cell, ""),
        "stand_in": fault.stand_in,
        "command": run_command([fault.cell], results) if seen is None else command(fault.cell, seen, results),
        "others": [] if seen is None else [said(item) for item in seen.beside],
    }
