"""`probe matrix`: the Spark job, then the site."""

from __future__ import annotations

from typing import Annotated

import typer

from probe.cli import options as o
from probe.cli.publish import Publisher


def matrix(
    *,
    results: o.Results = o.RESULTS,
    out: Annotated[str | None, typer.Option("--out", help="Where to write; default: the results folder.")] = None,
    master: Annotated[str | None, typer.Option("--master", help="Spark master; default: local.")] = None,
    traffic: Annotated[
        bool, typer.Option("--traffic", help="Sum up the wire as well, in traffic.parquet; reads every event once.")
    ] = False,
    wait: o.Wait = 0.0,
) -> None:
    """Build matrix.csv, matrix.parquet, the tables beside it and site/ from stored runs."""
    with Publisher(results, out, master, wait_s=wait) as publisher:
        publisher.publish()
        if traffic:
            publisher.sum_up_traffic()
