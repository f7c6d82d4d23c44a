"""Objects of Kubernetes in YAML, one or several to a file: manifests, `helm template`, `kubectl get -o yaml`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.readers.kubernetes import of_objects
from probe.inventory.yaml_files import read_plain


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients in the images, with the number of replicas. InventoryError if nothing has containers."""
    objects: list[Any] = []
    for values in read_plain(document):
        items = values.get("items") if isinstance(values, dict) else None
        objects += items if isinstance(items, list) else [values]
    yield from of_objects(objects, document)
