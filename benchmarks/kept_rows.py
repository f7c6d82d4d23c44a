"""Rows of a benchmark that goes on where it stopped: a tab-separated file, to which each is added as it comes."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    R = TypeVar("R", bound=DataclassInstance)
else:
    R = TypeVar("R")


class KeptRows(Generic[R]):
    """The rows of a file, which is made with its folder by the first one."""

    def __init__(self, file: Path, kind: type[R]) -> None:
        """`kind` is a dataclass whose fields are texts."""
        self._file = file
        self._kind = kind
        self.rows: list[R] = list(self._read())

    def _read(self) -> Iterator[R]:
        if self._file.is_file():
            with self._file.open(encoding="utf-8", newline="") as stream:
                yield from (self._kind(**one) for one in csv.DictReader(stream, delimiter="\t"))

    def add(self, row: R) -> None:
        """Keep a row."""
        begins = not self._file.is_file()
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, [one.name for one in fields(self._kind)], delimiter="\t")
            if begins:
                writer.writeheader()
            writer.writerow(asdict(row))
        self.rows.append(row)
