"""The levels of a client from the rows of a matrix, which has the number of trials per harm. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from probe.catalogue.families import Family
from probe.cells.audit import examine
from probe.cells.client_levels import client_levels
from probe.cells.levels import RoleLevel
from probe.model import Client
from probe.model.engines import DEFAULT_ENGINE
from probe.model.profile import DEFAULT_PROFILE
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.settled_rows import settled


def usual_line(rows: Iterable[MatrixRow]) -> str:
    """Return the release line with most rows, the first of equally frequent ones; empty if there is none."""
    counts = Counter(row.cell.broker for row in rows)
    return max(sorted(counts), key=lambda line: counts[line], default="")


def row_levels(family: Family | None, client: Client, rows: Sequence[MatrixRow], line: str) -> list[RoleLevel]:
    """Return what is said of each role of a client on a release line, by its rows; nothing for an unlisted family."""
    if family is None:
        return []
    stored = {row.cell: settled(row) for row in rows if row.cell.broker == line and row.is_current}
    usual = [one for one in stored if one.engine is DEFAULT_ENGINE and one.profile == DEFAULT_PROFILE]
    return client_levels(family, client, examine(usual, stored), stored, line)
