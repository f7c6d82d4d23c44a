"""Members of consumer groups, as `kafka-consumer-groups.sh --describe` prints them, with and without `--members`.

A client id is what the application chose. Only the ids that libraries and applications have by default are known
(`data/default_client_ids.toml`), and no version is taken from one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from probe.inventory.default_ids import client_of_id
from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.host_recognition import MEMBERS
from probe.inventory.text import one_line
from probe.model import Role
from probe.model.counts import counted

NO_VERSION = "it is known by its default client id alone, which is no proof of a version"
SENTENCE = "Consumer group '"
"""Beginnings of lines that say that a group has no members, or does not exist."""

Member = tuple[str, str, str]
"""Group, client, and its client id without the number that tells members apart."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients by their groups, with the number of members; one that reads several partitions counts once."""
    members: dict[tuple[str, str, str], int] = {}
    for number, row in _rows(document):
        if row.get("CLIENT-ID", "") not in {"", "-"}:
            members.setdefault((row.get("GROUP", ""), row.get("CONSUMER-ID", ""), row["CLIENT-ID"]), number)
    counts, first, other = Counter[Member](), dict[Member, int](), set[str]()
    for (group, _, client_id), number in members.items():
        client, shown = client_of_id(client_id, group)
        if client:
            counts[group, client, shown] += 1
            first.setdefault((group, client, shown), number)
        else:
            other.add(client_id)
    for (group, client, shown), count in counts.items():
        yield Found(
            service=one_line(group),
            package=f"{client} (client id {one_line(shown)})",
            client=client,
            unknown=NO_VERSION,
            role=Role.GROUP,
            count=count,
            place=document.at(first[group, client, shown]),
        )
    if other:
        yield Skipped(counted(len(other), "client id"), "chosen by the application, so it names no library")


def _rows(document: Document) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the rows below each header. A column is as wide as its longest value, and begins where its header does."""
    starts: dict[str, int] = {}
    for number, line in document.lines():
        if re.match(MEMBERS, line):
            starts = {word[0]: word.start() for word in re.finditer(r"\S+", line)}
        elif line.strip() and starts and not line.startswith(SENTENCE):
            words = line.split()
            yield number, dict(zip(starts, words, strict=True)) if len(words) == len(starts) else _cut(line, starts)


def _cut(line: str, starts: Mapping[str, int]) -> dict[str, str]:
    ends = [*list(starts.values())[1:], len(line)]
    return {word: line[start:end].strip() for (word, start), end in zip(starts.items(), ends, strict=True)}
