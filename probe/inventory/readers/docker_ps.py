"""`docker ps` and `docker compose ps`, as a table and with `--format json`: the applications in containers' images."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from probe.inventory.document import Document
from probe.inventory.entries import Found, InventoryError, Skipped
from probe.inventory.host_recognition import PS_TABLE
from probe.inventory.images import in_image
from probe.inventory.shapes import table, text
from probe.model.counts import counted

ENDED = ("exited", "created", "dead", "removing")
"""States of containers that do not run, in small letters."""

Row = tuple[int, Mapping[str, str]]
"""Line, and the values of the columns IMAGE, STATUS, NAMES and SERVICE."""
SAME = {"NAME": "NAMES", "STATE": "STATUS"}
FAR = 10_000
"""A column behind the last one of a table."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the client in the image of each container that runs."""
    whole = document.text()
    ended, other = 0, set[str]()
    for line, row in _json_rows(whole) if whole.lstrip()[:1] in {"{", "["} else _table_rows(whole):
        image, status = row.get("IMAGE", ""), row.get("STATUS", "").lower()
        if status.startswith(ENDED):
            ended += 1
            continue
        found = list(in_image(image, place=document.at(line), service=row.get("SERVICE") or row.get("NAMES", "")))
        yield from found
        if not found:
            other.add(image)
    if other:
        yield Skipped(counted(len(other), "image"), "no application with a Kafka client is known to be inside")
    if ended:
        yield Skipped(counted(ended, "container"), "they do not run")


def _table_rows(whole: str) -> Iterator[Row]:
    """Yield the rows of tables whose columns begin where the words of the header do."""
    starts: dict[str, tuple[int, int]] = {}
    for number, line in enumerate(whole.splitlines(), 1):
        if re.match(PS_TABLE, line):
            words = [(one[0], one.start()) for one in re.finditer(r"\S+(?: \S+)*", line)]
            ends = [start for _, start in words[1:]] + [FAR]
            starts = {SAME.get(word, word): (start, end) for (word, start), end in zip(words, ends, strict=True)}
        elif line.strip() and starts:
            yield number, {word: line[start:end].strip() for word, (start, end) in starts.items()}


def _json_rows(whole: str) -> Iterator[Row]:
    """Yield the objects of a list, or of one line each."""
    if whole.lstrip().startswith("["):
        listed = json.loads(whole)
        rows = [(1, one) for one in listed]
    else:
        rows = [(number, _object(line, number)) for number, line in enumerate(whole.splitlines(), 1) if line.strip()]
    for number, value in rows:
        yield number, _columns(table(value))


def _object(line: str, number: int) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        raise InventoryError(f"line {number}: it is no JSON; use `docker ps --format json`") from None


def _columns(value: Mapping[str, Any]) -> dict[str, str]:
    named = {str(key).upper(): text(item) for key, item in value.items()}
    return {SAME.get(key, key): item for key, item in named.items() if key != "STATUS" or "STATE" not in named}
