"""Which Parquet files the job reads: finished ones that are whole. Each damaged one is named in one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from probe.model.results import RUN_PREFIX, TRIALS, VERDICTS, ResultsError, is_data
from spark.schema import TRIAL, VERDICT


@dataclass(frozen=True, slots=True)
class Inputs:
    """Files by kind, as paths below the results, and what is wrong with the others."""

    results: str
    trials: tuple[str, ...]
    verdicts: tuple[str, ...]
    problems: tuple[str, ...] = ()

    def url(self, path: str) -> str:
        """Return a file's full path or URL."""
        return f"{self.results}/{path}"

    def for_spark(self, path: str) -> str:
        """Return the same with every sign escaped that Hadoop would take for a pattern."""
        return re.sub(r"([\\*?\[\]{}])", r"\\\1", self.url(path))


def find_inputs(results: str) -> Inputs:
    """List the trial and verdict files whose footers are whole and whose columns are ours.

    ResultsError if there are none, or none is readable.
    """
    system, root = open_place(results)
    try:
        found = system.get_file_info(fs.FileSelector(root, recursive=True, allow_not_found=True))
    except OSError as error:
        raise ResultsError(f"{results} cannot be listed: {_line(error)}; give a readable folder") from error
    paths = sorted(info.path[len(root) :].strip("/") for info in found if info.is_file)
    name = results.rstrip("/") if "://" in results else root
    listed = Inputs(name, _of_kind(paths, TRIALS), _of_kind(paths, VERDICTS))
    if not listed.trials:
        raise ResultsError(f"{results} has no trials; `probe run` makes some, or give another --results")
    return _sound(listed, _check_footer)


def read_through(inputs: Inputs) -> Inputs:
    """Read every file to its end and keep those that can be; for when Spark met one that it could not read."""
    return _sound(inputs, _check_pages)


def open_place(url: str) -> tuple[fs.FileSystem, str]:
    """Return the file system and the path in it; ResultsError where pyarrow does not know the URL."""
    if "://" not in url:
        return fs.LocalFileSystem(), str(Path(url).absolute())
    try:
        system, root = fs.FileSystem.from_uri(url)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ResultsError(f"{url}: {_line(error)}; give a folder, or a URL that pyarrow knows") from error
    return system, root.rstrip("/")


def _of_kind(paths: Iterable[str], kind: str) -> tuple[str, ...]:
    """Keep `run_id=*/<kind>/<name>.parquet`."""
    parts = ((path, PurePosixPath(path).parts) for path in paths)
    return tuple(
        path
        for path, names in parts
        if len(names) == 3 and names[0].startswith(RUN_PREFIX) and names[1] == kind and is_data(names[2])
    )


def _sound(inputs: Inputs, check: Callable[[pq.ParquetFile, pa.Schema], None]) -> Inputs:
    system, root = open_place(inputs.results)
    problems = list(inputs.problems)

    def keep(paths: tuple[str, ...], schema: StructType) -> tuple[str, ...]:
        kept = []
        for path in paths:
            try:
                with system.open_input_file(f"{root}/{path}") as source:
                    check(pq.ParquetFile(source), to_arrow_schema(schema))
                kept.append(path)
            except (OSError, pa.ArrowException) as error:
                line = f"{inputs.url(path)} cannot be read: {_line(error)}; left out; delete it and resume its run"
                problems.append(line)
        return tuple(kept)

    trials, verdicts = keep(inputs.trials, TRIAL), keep(inputs.verdicts, VERDICT)
    if not trials:
        raise ResultsError(f"{inputs.results}: no trial file can be read; the first: {problems[0]}")
    return replace(inputs, trials=trials, verdicts=verdicts, problems=tuple(problems))


def _check_footer(file: pq.ParquetFile, expected: pa.Schema) -> None:
    """Accept files that lack columns (an older program wrote them) but not columns of another type."""
    there = file.schema_arrow
    for field in expected:
        index = there.get_field_index(field.name)
        if index < 0 and field.name in {"run_id", "family", "trial", "outcome"}:
            raise pa.ArrowInvalid(f"it has no column {field.name}")
        if index >= 0 and there.field(index).type != field.type:
            raise pa.ArrowInvalid(f"{field.name} is {there.field(index).type}, not {field.type}")


def _check_pages(file: pq.ParquetFile, expected: pa.Schema) -> None:
    names = set(file.schema_arrow.names)
    file.read([field.name for field in expected if field.name in names])


def _line(error: object) -> str:
    return " ".join(str(error).split())
