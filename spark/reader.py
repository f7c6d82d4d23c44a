"""Read stored files into DataFrames: by Spark's reader where Hadoop has the file system, otherwise by pyarrow.

Spark by itself does not support object stores, and the jars for them are large. pyarrow wrote the results and can read
them on the workers with the same credentials.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import IntegerType, StructField, StructType

from probe.model.columns import ADDED
from spark.aggregate import with_newest_verdicts
from spark.inputs import Inputs, open_place
from spark.schema import TRIAL, VERDICT

HADOOP = frozenset({"", "file", "hdfs"})
"""URL schemes that Spark's reader supports."""
SEQ = r"-(\d+)\.parquet$"
_NUMBERED = StructField("seq", IntegerType())


def read_trials(session: SparkSession, inputs: Inputs) -> DataFrame:
    """Read trial rows (schema TRIAL) with their newest verdicts."""
    trials = read_files(session, inputs, inputs.trials, TRIAL)
    if not inputs.verdicts:
        return trials
    return with_newest_verdicts(trials, _read_verdicts(session, inputs))


def read_files(session: SparkSession, inputs: Inputs, paths: Sequence[str], schema: StructType) -> DataFrame:
    """Read Parquet files below the results; missing columns are null, those of the identity have their value."""
    if not paths:
        return _nothing(session, schema)
    if _by_spark(inputs):  # Spark takes the run id from the path: a constant per file in place of a word per row
        reader = session.read.schema(schema).option("basePath", inputs.results)
        return _with_added(reader.parquet(*map(inputs.for_spark, paths)).select(*schema.names))
    return _with_added(_on_workers(session, inputs, paths, schema))


def _with_added(rows: DataFrame) -> DataFrame:
    """Fill in the columns of the identity that older files lack."""
    return rows.fillna({name: value for name, value in ADDED.items() if name in rows.columns})


def _nothing(session: SparkSession, schema: StructType) -> DataFrame:
    """Return no rows, in a form that simplifies plans; an empty list would start Python workers."""
    columns = (F.lit(None).cast(field.dataType).alias(field.name) for field in schema)
    return session.range(1).where(F.lit(False)).select(*columns)


def _read_verdicts(session: SparkSession, inputs: Inputs) -> DataFrame:
    if _by_spark(inputs):
        seq = F.regexp_extract(F.input_file_name(), SEQ, 1).cast("int")
        return read_files(session, inputs, inputs.verdicts, VERDICT).withColumn("seq", seq)
    return _with_added(_on_workers(session, inputs, inputs.verdicts, StructType([*VERDICT.fields, _NUMBERED])))


def _by_spark(inputs: Inputs) -> bool:
    scheme, found, _ = inputs.results.partition("://")
    return not found or scheme in HADOOP


def _on_workers(session: SparkSession, inputs: Inputs, paths: Sequence[str], schema: StructType) -> DataFrame:
    files = session.createDataFrame([(path,) for path in paths], "path STRING")
    spread = files.repartition(min(len(paths), 4 * session.sparkContext.defaultParallelism))
    return spread.mapInArrow(partial(_read, inputs.results, schema), schema)


def _read(results: str, schema: StructType, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Read files batch by batch on a worker, so that no file needs to fit into memory."""
    system, root = open_place(results)
    wanted = to_arrow_schema(schema)
    for batch in batches:
        for path in batch.column("path").to_pylist():
            with system.open_input_file(f"{root}/{path}") as source:
                file = pq.ParquetFile(source)
                names = [name for name in wanted.names if name in file.schema_arrow.names]
                for rows in file.iter_batches(columns=names):
                    yield _complete(rows, wanted, path)


def _complete(rows: pa.RecordBatch, wanted: pa.Schema, path: str) -> pa.RecordBatch:
    """Return a batch with the wanted columns: missing ones are null, `seq` comes from the name of the file."""
    columns = []
    for field in wanted:
        if field.name in rows.schema.names:
            columns.append(rows.column(field.name).cast(field.type))
        elif field.name == _NUMBERED.name and (number := re.search(SEQ, path)):
            columns.append(pa.array([int(number[1])] * len(rows), field.type))
        else:
            columns.append(pa.nulls(len(rows), field.type))
    return pa.RecordBatch.from_arrays(columns, schema=wanted)
