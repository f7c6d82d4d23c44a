"""Settings of Filebeat and the other Beats, as far as they concern the Kafka output."""

from __future__ import annotations

from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, InventoryError, Skipped
from probe.inventory.settings import FILEBEAT, client_of_settings, flat
from probe.inventory.yaml_files import read_yaml

OUTPUT = "output.kafka"


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the Beat. InventoryError if its output is not Kafka."""
    values = {key: value for part in read_yaml(document) for key, value in flat(part).items()}
    output = {key.removeprefix(f"{OUTPUT}."): value for key, value in values.items() if key.startswith(f"{OUTPUT}.")}
    if not output or output.get("enabled") is False:
        raise InventoryError("its output is not Kafka")
    yield from client_of_settings(FILEBEAT, output, document.at())
