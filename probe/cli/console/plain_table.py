"""A table as plain text, for look-ups: rich takes longer to load than they run."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from probe.cli.console.line_wrap import wrapped
from probe.model.safe_text import visible

GAP = "  "
LEAST = 24
"""Least width of a column whose values are wrapped."""


def lines_of(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    colours: Sequence[str] = (),
    coloured: int = -1,
    fitted: int = -1,
    columns: int = 0,
) -> list[str]:
    """Return the lines of a table. A value may have several lines.

    `colours` has one per row, for the column `coloured`; a terminal shows it. Values of the column `fitted` are wrapped
    so that lines have at most `columns` columns (0 = any number), if the others leave it `LEAST` of them.
    """
    cells = [[[visible(line) for line in value.split("\n")] for value in row] for row in rows]
    if columns and fitted >= 0:
        _fit(header, cells, fitted, columns)
    widths = [
        max(len(text) for text in [name, *(line for row in cells for line in row[place])])
        for place, name in enumerate(header)
    ]
    found = [_line(header, widths), _line(["-" * width for width in widths], widths)]
    for number, row in enumerate(cells):
        for nth in range(max(map(len, row))):
            texts = [value[nth] if nth < len(value) else "" for value in row]
            found.append(_line(texts, widths, coloured, colours[number] if colours else ""))
    return found


def _fit(header: Sequence[str], cells: list[list[list[str]]], fitted: int, columns: int) -> None:
    others = sum(
        len(GAP) + max(len(text) for text in [name, *(line for row in cells for line in row[place])])
        for place, name in enumerate(header)
        if place != fitted
    )
    for row in cells:
        row[fitted] = [part for line in row[fitted] for part in wrapped(line, max(LEAST, columns - others), 2)]


def _line(texts: Sequence[str], widths: Sequence[int], coloured: int = -1, colour: str = "") -> str:
    padded = [text.ljust(width) for text, width in zip(texts, widths, strict=True)]
    if colour:
        padded[coloured] = typer.style(padded[coloured], fg=colour, bold=True)
    return GAP.join(padded).rstrip()
