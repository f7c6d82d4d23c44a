"""Predictions: what a cell must show, read in the client's source before its first run, and what came.

Each file of `docs/predictions` is a group that was written down together. A prediction is never changed after its run;
what came instead stands beside it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from probe.catalogue.families import CatalogueError

FOLDER = Path(__file__).parents[2] / "docs" / "predictions"


class Result(StrEnum):
    """The comparison of a prediction with its run."""

    HELD = "held"
    DIFFERED = "missed"
    """The outcome or a stated number was another one, by the fault of the reading, of chance or of the laboratory."""
    NOT_PLAYED = "not played"
    NOT_PREDICTED = "not predicted"
    """The run showed something that nobody had written down."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Prediction(_Strict):
    """One row: a cell or some alike, in words."""

    number: int = Field(ge=1)
    """Unique in its group; other rows name it."""
    cell: str = Field(min_length=1)
    """Client and version, role, scenario, and whatever differs from the group's usual settings."""
    families: tuple[str, ...] = Field(min_length=1)
    """Names of client families, as in `clients/`."""
    source: str = Field(min_length=1)
    """The source, with file and line; the release is the row's, or is named in the group's introduction."""
    predicted: str
    """Empty only where nothing was predicted."""
    measured: str
    """Empty where it was not played."""
    result: Result
    difference: str = ""
    """The difference, and its reason."""


class PredictionGroup(_Strict):
    """Predictions that were written down together."""

    title: str = Field(min_length=1)
    intro: str
    """Which sources were read, in which versions, and the settings of the cells."""
    notes: str = ""
    """Lessons, by letters that rows name."""
    predictions: tuple[Prediction, ...] = Field(min_length=1)


def read_predictions(folder: Path = FOLDER) -> Mapping[str, PredictionGroup]:
    """Return the groups by the names of their files, in that order. CatalogueError names a file and its fault."""
    return {path.stem: _read(path) for path in sorted(folder.glob("*.toml"))}


def _read(path: Path) -> PredictionGroup:
    try:
        group = PredictionGroup.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise CatalogueError(f"{path.name} cannot be read: {error}") from error
    if twice := _twice([row.number for row in group.predictions]):
        raise CatalogueError(f"{path.name} has two predictions with number {twice[0]}")
    return group


def _twice(numbers: Sequence[int]) -> list[int]:
    return sorted({number for number in numbers if numbers.count(number) > 1})
