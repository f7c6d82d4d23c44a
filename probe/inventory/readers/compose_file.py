"""compose.yaml and docker-compose.yml: the applications in the images of services.

https://github.com/compose-spec/compose-spec/blob/main/spec.md. Of a service only its image and its number of replicas
are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.images import in_image
from probe.inventory.shapes import table, text
from probe.inventory.yaml_files import read_plain
from probe.model.counts import counted

FILLED = re.compile(r"(?P<path>[^$]*?):?(?P<tag>[^:/]*\$.*)")
"""An image whose tag the environment fills in: `telegraf:${TAG:-1.31.3}`."""

REGISTRY = re.compile(r"\$(?:\{[^}]*\}|\w+)(?=[^$]*/)")
"""A variable before the last part of an image's path, which says nothing about what is inside."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients in the images."""
    other = 0
    for values in read_plain(document):
        for name, service in table(table(values).get("services")).items():
            image = text(table(service).get("image"))
            found = list(_clients(image, name, _replicas(table(service)), document)) if image else []
            yield from found
            other += bool(image) and not found
    if other:
        yield Skipped(counted(other, "image"), "no application with a Kafka client is known to be inside")


def _clients(image: str, service: str, count: int, document: Document) -> Iterator[Found]:
    place = document.at(f"service {service}")
    image = REGISTRY.sub("registry", image)
    filled = FILLED.fullmatch(image)
    if filled is None:
        yield from in_image(image, place=place, service=service, count=count)
        return
    for item in in_image(filled["path"], place=place, service=service, count=count):
        yield replace(item, unknown="the environment fills in its tag") if not item.version else item


def _replicas(service: Mapping[str, Any]) -> int:
    wanted = text(table(service.get("deploy")).get("replicas")) or text(service.get("scale"))
    return int(wanted) if wanted.isdecimal() and len(wanted) < 7 else 1
