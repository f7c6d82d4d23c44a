"""Convert frozen values to plain data for JSON and back, by their type hints."""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from json.encoder import encode_basestring_ascii
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
Reader = Callable[[Any], Any]
Writer = Callable[[Any], str]
_PLAIN = frozenset({str, int, float, bool, type(None)})


def encode(value: object) -> Any:
    """Convert a frozen value to dicts, lists and scalars. Fields with their default value are left out."""
    if type(value) in _PLAIN:  # the common case
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


def to_json(value: object) -> str:
    """Return the JSON of what `encode` returns, without building that. A run writes hundreds of thousands of events.

    The text is compact ASCII, so lone surrogates of hostile input survive.
    """
    return _WRITERS[type(value)](value)


_dumps = json.JSONEncoder(separators=(",", ":")).encode
_SCALARS: dict[type, Writer] = {
    str: encode_basestring_ascii,
    int: int.__repr__,
    bool: lambda value: "true" if value else "false",
    type(None): lambda _: "null",
}


class _Writers(dict[type, Writer]):
    """Functions that write values of one type. They are created on first use."""

    def __missing__(self, cls: type) -> Writer:
        made = self[cls] = _writer(cls)
        return made


_WRITERS = _Writers(_SCALARS)


def _writer(cls: type) -> Writer:
    if issubclass(cls, Enum):
        return {member: to_json(member.value) for member in cls}.__getitem__
    if is_dataclass(cls):
        return _object_writer(cls)
    if issubclass(cls, Mapping):
        return lambda value: f"{{{','.join(map(_member, value.items()))}}}"
    if issubclass(cls, (tuple, list)):
        return lambda value: f"[{','.join(map(to_json, value))}]"
    return _dumps


def _member(item: tuple[object, object]) -> str:
    return f"{encode_basestring_ascii(str(item[0]))}:{to_json(item[1])}"


def _object_writer(cls: type) -> Writer:
    """Generate a function that writes the fields of a class, and compile it.

    It is faster than a loop over the fields.
    """
    names: dict[str, Any] = {"writers": _WRITERS}
    lines = ["def write(value):", "    text = ''"]
    for number, (name, default) in enumerate(_defaults(cls)):
        names[f"default{number}"] = default
        lines += [
            f"    item = value.{name}",
            f"    if item != default{number}:",
            f"        text += {f',{encode_basestring_ascii(name)}:'!r} + writers[type(item)](item)",
        ]
    exec("\n".join([*lines, "    return '{' + text[1:] + '}'"]), names)  # noqa: S102  # generated from our own field names
    return names["write"]  # type: ignore[no-any-return]  # made by exec


def decode(hint: type[T], data: Any) -> T:
    """Build a value of type `hint` from the result of `encode`. Unknown keys are ignored.

    Raises TypeError, ValueError or KeyError where the data do not fit.
    """
    return reader(hint)(data)  # type: ignore[no-any-return, arg-type]  # hints, not types


@cache
def reader(hint: Any) -> Reader:
    """Return the function of `decode` for a type hint. It is created once, for speed."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _optional(reader(next(a for a in get_args(hint) if a is not type(None))))
    if origin is tuple:
        return _tuple(get_args(hint))
    if origin is not None and issubclass(origin, Mapping):
        key, item = map(reader, get_args(hint))
        return lambda data: {key(k): item(v) for k, v in data.items()}
    if isinstance(hint, type) and is_dataclass(hint):
        return _object_reader(hint)
    return _scalar(hint)


def _object_reader(cls: type) -> Reader:
    """Return a function that reads an object; fields that the data lack have their default."""
    hints = get_type_hints(cls)
    if "__slots__" in vars(cls) and cls.__bases__ == (object,) and not hasattr(cls, "__post_init__"):
        return _slots_reader(cls, hints)
    readers = {name: reader(inner) for name, inner in hints.items()}
    items = dict.items  # raises TypeError for anything other than a dict
    return lambda data: cls(**{name: readers[name](item) for name, item in items(data) if name in readers})


def _slots_reader(cls: type, hints: Mapping[str, Any]) -> Reader:
    """Generate a function that reads a class with slots, and compile it.

    `__init__` of a frozen class takes most of the time, because it stores every field by a call. So the fields are
    stored in an object of a plain class with the same slots, which then becomes one of `cls`.
    """
    plain = type(cls.__name__, (), {"__slots__": tuple(item.name for item in fields(cls))})
    names: dict[str, Any] = {"cls": cls, "plain": plain}
    lines = []
    for number, item in enumerate(fields(cls)):
        name, kind = item.name, hints[item.name]
        names |= {f"kind{number}": kind, f"read{number}": reader(kind), f"default{number}": item.default}
        if item.default is not MISSING:
            found = f"data[{name!r}] if {name!r} in data else default{number}"
        elif item.default_factory is not MISSING:
            names[f"default{number}"] = item.default_factory
            found = f"data[{name!r}] if {name!r} in data else default{number}()"
        else:
            found = f"data[{name!r}]"
        if kind in _PLAIN:
            lines += [f"item = {found}", f"made.{name} = item if type(item) is kind{number} else read{number}(item)"]
        elif isinstance(kind, type) and issubclass(kind, Enum) and item.default is MISSING:
            names[f"members{number}"] = {member.value: member for member in kind}
            lines += [f"item = {found}", f"made.{name} = members{number}.get(item) or read{number}(item)"]
        elif (plain_kind := _optional_plain(kind)) is not None:
            names[f"kind{number}"] = plain_kind
            fits = f"item is None or type(item) is kind{number}"
            lines += [f"item = {found}", f"made.{name} = item if {fits} else read{number}(item)"]
        else:
            lines.append(f"made.{name} = {found.replace(f'data[{name!r}]', f'read{number}(data[{name!r}])')}")
    body = "\n        ".join(["made = plain()", *lines, "made.__class__ = cls", "return made"])
    exec(_READ.format(body=body), names)  # noqa: S102  # generated from our own field names
    return names["read"]  # type: ignore[no-any-return]  # made by exec


_READ = """
def read(data):
    if not isinstance(data, dict):
        raise TypeError(f"{{data!r:.40}} is no object")
    try:
        {body}
    except KeyError as lacking:
        raise TypeError(f"{{cls.__name__}} lacks {{lacking}}") from None
"""


def _optional_plain(kind: Any) -> type | None:
    """Return the plain type of a hint such as `int | None`; None for other hints."""
    if get_origin(kind) not in (Union, types.UnionType):
        return None
    inner = next(a for a in get_args(kind) if a is not type(None))
    return inner if inner in _PLAIN else None


def _optional(inner: Reader) -> Reader:
    return lambda data: None if data is None else inner(data)


def _tuple(args: tuple[Any, ...]) -> Reader:
    if len(args) == 2 and args[1] is Ellipsis:
        each = reader(args[0])
        return lambda data: tuple(map(each, data))
    readers = tuple(map(reader, args))
    return lambda data: tuple(read(item) for read, item in zip(readers, data, strict=True))


def _scalar(kind: Any) -> Reader:
    return lambda data: data if type(data) is kind else kind(data)


@cache
def _defaults(cls: type) -> tuple[tuple[str, object], ...]:
    """Return field names with their defaults. Fields without one get a sentinel that equals nothing."""
    out: list[tuple[str, object]] = []
    for item in fields(cls):
        default: object = item.default
        if default is MISSING and item.default_factory is not MISSING:
            default = item.default_factory()
        out.append((item.name, default))
    return tuple(out)
