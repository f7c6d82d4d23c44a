"""Output of `go version -m PROGRAM...`: the modules that are in a program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Place, Skipped
from probe.inventory.packages import client_of, fork, known

LONGEST = 5_000
"""Characters of a line that are read."""
PROGRAM = re.compile(r"(\S.*): (?:go\d|devel)\S*.*")


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients in each program."""
    return clients((document.at(number), line) for number, line in document.lines())


def clients(lines: Iterable[tuple[Place, str]]) -> Iterator[Found | Skipped]:
    """Yield the clients in each program; every line comes with its place.

    A module that was replaced stands as `dep` above its replacement, `=>`. Of the version above no byte is in the
    program.
    """
    program, held = "", None
    for place, line in lines:
        words = line.strip().split("\t")
        if held is not None and words[0] != "=>":
            yield from _client(*held, program)
            held = None
        if found := PROGRAM.fullmatch(line[:LONGEST]):
            program = found[1].rpartition("/")[2]
        elif words[0] == "dep" and len(words) > 1:
            held = (words[1], "".join(words[2:3]), place)
        elif words[0] == "=>" and held is not None and len(words) > 1:
            yield from _replaced(held, words[1], "".join(words[2:3]), program, place)
            held = None
    if held is not None:
        yield from _client(*held, program)


def _client(path: str, version: str, place: Place, program: str, note: str = "") -> Iterator[Found | Skipped]:
    item = client_of("golang", path, version, place=place, service=program, note=note)
    if item is not None:
        yield item


def _replaced(
    old: tuple[str, str, Place], path: str, version: str, program: str, place: Place
) -> Iterator[Found | Skipped]:
    if known("golang", path) or not known("golang", old[0]):
        yield from _client(path, version, place, program, f"in place of {old[0]} {old[1]}")
    else:
        yield fork("golang", path, version.replace("(devel)", ""), old[0], place=place, service=program)
