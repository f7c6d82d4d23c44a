"""The Parquet files that the jobs read: complete and undamaged ones. One line names every damaged file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from probe.files.parquet import foreign_run
from probe.model.results import (
    EVENTS,
    RUN_PREFIX,
    SCHEMA_KEY,
    SCHEMA_VERSION,
    TRIALS,
    VERDICTS,
    ResultsError,
    is_data,
    run_of,
)
from spark.schema import EVENT, TRIAL, VERDICT

FOLDER, COVERS = "settled", "covers.json"
"""The folder of caches, and the file in a cache that lists the runs it covers."""
_THREADS = 8
_NEEDED = frozenset({"run_id", "family", "trial", "outcome"})
_WIDER = {pa.int64(): {pa.int32(), pa.int16()}, pa.float64(): {pa.float32()}, pa.int32(): {pa.int16()}}
"""Narrower types of an older program; Spark widens them."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Files by kind, as paths below the results, and the problems of the others."""

    results: str
    trials: tuple[str, ...]
    verdicts: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    """The `covers.json` of every cache."""
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Size and time of change of every file, which identify its content."""
    problems: tuple[str, ...] = ()

    def url(self, path: str) -> str:
        """Return the full path or URL of a file."""
        return f"{self.results}/{path}"

    def for_spark(self, path: str) -> str:
        """Return the full path or URL with the characters of Hadoop's patterns escaped."""
        return re.sub(r"([\\*?\[\]{}])", r"\\\1", self.url(path))

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that have trials, oldest first."""
        return tuple(sorted({run_of(path) for path in self.trials}))

    @property
    def bytes(self) -> int:
        """The size of all trial files in bytes."""
        return sum(self.sizes.get(path, (0, 0))[0] for path in self.trials)

    def of(self, runs: Collection[str]) -> Inputs:
        """Return the files of these runs only."""
        wanted = frozenset(runs)

        def among(paths: Iterable[str]) -> tuple[str, ...]:
            return tuple(path for path in paths if run_of(path) in wanted)

        return replace(self, trials=among(self.trials), verdicts=among(self.verdicts), events=among(self.events))

    def stamp(self, run_id: str, *kinds: str) -> str:
        """Return a digest of a run's files (by default trials and verdicts); it changes with every one of them."""
        paths = (path for kind in kinds or (TRIALS, VERDICTS) for path in getattr(self, kind))
        mine = sorted(path for path in paths if run_of(path) == run_id)
        return hashlib.sha256(repr([(path, self.sizes.get(path)) for path in mine]).encode()).hexdigest()[:16]


def list_inputs(results: str) -> Inputs:
    """List the files without opening them; ResultsError if there are no trials."""
    system, root = open_place(results)
    try:
        found = system.get_file_info(fs.FileSelector(root, recursive=True, allow_not_found=True))
    except OSError as error:
        raise ResultsError(f"{results} cannot be listed: {_line(error)}; give a readable folder") from error
    files = {info.path[len(root) :].strip("/"): info for info in found if info.is_file}
    paths = sorted(files)
    name = results.rstrip("/") if "://" in results else root
    trials, verdicts, events = (_of_kind(paths, kind) for kind in (TRIALS, VERDICTS, EVENTS))
    covers = (path for path in paths if re.fullmatch(rf"{FOLDER}/[0-9a-f]+/{COVERS}", path))
    sizes = {path: (info.size, info.mtime_ns or 0) for path, info in files.items() if path.startswith(RUN_PREFIX)}
    listed = Inputs(name, trials, verdicts, events, tuple(covers), sizes)
    if not listed.trials:
        raise ResultsError(f"{results} has no trials; `probe run` makes some, or give another --results")
    return listed


def find_inputs(results: str) -> Inputs:
    """List the trial and verdict files whose footers are complete and whose columns fit.

    ResultsError if there are none or none can be read.
    """
    return demand(check_footers(replace(list_inputs(results), events=())))


def check_footers(inputs: Inputs) -> Inputs:
    """Keep the files whose footers are complete and whose columns fit."""
    return _sound(inputs, _check_footer)


def read_through(inputs: Inputs) -> Inputs:
    """Read every file completely and keep the readable ones; used after Spark met one that it could not read."""
    return _sound(inputs, _check_pages)


def have_column(inputs: Inputs, paths: Collection[str], name: str) -> bool:
    """Return whether all of these files have a column; files of older programs lack some."""
    system, root = open_place(inputs.results)

    def has(path: str) -> bool:
        with system.open_input_file(f"{root}/{path}") as source:
            return name in pq.read_schema(source).names

    with ThreadPoolExecutor(_THREADS) as threads:
        return all(threads.map(has, paths))


def demand(inputs: Inputs) -> Inputs:
    """Return `inputs`; ResultsError if no trial file is left."""
    if not inputs.trials:
        raise ResultsError(f"{inputs.results}: no trial file can be read; the first: {inputs.problems[0]}")
    return inputs


def open_place(url: str) -> tuple[fs.FileSystem, str]:
    """Return the file system and the path in it; ResultsError if pyarrow does not support the URL."""
    if "://" not in url:
        return fs.LocalFileSystem(), str(Path(url).absolute())
    try:
        system, root = fs.FileSystem.from_uri(url)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ResultsError(f"{url}: {_line(error)}; give a folder, or a URL that pyarrow knows") from error
    return system, root.rstrip("/")


def _of_kind(paths: Iterable[str], kind: str) -> tuple[str, ...]:
    """Return the paths of the form `run_id=*/<kind>/<name>.parquet`."""
    parts = ((path, PurePosixPath(path).parts) for path in paths)
    return tuple(
        path
        for path, names in parts
        if len(names) == 3 and names[0].startswith(RUN_PREFIX) and names[1] == kind and is_data(names[2])
    )


def _sound(inputs: Inputs, check: Callable[[pq.ParquetFile, pa.Schema], None]) -> Inputs:
    system, root = open_place(inputs.results)

    def problem(path: str, schema: pa.Schema) -> str:
        try:
            with system.open_input_file(f"{root}/{path}") as source:
                file = pq.ParquetFile(source)
                if foreign := foreign_run(file.metadata, run_of(path)):
                    raise pa.ArrowInvalid(foreign)
                check(file, schema)
        except (OSError, pa.ArrowException) as error:
            return f"{inputs.url(path)} cannot be read: {_line(error)}; left out; delete it and resume its run"
        return ""

    def keep(paths: tuple[str, ...], schema: StructType) -> tuple[str, ...]:
        expected = to_arrow_schema(schema)
        with ThreadPoolExecutor(_THREADS) as threads:
            found = list(threads.map(lambda path: problem(path, expected), paths))
        problems.extend(filter(None, found))
        return tuple(path for path, wrong in zip(paths, found, strict=True) if not wrong)

    problems = list(inputs.problems)
    trials, verdicts = keep(inputs.trials, TRIAL), keep(inputs.verdicts, VERDICT)
    events = keep(inputs.events, EVENT)
    return replace(inputs, trials=trials, verdicts=verdicts, events=events, problems=tuple(problems))


def _check_footer(file: pq.ParquetFile, expected: pa.Schema) -> None:
    """Check columns and schema number. Missing columns are allowed (older program), other types are not."""
    there = file.schema_arrow
    written = int((there.metadata or {}).get(SCHEMA_KEY, b"0"))
    if written > SCHEMA_VERSION:
        raise pa.ArrowInvalid(f"it has schema {written}, this program knows {SCHEMA_VERSION}: use a newer probe")
    for wanted in expected:
        index = there.get_field_index(wanted.name)
        if index < 0 and wanted.name in _NEEDED:
            raise pa.ArrowInvalid(f"it has no column {wanted.name}")
        found = there.field(index).type if index >= 0 else wanted.type
        if found != wanted.type and found not in _WIDER.get(wanted.type, ()):
            raise pa.ArrowInvalid(f"{wanted.name} is {found}, not {wanted.type}")


def _check_pages(file: pq.ParquetFile, expected: pa.Schema) -> None:
    names = set(file.schema_arrow.names)
    file.read([field.name for field in expected if field.name in names])


def _line(error: object) -> str:
    return " ".join(str(error).split())
