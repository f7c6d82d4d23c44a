"""The facts of a row of the matrix with their labels, units and explanations."""

from __future__ import annotations

from dataclasses import dataclass

from probe.model.columns import SHOWN
from probe.model.schema import Unit
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.wording import codes, duration


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as the page of a cell shows it."""

    column: str
    label: str
    value: str
    why: str


def facts(row: MatrixRow) -> list[Fact]:
    """Return the facts that apply to a cell, in the order of their columns."""
    return [
        Fact(column.name, column.label, value_text(row.values[column.name], column.unit), column.text)
        for column in SHOWN
        if row.values[column.name]
    ]


def absent(row: MatrixRow) -> list[str]:
    """Return the labels of facts that do not apply to a cell."""
    return [column.label for column in SHOWN if not row.values[column.name]]


def value_text(text: str, unit: Unit) -> str:
    """Return the value of a column as text, with its unit."""
    if unit is Unit.CODES:
        return codes(text)
    if unit is Unit.MS:
        try:
            number = float(text)
        except ValueError:
            return text
        return f"{text} ms" if number < 1000 else f"{text} ms ({duration(number)})"
    if unit is Unit.PER_S:
        return f"{text} per s"
    return {"true": "yes", "false": "no"}.get(text, text.replace(";", ", "))
