"""YAML of files that nobody vetted: plain values only, no aliases, bounded in size and depth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from probe.inventory.document import MIB, Document
from probe.inventory.entries import InventoryError

LARGEST = MIB
DEPTH = 50


def read_yaml(document: Document) -> list[Any]:
    """Return the documents of a YAML file. InventoryError if it is broken, too large, too deep or has aliases.

    An alias is refused as such: a few lines of them stand for any number of values.
    """
    import yaml  # noqa: PLC0415  # loaded for these formats only

    text = document.text(LARGEST)
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check(yaml.parse(text, Loader=loader), yaml)
        return list(yaml.load_all(text, Loader=loader))  # it is one of the safe loaders
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark is not None else ""
        raise InventoryError(f"{line}it is no YAML; correct the file") from None


def _check(events: Any, yaml: Any) -> None:
    depth = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            raise InventoryError(
                f"line {event.start_mark.line + 1}: it has an alias, which is not read; write the value"
            )
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH:
            raise InventoryError("its values are nested too deeply; correct the file")


def read_plain(document: Document) -> list[Any]:
    """Return the documents of a YAML file whose values are all text; an alias is None, so that it costs nothing.

    InventoryError if it is broken, too large or too deep, or a template that is not filled in.
    """
    import yaml  # noqa: PLC0415  # loaded for these formats only

    text = document.text(LARGEST)
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        events = iter(list(yaml.parse(text, Loader=loader)))
    except yaml.YAMLError as error:
        if "{{" in text:
            raise InventoryError("it is a template; name what `helm template` makes of it") from None
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark is not None else ""
        raise InventoryError(f"{line}it is no YAML; correct the file") from None
    return [_value(next(events), events, yaml, 0) for one in events if isinstance(one, yaml.DocumentStartEvent)]


def _value(event: Any, events: Iterator[Any], yaml: Any, depth: int) -> Any:
    """Return the value that begins with an event."""
    if depth > DEPTH:
        raise InventoryError("its values are nested too deeply; correct the file")
    if isinstance(event, yaml.ScalarEvent):
        return event.value
    if isinstance(event, yaml.SequenceStartEvent):
        return [_value(one, events, yaml, depth + 1) for one in _until(events, yaml.SequenceEndEvent)]
    found: dict[str, Any] = {}
    if isinstance(event, yaml.MappingStartEvent):
        for one in _until(events, yaml.MappingEndEvent):
            key = _value(one, events, yaml, depth + 1)
            value = _value(next(events), events, yaml, depth + 1)
            if isinstance(key, str):
                found[key] = value
        return found
    return None


def _until(events: Iterator[Any], end: type) -> Iterator[Any]:
    return iter(takewhile(lambda one: not isinstance(one, end), events))
