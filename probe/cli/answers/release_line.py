"""The answer of `probe lookup sarama@1.43`: a line of releases, each that was measured with a line of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from probe.catalogue.line_names import NamedLine
from probe.cells.answer_context import Remedies
from probe.cells.audit import Fault
from probe.cells.levels import RoleLevel
from probe.cli.answers.decision import level_lines, note_of
from probe.cli.answers.short_answer import in_short
from probe.cli.console.line_wrap import wrapped
from probe.model.counts import counted

MOST = 12
"""Releases that are listed; of a long line the newest."""
AT = 11
"""Column at which texts begin, behind a release."""


def line_text(
    one: NamedLine,
    where: str,
    faults: Sequence[Fault],
    levels_of: Callable[[str], Sequence[RoleLevel]],
    ways_out: Remedies,
    columns: int,
) -> Iterator[str]:
    """Yield the releases of a line that were measured, the newest first, the levels of that, and how to ask for one.

    `faults` are those of all its releases, `levels_of` returns what is said of the roles of one of them.
    """
    by_version: dict[str, list[Fault]] = {}
    for fault in faults:
        by_version.setdefault(fault.cell.version, []).append(fault)
    measured = {number: version for number, version in one.releases.items() if version in by_version}
    yield from wrapped(f"{one.why}; {len(measured)} of {len(one.releases)} measured on {where}:", columns, 2)
    shown = list(reversed(measured.items()))
    for number, version in shown[:MOST]:
        mine = by_version[version]
        said = (
            in_short(mine, levels_of(version), ways_out) or f"{counted(len(mine), 'cell')}, none of a scored scenario"
        )
        yield from wrapped(f"  {number:<{AT - 3}} {said}", columns, AT)
    if len(shown) > MOST:
        yield f"  {counted(len(shown) - MOST, 'older release')}"
    yield from _of_newest(measured, by_version, levels_of, columns)
    newest = shown[0][0]
    yield from wrapped(f"`probe lookup {one.name}@{newest}` says what stops in it and what mends that", columns, 2)


def _of_newest(
    measured: Mapping[str, str],
    by_version: Mapping[str, Sequence[Fault]],
    levels_of: Callable[[str], Sequence[RoleLevel]],
    columns: int,
) -> Iterator[str]:
    number, version = list(measured.items())[-1]
    if levels := levels_of(version):
        yield f"{number}, the newest of them:"
        yield from level_lines(levels, columns, note_of(by_version[version]))
