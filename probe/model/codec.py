"""Frozen values to plain JSON-able data and back, by their type hints."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
_PLAIN = frozenset({str, int, float, bool, type(None)})


def encode(value: object) -> Any:
    """Turn a frozen value into dicts, lists and scalars; fields that hold their default are left out."""
    if type(value) in _PLAIN:  # most are: events are encoded by the thousand
        return value
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {
            name: encode(item) for name, default in _defaults(type(value)) if (item := getattr(value, name)) != default
        }
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [encode(item) for item in value]
    return value


def decode(hint: type[T], data: Any) -> T:
    """Build a value of type `hint` from what `encode` gave; unknown keys are ignored.

    Raises TypeError, ValueError or KeyError where the data do not fit.
    """
    return _decode(hint, data)  # type: ignore[no-any-return]  # _decode works on hints, not on types


def _decode(hint: Any, data: Any) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return None if data is None else _decode(next(a for a in get_args(hint) if a is not type(None)), data)
    if origin is tuple:
        args = get_args(hint)
        if len(args) == 2 and args[1] is Ellipsis:
            return tuple(_decode(args[0], item) for item in data)
        return tuple(_decode(arg, item) for arg, item in zip(args, data, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        key, item = get_args(hint)
        return {_decode(key, k): _decode(item, v) for k, v in data.items()}
    if isinstance(hint, type) and is_dataclass(hint):
        hints = _hints(hint)
        return hint(**{name: _decode(hints[name], data[name]) for name in hints if name in data})
    return hint(data)


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


@cache
def _defaults(cls: type) -> tuple[tuple[str, object], ...]:
    """Field names with their defaults (a sentinel that equals nothing where there is none)."""
    out: list[tuple[str, object]] = []
    for item in fields(cls):
        default: object = item.default
        if default is MISSING and item.default_factory is not MISSING:
            default = item.default_factory()
        out.append((item.name, default))
    return tuple(out)
