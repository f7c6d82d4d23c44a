"""Captures of trials for download, in the folder of the cells' pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.source import Source
from probe.site.render.reuse import Reuse
from probe.site.timeline.trial_view import TrialView

FOLDER, SUFFIX = "cell", ".pcapng"


def with_captures(row: MatrixRow, views: Sequence[TrialView], results: Source, fresh: Path) -> list[TrialView]:
    """Write the captures of a cell's trials into the new site and add their names to the views."""
    if results.capture is None:
        return list(views)
    found = []
    for view in views:
        data = results.capture(row.run_id, row.cell, view.number)
        name = f"{row.slug}-{view.number}{SUFFIX}" if data is not None else ""
        if data is not None:
            (fresh / FOLDER / name).write_bytes(data)
        found.append(replace(view, capture=name))
    return found


def take_captures(standing: Path, reuse: Reuse) -> None:
    """Reuse the captures of reused pages."""
    for path in (standing / FOLDER).glob(f"*{SUFFIX}"):
        if reuse.taken(f"{FOLDER}/{path.stem.rpartition('-')[0]}.html"):
            reuse.link(f"{FOLDER}/{path.name}")
