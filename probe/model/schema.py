"""The schema of a column: type and unit of its values, and how the trials of a cell become one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from types import MappingProxyType, NoneType, UnionType
from typing import Any, get_args, get_type_hints


class Type(StrEnum):
    """The type of a column's values. Any value may be null."""

    STRING = "STRING"
    INT = "INT"
    """32 bits."""
    BIGINT = "BIGINT"
    """64 bits."""
    DOUBLE = "DOUBLE"
    BOOLEAN = "BOOLEAN"
    CODES = "CODES"
    """A list of INT."""
    VERSIONS = "VERSIONS"
    """A list of pairs (api STRING, version INT)."""


class Unit(StrEnum):
    """The unit of a column's values."""

    NONE = ""
    COUNT = "count"
    MS = "ms"
    PER_S = "per s"
    RATIO = "ratio"
    NUMBER = "number"
    """A whole number that counts nothing, such as that of the conditions."""
    CODES = "codes"
    """Kafka error codes, joined by `;`."""


class Aggregate(StrEnum):
    """The way in which a value of the matrix is computed from the trials that have the cell's most common outcome."""

    SAME = "same"
    """All trials of the cell have the same value."""
    VOTE = "vote"
    """A result of the vote on the outcome."""
    LEAST = "min"
    GREATEST = "max"
    MEDIAN = "median"
    P95 = "p95"
    COMMONEST = "commonest"
    """The most common value that is not empty. Of equally common ones, the first."""
    ALL = "all"
    """True if it is true in every trial."""
    UNION = "union"
    """All items of all trials, joined."""
    HARM = "harm"
    """A part of the cell's harm: that of its gravest trial, of all that were judged (docs/harm.md)."""
    OTHERS = "others"
    """A result of other rows of the matrix."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the matrix."""

    name: str
    aggregate: Aggregate
    source: str = ""
    """The column of a trial's row from which it is computed, such as a fact. Empty = none."""
    unit: Unit = Unit.NONE
    label: str = ""
    """Its name for readers of the site. Empty = not in the site's list of facts."""
    text: str = ""
    """Its meaning, in one line."""

    @property
    def type(self) -> Type:
        """Return the type of its values. A rate has decimals; every other number is whole."""
        if self.aggregate is Aggregate.ALL:
            return Type.BOOLEAN
        return _BY_UNIT.get(self.unit, Type.STRING)


_BY_UNIT: Mapping[Unit, Type] = MappingProxyType(
    {
        Unit.COUNT: Type.BIGINT,
        Unit.NUMBER: Type.BIGINT,
        Unit.MS: Type.BIGINT,
        Unit.PER_S: Type.DOUBLE,
        Unit.RATIO: Type.DOUBLE,
    }
)
_TYPES: Mapping[Any, Type] = MappingProxyType(
    {
        str: Type.STRING,
        int: Type.BIGINT,
        float: Type.DOUBLE,
        bool: Type.BOOLEAN,
        tuple[int, ...]: Type.CODES,
        tuple[tuple[str, int], ...]: Type.VERSIONS,
    }
)


def type_of(hint: Any) -> Type:
    """Return the type of the column that stores a field, by the field's type hint.

    Raises TypeError if there is none.
    """
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    kind = next((kind for kind in kinds if kind is not NoneType), NoneType)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return Type.STRING
    if kind not in _TYPES:
        raise TypeError(f"{hint} has no column type; known are {', '.join(map(str, _TYPES))}")
    return _TYPES[kind]


def types_of(kind: type) -> Mapping[str, Type]:
    """Return the column type of every field of a dataclass, in order."""
    return MappingProxyType({name: type_of(hint) for name, hint in get_type_hints(kind).items()})
