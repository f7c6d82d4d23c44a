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
) -> None:
    """Build matrix.csv, matrix.parquet and site/ from stored runs."""
    with Publisher(results, out, master) as publisher:
        publisher.publish()
