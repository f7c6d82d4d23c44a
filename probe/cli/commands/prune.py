"""`probe prune`: remove old runs, except those that the matrix depends on."""

from __future__ import annotations

from typing import Annotated

import typer

from probe.cli import common_options as common
from probe.cli import options as o
from probe.cli.console.streams import OUT, say
from probe.errors import ProbeError
from probe.store.lock import PUBLISHING, RUNS, locked
from probe.store.pruning import Removal, choose, local, remove, size


def prune(
    *,
    results: common.Results = common.RESULTS,
    keep: Annotated[
        int | None, typer.Option("--keep", metavar="RUNS", min=1, help="Number of newest runs to keep.")
    ] = None,
    older_than: Annotated[
        float | None,
        typer.Option("--older-than", metavar="DAYS", min=0, help="Remove only runs older than this number of days."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the runs, and remove nothing.")] = False,
    wait: o.Wait = 0.0,
) -> None:
    """Remove old runs. The latest evidence for each cell of the matrix is always kept."""
    if keep is None and older_than is None:
        raise ProbeError("prune: no limit is given; add --keep RUNS, --older-than DAYS, or both")
    local(results)
    if dry_run:
        found = choose(results, keep=keep, older_than_days=older_than)
        freed = sum(size(results, run_id) for run_id in found.gone)
    else:
        with locked(results, RUNS, wait_s=wait, say=say), locked(results, PUBLISHING, wait_s=wait, say=say):
            found = choose(results, keep=keep, older_than_days=older_than)
            freed = remove(results, found.gone)
    _print(found, freed, dry_run=dry_run)


def _print(found: Removal, freed: int, *, dry_run: bool) -> None:
    word = "would be removed" if dry_run else "removed"
    for run_id in found.gone:
        OUT.print(f"{word}  {run_id}", markup=False)
    for kept in found.kept:
        OUT.print(f"kept  {kept.run_id}: {kept.reason}", markup=False)
    would = "would be " if dry_run else ""
    OUT.print(f"{len(found.gone)} runs {word}, {len(found.kept)} kept, {freed / 1e6:.1f} MB {would}freed", markup=False)
