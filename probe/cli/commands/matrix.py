"""`probe matrix`: the Spark job that builds the tables, then the site."""

from __future__ import annotations

from typing import Annotated

import typer

from probe.cli import common_options as common
from probe.cli import options as o
from probe.cli.wiring.spark_package import need_spark


def matrix(
    *,
    results: common.Results = common.RESULTS,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FOLDER", help="Output folder; default: that of --results.")
    ] = None,
    master: Annotated[str | None, typer.Option("--master", metavar="URL", help="Spark master; default: local.")] = None,
    traffic: Annotated[
        bool, typer.Option("--traffic", help="Also write traffic.parquet, with request counts from every stored event.")
    ] = False,
    wait: o.Wait = 0.0,
) -> None:
    """Build matrix.csv, the other tables and the web site from stored runs."""
    need_spark()
    from probe.cli.wiring.publication import Publisher  # noqa: PLC0415  # imports pyspark, which may be missing
    from spark.inputs import list_inputs  # noqa: PLC0415  # the same

    list_inputs(results)  # without trials there is nothing for which Spark has to start
    with Publisher(results, out, master, wait_s=wait) as publisher:
        publisher.publish()
        if traffic:
            publisher.sum_up_traffic()
