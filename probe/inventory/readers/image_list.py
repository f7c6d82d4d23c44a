"""A list of container images: one or more names per line, or the table of `docker images` and the like."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.host_recognition import IMAGE_TABLE
from probe.inventory.images import in_image, is_image
from probe.model.counts import counted


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients in each image, with the number of times that it is named."""
    names, first, odd = Counter[str](), dict[str, int](), 0
    is_table = False
    for number, line in document.lines():
        if re.match(IMAGE_TABLE, line):
            is_table = True
            continue
        words = line.strip().removeprefix("- ").split()
        for name in [":".join(words[:2])] if is_table else words:
            if is_image(name):
                names[name] += 1
                first.setdefault(name, number)
            else:
                odd += not line.startswith("#")
    yield from _clients(names, first, document)
    if odd:
        yield Skipped(counted(odd, "word"), "no name of an image with a tag")


def _clients(names: Counter[str], first: dict[str, int], document: Document) -> Iterator[Found | Skipped]:
    other = 0
    for name, count in names.items():
        found = list(in_image(name, place=document.at(first[name]), count=count))
        yield from found
        other += not found
    if other:
        yield Skipped(counted(other, "image"), "no application with a Kafka client is known to be inside")
