"""Why nothing ends a standstill: the source line of a client that stays with its broker. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from probe.catalogue.families import Family
from probe.cells.aggregate import SettledCell
from probe.model import Cell
from probe.model.words import UNENDED


def with_kept_brokers(answers: Mapping[Cell, SettledCell], families: Mapping[str, Family]) -> dict[Cell, SettledCell]:
    """Return the answers; those of clients that no refresh rescues have the source line of it (`keeps`)."""
    return {cell: replace(item, keeps=_why(item, families.get(item.cell.family))) for cell, item in answers.items()}


def _why(item: SettledCell, family: Family | None) -> str:
    if family is None or UNENDED not in item.reason:
        return ""
    cell = item.cell
    rows = (row for row in family.behaviour.keeps_broker if row.role == cell.role and cell.scenario in row.scenarios)
    return next((row.reason for row in rows if row.covers(cell.version)), "")
