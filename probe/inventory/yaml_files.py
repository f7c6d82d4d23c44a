"""YAML of files that nobody vetted: plain values only, no aliases, bounded in size and depth."""

from __future__ import annotations

from typing import Any

from probe.inventory.document import MIB, Document
from probe.inventory.found import InventoryError

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
