"""The answer of evidence about cells, where the user has no trials of his own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from probe.cells.aggregate import SettledCell
from probe.cells.cell_order import in_order
from probe.cells.citations import cited, source
from probe.cells.fault_words import remarks
from probe.cli.console.streams import OUT
from probe.cli.wiring.evidence import open_evidence
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, encode


def show_answers(
    tests: Collection[Callable[[Cell], bool]], names: Sequence[str] | None, results: str, max_age: int
) -> bool:
    """Print the answers about the cells that pass all tests; one alone with its facts. Return whether there are any."""
    with open_evidence(names, results, max_age) as evidence:
        found = {cell: item for cell, item in evidence.find(Wanted()).items() if all(test(cell) for test in tests)}
        if len(found) == 1:
            found = {cell: item for cell, item in evidence.find(Wanted.of(found), facts=True).items() if cell in found}
    if len(found) == 1:
        for line in _whole(next(iter(found.values())), results):
            OUT.print(line, markup=False)
    else:
        for cell in in_order(found):
            item = found[cell]
            OUT.print(
                f"{source(item)}  {cell}  {item.result}: {'; '.join([*remarks(item), item.reason])}", markup=False
            )
    return bool(found)


def _whole(item: SettledCell, results: str) -> Iterator[str]:
    yield str(item.cell)
    yield f"{item.result}. {item.reason}"
    yield from remarks(item)
    yield cited(item.cell, item, results)
    for place, verdict in enumerate(item.verdicts, 1):
        yield f"trial {place} of {len(item.verdicts)}: {verdict.outcome}. {verdict.reason}"
        for name, value in encode(verdict.facts).items():
            yield f"  {name} = {value}"
