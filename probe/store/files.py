"""File access of the store: local paths and every URL that pyarrow supports."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from probe.errors import reason_of
from probe.files.filesystems import write_whole
from probe.files.parquet import Filters, foreign_run, read_rows
from probe.model.columns import ADDED
from probe.model.results import EVENTS, RUN_PREFIX, SCHEMA_KEY, SCHEMA_VERSION, TRIALS, ResultsError, is_data, run_of
from probe.store.local_paths import refuse_a_file
from probe.store.schemas import ESSENTIAL

ROWS_PER_GROUP = 16_384
"""Small groups keep the amount read for a single trial low."""
_DAMAGE = (OSError, pa.ArrowException, UnicodeDecodeError)
"""Errors of a damaged file; the last one is of a column's name."""


class Place:
    """A results folder in a file system. Paths are relative to the folder and use `/`."""

    def __init__(self, results: str) -> None:
        """Resolve a path or URL; ResultsError for a file, and for a URL that pyarrow does not support."""
        self.name = results.rstrip("/")
        if "://" not in results:
            refuse_a_file(results)
            self._fs, self._root = fs.LocalFileSystem(), str(Path(results).absolute())
            return
        try:
            self._fs, self._root = fs.FileSystem.from_uri(results)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise ResultsError(f"{results}: {_line(error)}; give a folder, or a URL that pyarrow knows") from error

    def run_ids(self) -> list[str]:
        """Return the ids of the runs in the folder, oldest first."""
        names = (info.base_name for info in self._entries(self._root) if info.type == fs.FileType.Directory)
        return sorted(name.removeprefix(RUN_PREFIX) for name in names if name.startswith(RUN_PREFIX))

    def files(self, folder: str, suffix: str = ".parquet") -> list[str]:
        """Return the complete files of a folder, sorted by name; none if the folder does not exist."""
        return [f"{folder}/{name}" for name in self._names(folder) if is_data(name, suffix)]

    def _names(self, folder: str) -> list[str]:
        return sorted(info.base_name for info in self._entries(self._full(folder)) if info.is_file)

    def _entries(self, full: str) -> Sequence[fs.FileInfo]:
        """List a folder. Arrow raises FileNotFoundError if the folder appears while Arrow lists it."""
        try:
            return list(self._fs.get_file_info(fs.FileSelector(full, allow_not_found=True)))
        except FileNotFoundError:
            return []

    def clean(self, folder: str, prefix: str) -> None:
        """Remove incomplete files of a killed writer with this prefix."""
        for name in self._names(folder):
            if name.startswith(f".{prefix}"):
                self._fs.delete_file(f"{self._full(folder)}/{name}")

    def exists(self, path: str) -> bool:
        """Return whether the file or folder exists."""
        return bool(self._fs.get_file_info(self._full(path)).type != fs.FileType.NotFound)

    def present(self, paths: Sequence[str]) -> list[bool]:
        """Return for each path whether there is a file or folder, with one question to the file system."""
        infos = self._fs.get_file_info([self._full(path) for path in paths]) if paths else []
        return [info.type != fs.FileType.NotFound for info in infos]

    def write_table(self, path: str, table: pa.Table) -> None:
        """Write a Parquet file aside and rename it; ResultsError if it cannot be written."""

        def save(out: pa.NativeFile) -> None:
            pq.write_table(table, out, compression="zstd", row_group_size=ROWS_PER_GROUP)

        self._write(path, save)

    def write_json(self, path: str, value: object) -> None:
        """Write a JSON file aside and rename it; ResultsError if it cannot be written."""
        text = json.dumps(value, indent=2, sort_keys=True) + "\n"
        self._write(path, lambda out: out.write(text.encode()))

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write a file aside and rename it; ResultsError if it cannot be written."""
        self._write(path, lambda out: out.write(data))

    def read_bytes(self, path: str) -> bytes:
        """Read a whole file; ResultsError if that fails."""
        try:
            with self._fs.open_input_stream(self._full(path), compression=None) as source:
                return bytes(source.read())
        except OSError as error:
            raise self._unreadable(path, error) from error

    def _write(self, path: str, save: Callable[[pa.NativeFile], object]) -> None:
        try:
            write_whole(self._fs, self._full(path), save)
        except OSError as error:
            raise ResultsError(
                f"{self.name}/{path} cannot be written: {reason_of(error)}; free the place or give another --results"
            ) from error

    def read_json(self, path: str) -> dict[str, Any]:
        """Read a JSON object; ResultsError if it is not one, or is of another run than its folder."""
        try:
            with self._fs.open_input_file(self._full(path)) as source:
                value = json.loads(source.read())
        except (OSError, ValueError, RecursionError) as error:
            raise self._unreadable(path, error) from error
        if not isinstance(value, dict):
            raise self._unreadable(path, "no JSON object")
        if (run_id := run_of(path)) and value.get("run_id", run_id) != run_id:
            raise self._unreadable(path, f"it is a file of run {value['run_id']}")
        return value

    def read_table(
        self,
        path: str,
        columns: Sequence[str] | None = None,
        filters: Filters | None = None,
        dictionaries: Collection[str] = (),
    ) -> pa.Table:
        """Read (some rows of) a Parquet file; ResultsError if it is damaged, another file, or its schema is too new.

        Identity columns that an older file lacks are added. Without `filters`, columns of `dictionaries`, which repeat
        few words, are dictionary arrays.
        """
        try:
            with self._fs.open_input_file(self._full(path)) as source:
                about = pq.read_metadata(source)
                words = [name for name in dictionaries if name in about.schema.names]
                file = pq.ParquetFile(source, metadata=about, read_dictionary=words)
                self._check_version(path, file.schema_arrow)
                self._check_columns(path, file.schema_arrow, columns or ())
                self._check_run(path, about)
                return read_rows(source, file, columns, filters, ADDED)
        except _DAMAGE as error:
            raise self._unreadable(path, error) from error

    def count_rows(self, path: str) -> int:
        """Return the number of rows from the file's footer; ResultsError if it is damaged."""
        try:
            with self._fs.open_input_file(self._full(path)) as source:
                about = pq.read_metadata(source)
                self._check_run(path, about)
                return int(about.num_rows)
        except _DAMAGE as error:
            raise self._unreadable(path, error) from error

    def highest(self, path: str, column: str) -> int:
        """Return the highest value of a column from the file's footer; ResultsError if it is damaged."""
        try:
            with self._fs.open_input_file(self._full(path)) as source:
                about = pq.read_metadata(source)
        except _DAMAGE as error:
            raise self._unreadable(path, error) from error
        place = about.schema.names.index(column)
        found = (about.row_group(nth).column(place).statistics for nth in range(about.num_row_groups))
        return max((int(one.max) for one in found if one is not None and one.has_min_max), default=0)

    def _check_version(self, path: str, schema: pa.Schema) -> None:
        written = int((schema.metadata or {}).get(SCHEMA_KEY, b"0"))
        if written > SCHEMA_VERSION:
            raise ResultsError(
                f"{self.name}/{path} has schema {written}, this program knows {SCHEMA_VERSION}; use a newer probe"
            )

    def _check_columns(self, path: str, schema: pa.Schema, columns: Sequence[str]) -> None:
        if lacking := [name for name in columns if name in ESSENTIAL and name not in schema.names]:
            raise self._unreadable(path, f"it has no column {lacking[0]}, so it is another file")

    def _check_run(self, path: str, about: pq.FileMetaData) -> None:
        if foreign := foreign_run(about, run_of(path)):
            raise self._unreadable(path, foreign)

    def _unreadable(self, path: str, error: object) -> ResultsError:
        return ResultsError(f"{self.name}/{path} cannot be read: {_line(error)}; {_way_out(path)}")

    def _full(self, path: str) -> str:
        return f"{self._root}/{path}"


def _way_out(path: str) -> str:
    """Return what to delete, so that `--resume` plays the trials again: a verdict stands without its history."""
    kind, name = path.split("/")[-2:]
    both = f"delete it and {TRIALS}/{name}, and resume its run"
    return both if kind == EVENTS else "delete the file and resume its run"


def _line(error: object) -> str:
    return " ".join(str(error).split())
