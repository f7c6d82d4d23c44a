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
    return {
        cell: replace(item, keeps=why) if (why := _why(item, families.get(cell.family))) else item
        for cell, item in answers.items()
    }


def _why(item: SettledCell, family: Family | None) -> str:
    cell, known = item.cell, family.behaviour.keeps_broker if family is not None else ()
    rows = [row for row in known if row.role == cell.role and cell.scenario in row.scenarios]
    if not rows or UNENDED not in item.reason:
        return ""
    return next((row.reason for row in rows if row.covers(cell.version)), "")
