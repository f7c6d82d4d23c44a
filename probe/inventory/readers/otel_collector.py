"""Settings of the OpenTelemetry Collector, as far as they concern its Kafka exporters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from probe.inventory.document import Document
from probe.inventory.entries import Found, InventoryError, Skipped
from probe.inventory.settings import COLLECTOR, client_of_settings, flat
from probe.inventory.text import one_line
from probe.inventory.yaml_files import read_yaml


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the collector for each Kafka exporter that a pipeline uses. InventoryError if there is none."""
    found = False
    for values in read_yaml(document):
        used = _used(values)
        for name, exporter in _section(values, "exporters").items():
            if str(name).partition("/")[0] != "kafka":
                continue
            if name not in used:
                yield Skipped(f"exporter {one_line(name)}", "no pipeline uses it")
                continue
            found = True
            yield from client_of_settings(COLLECTOR, flat(exporter), document.at(f"exporter {name}"))
    if not found:
        raise InventoryError("no pipeline of it exports to Kafka")


def _section(values: Any, key: str) -> dict[Any, Any]:
    section = values.get(key) if isinstance(values, dict) else None
    return section if isinstance(section, dict) else {}


def _used(values: Any) -> set[Any]:
    """Return the exporters of all pipelines."""
    pipelines = _section(_section(values, "service"), "pipelines")
    lists = [_section(pipelines, name).get("exporters") for name in pipelines]
    return {name for one in lists if isinstance(one, list) for name in one if isinstance(name, str)}
