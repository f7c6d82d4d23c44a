"""Settings of Telegraf, as far as they concern its Kafka plugins."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, InventoryError, Skipped
from probe.inventory.settings import TELEGRAF_INPUT, TELEGRAF_OUTPUT, Application, client_of_settings, flat

PLUGINS: tuple[tuple[str, str, Application], ...] = (
    ("outputs", "kafka", TELEGRAF_OUTPUT),
    ("inputs", "kafka_consumer", TELEGRAF_INPUT),
)


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the agent for each Kafka plugin. InventoryError if there is none."""
    try:
        values = tomllib.loads(document.text(MIB))
    except tomllib.TOMLDecodeError:
        raise InventoryError("it is no TOML as it stands; fill in its variables, or correct the file") from None
    found = False
    for kind, name, application in PLUGINS:
        for number, plugin in enumerate(_tables(values, kind, name), 1):
            found = True
            yield from client_of_settings(application, flat(plugin), document.at(f"[[{kind}.{name}]] {number}"))
    if not found:
        raise InventoryError("none of its plugins is Kafka's")


def _tables(values: dict[str, Any], kind: str, name: str) -> list[Any]:
    section = values.get(kind)
    tables = section.get(name) if isinstance(section, dict) else None
    return tables if isinstance(tables, list) else []
