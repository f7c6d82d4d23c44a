"""`kubectl get pods -o json` and the same of deployments and the like: the applications in their images.

Of an object only the keys that are named here are looked at, so that no variable, argument or annotation is shown.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from probe.inventory.document import Document
from probe.inventory.entries import Found, InventoryError, Skipped
from probe.inventory.images import in_image
from probe.inventory.shapes import text
from probe.inventory.text import one_line
from probe.model.counts import counted

ENDED = frozenset({"Succeeded", "Failed"})
"""Phases of pods that run no more."""
STRIMZI = "strimzi.io/kind"
"""Label by which Strimzi tells brokers from Kafka Connect, which run from one image."""
CONTAINERS = ("initContainers", "containers", "ephemeralContainers")

LONGEST_COUNT = 7
"""Digits of what is no number of replicas any more."""

Used = tuple[str, str]
"""Name of the service and of the image."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients in the images, with the number of pods. InventoryError if nothing has containers."""
    yield from of_objects(_items(json.loads(document.text())), document)


def of_objects(objects: Iterable[Any], document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients in the images of objects. InventoryError if none has containers."""
    counts, ended, seen = Counter[Used](), 0, False
    for item in objects:
        specification = _containers_of(item)
        if not specification:
            continue
        seen = True
        if _text(item, "status", "phase") in ENDED:
            ended += 1
            continue
        for image in _images(item, specification):
            counts[_service(item), image] += _replicas(item)
    if not seen:
        raise InventoryError("it lists no pod and nothing else with containers; use `kubectl get pods -o json`")
    yield from _clients(counts, document)
    if ended:
        yield Skipped(counted(ended, "pod"), "they have ended")


def _clients(counts: Counter[Used], document: Document) -> Iterator[Found | Skipped]:
    other = set()
    for (service, image), count in counts.items():
        found = list(in_image(image, place=document.at(service), service=service, count=count)) if count else []
        yield from found
        if not found:
            other.add(image)
    if other:
        yield Skipped(counted(len(other), "image"), "no application with a Kafka client is known to be inside")


def _items(values: Any) -> list[Any]:
    items = values.get("items") if isinstance(values, dict) else None
    return items if isinstance(items, list) else [values]


def _at(value: Any, *keys: str) -> Any:
    """Return what stands below keys; None if one is missing or no object."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: Any, *keys: str) -> str:
    found = _at(value, *keys)
    return found if isinstance(found, str) else ""


def _containers_of(item: Any) -> Any:
    """Return the part of an object that lists containers: of a pod, of what makes pods, or of a cron job."""
    paths = (("spec",), ("spec", "template", "spec"), ("spec", "jobTemplate", "spec", "template", "spec"))
    return next((found for path in paths if _at(found := _at(item, *path), "containers")), None)


def _images(item: Any, specification: Any) -> Iterator[str]:
    if _text(item, "metadata", "labels", STRIMZI) == "Kafka":
        return
    for kind in CONTAINERS:
        containers = _at(specification, kind)
        for container in containers if isinstance(containers, list) else ():
            if image := _text(container, "image"):
                yield image


def _service(item: Any) -> str:
    """Return namespace and name of what owns a pod, or of the object itself."""
    owners = _at(item, "metadata", "ownerReferences")
    owner = _text(owners[0], "name") if isinstance(owners, list) and owners else ""
    generation = _text(item, "metadata", "labels", "pod-template-hash")
    if owner and generation:
        owner = owner.removesuffix(f"-{generation}")
    name = owner or _text(item, "metadata", "name")
    return one_line("/".join(filter(None, (_text(item, "metadata", "namespace"), name))))


def _replicas(item: Any) -> int:
    wanted = text(_at(item, "spec", "replicas"))
    return int(wanted) if wanted.isdecimal() and len(wanted) < LONGEST_COUNT else 1
