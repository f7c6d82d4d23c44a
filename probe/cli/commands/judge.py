"""`probe judge`: a Spark job that judges stored histories again with the current rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from probe.cli import common_options as common
from probe.cli import options as o
from probe.cli.console.streams import OUT, say
from probe.cli.wiring.spark_package import need_spark
from probe.store.lock import PUBLISHING, locked

if TYPE_CHECKING:
    from spark.rejudgement import Change


def judge(
    *,
    results: common.Results = common.RESULTS,
    master: Annotated[str | None, typer.Option("--master", metavar="URL", help="Spark master; default: local.")] = None,
    wait: o.Wait = 0.0,
) -> None:
    """Judge stored trials again with the current rules, and list the cells of the matrix that changed."""
    need_spark()
    from spark.rejudgement import rejudge  # noqa: PLC0415  # imports pyspark, which may be missing

    with locked(results, PUBLISHING, wait_s=wait, say=say):
        done = rejudge(results, master)
    for problem in done.problems:
        say(problem)
    for change in done.changed:
        OUT.print(_line(change), markup=False)
    moved = sum(1 for change in done.changed if change.before != change.after)
    OUT.print(
        f"{done.trials} trials judged again: {moved} cells have another outcome, {len(done.changed) - moved} only "
        f"other numbers; {len(done.written)} verdict files written",
        markup=False,
    )
    if done.changed:
        say(f"`probe matrix --results {results}` builds matrix and site from the new verdicts")


def _line(change: Change) -> str:
    if change.before != change.after:
        return f"changed  {change.cell}: {change.before or 'no row'} -> {change.after or 'no row'}"
    return f"numbers  {change.cell}: {change.after}; {', '.join(change.columns)}"
