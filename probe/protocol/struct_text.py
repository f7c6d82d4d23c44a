"""Bodies in the text of request logs before 2.8, as Kafka's class `protocol.types.Struct` wrote them.

`{acks=-1,responses=[{topic=a,partition_responses=[...]}],error_message=null}`: names and values without quotes, so a
string that holds a comma and an equals sign is cut there. What cannot be read raises ValueError.
"""

from __future__ import annotations

import re
from typing import Any

DEEPEST = 16
"""Levels of structs and arrays; Kafka's messages have six."""
_NAME = re.compile(r"([A-Za-z_]\w*)=")
_STOP = re.compile(r"[()\[\]{},]")
_NEXT = re.compile(r",[A-Za-z_]\w*=")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


def parse_struct(text: str, p: int, depth: int = 0) -> tuple[dict[str, Any], int]:
    """Return the struct at `p` and the position after it. Scalars are texts, null is None. Raises ValueError."""
    if not text.startswith("{", p) or depth > DEEPEST:
        raise ValueError("no struct")
    found: dict[str, Any] = {}
    p += 1
    while not text.startswith("}", p):
        if found:
            p += 1
        name = _NAME.match(text, p)
        if name is None:
            raise ValueError("no name of a field")
        found[name[1]], p = _value(text, name.end(), depth + 1, within_array=False)
    return found, p + 1


def _value(text: str, p: int, depth: int, *, within_array: bool) -> tuple[Any, int]:
    if text.startswith("{", p):
        return parse_struct(text, p, depth)
    if text.startswith("[", p):
        return _array(text, p, depth)
    return _scalar(text, p, within_array=within_array)


def _array(text: str, p: int, depth: int) -> tuple[list[Any], int]:
    if depth > DEEPEST:
        raise ValueError("nested too deeply")
    found: list[Any] = []
    p += 1
    while not text.startswith("]", p):
        p += bool(found)
        value, p = _value(text, p, depth + 1, within_array=True)
        found.append(value)
        if not text.startswith((",", "]"), p):
            raise ValueError("no end of an element")
    return found, p + 1


def _scalar(text: str, p: int, *, within_array: bool) -> tuple[str | None, int]:
    """Read up to the next field or element. What stands in brackets belongs to the value."""
    start, level = p, 0
    while (stop := _STOP.search(text, p)) is not None:
        sign, p = stop[0], stop.end()
        if sign in _OPEN:
            level += 1
        elif level:
            level -= sign in _CLOSE
        elif sign in _CLOSE or (sign == "," and (within_array or _NEXT.match(text, stop.start()))):
            value = text[start : stop.start()]
            return None if value == "null" else value, stop.start()
    raise ValueError("a value without an end")
