"""Files, folders and standard input are opened, recognised and read; what cannot be read is one line each."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from probe.inventory.application_versions import with_settings
from probe.inventory.document import HEAD, Document, Head, Neighbour, head_of, nothing_beside
from probe.inventory.entries import STANDARD_INPUT, FileContent, Found, InventoryError, Skipped
from probe.inventory.formats import QUIET, TOGETHER, recognised
from probe.inventory.gzip_files import MAGIC, unpacked
from probe.inventory.manifests import unread_manifests
from probe.inventory.relations import of_one_project, relate, relate_files
from probe.inventory.text import one_line
from probe.inventory.walk import NAMED, Bounds, LeftOut, is_plain, neighbour, open_regular, unreadable, walk
from probe.model.counts import counted

STDIN = "-"
MOST = 100_000
"""Entries of one file that are read."""
SAID = 20
"""Entries that were skipped of one file and are named."""
UNREADABLE = (InventoryError, ValueError, csv.Error, OSError, EOFError)
"""Errors of readers for a broken file. ValueError includes wrong JSON, TOML, XML entities and archives."""


def read_inventories(paths: Iterable[str], bounds: Bounds | None = None) -> list[FileContent]:
    """Return what each file holds, in the order in which files are named and met."""
    return with_settings(_each(paths, bounds))


def _each(paths: Iterable[str], bounds: Bounds | None) -> Iterator[FileContent]:
    for path in dict.fromkeys(paths):
        if path == STDIN:
            yield _standard_input()
        elif Path(path).is_dir() and (problem := unreadable(Path(path))):
            yield FileContent(place=one_line(path), problem=problem)
        elif Path(path).is_dir():
            yield from _folder(Path(path), bounds or Bounds())
        else:
            yield _file(Path(path), Path(path).name, nothing_beside, named=True)


def _standard_input() -> FileContent:
    if sys.stdin is None:  # the program was started with it closed
        return FileContent(place=STANDARD_INPUT, problem="it is closed; pipe a text into the command, or name a file")
    return read_stream(STANDARD_INPUT, STDIN, sys.stdin.buffer, named=True)


def _folder(root: Path, bounds: Bounds) -> Iterator[FileContent]:
    left_out, other, together, empty, read = LeftOut(), list[str](), [], Counter[str](), set[str]()
    for name in walk(root, left_out, bounds):
        reading = _file(root / name, name, _inside(root, name), named=False)
        read |= {name} if reading.taken_for else set()
        if _goes_without_saying(reading):
            empty[reading.taken_for] += 1
        elif reading.taken_for in TOGETHER:
            together.append(reading)
        elif reading.taken_for:
            yield reading
        elif reading.problem:
            left_out.add(reading.problem, name)
        else:
            other.append(name)
    yield from relate_files(together)
    unread = tuple(one_line(name) for name in unread_manifests(other, read))
    skipped = (*left_out.all(), *_empty(empty), *_manifests(unread), *_others(len(other) - len(unread)))
    yield FileContent(place=one_line(root), skipped=skipped, unread=unread, named=False)


def _goes_without_saying(reading: FileContent) -> bool:
    """Return whether a file has no client and is of a format of which most files have none."""
    return reading.taken_for in QUIET and not (reading.found or reading.skipped or reading.problem)


def _empty(counts: Mapping[str, int]) -> Iterator[Skipped]:
    for title, count in counts.items():
        yield Skipped(f"{title}, {counted(count, 'file')}", "no Kafka client in them")


def _manifests(names: Sequence[str]) -> Iterator[Skipped]:
    if names:
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        what = (
            "1 file that looks like a manifest" if len(names) == 1 else f"{len(names)} files that look like manifests"
        )
        yield Skipped(
            what,
            f"not read: {', '.join(names[:NAMED])}{more}; their lock files may be: docs/audit.md",
        )


def _others(count: int) -> Iterator[Skipped]:
    if count:
        yield Skipped(f"{count} {'file' if count == 1 else 'files'}", "no format of an inventory")


def _inside(root: Path, name: str) -> Neighbour:
    def get(relative: str) -> Document | None:
        other = neighbour(name, relative)
        if not other or not is_plain(root, other) or not (root / other).is_file():
            return None
        stream = open_regular(root / other, follow=False)
        return Document(one_line(root / other), head_of(other, stream.read(HEAD)), stream, _inside(root, other))

    return get


def _file(path: Path, name: str, beside: Neighbour, *, named: bool) -> FileContent:
    place = one_line(path)
    try:
        with open_regular(path, follow=named) as stream:
            return read_stream(place, name, stream, beside, named=named)
    except OSError as error:
        return FileContent(place=place, problem=f"{error.strerror or error}; name a file that can be read", named=named)
    except InventoryError as error:
        return FileContent(place=place, problem=str(error), named=named)


def read_stream(
    place: str, name: str, stream: BinaryIO, beside: Neighbour = nothing_beside, *, named: bool
) -> FileContent:
    """Return what a stream holds. `name` is its path below a walked folder, its file name, or `-`."""
    reading = FileContent(place=place, named=named)
    try:
        head, stream = _opened(name, stream)
        known = recognised(head, walked=not named)
        if known is None:
            return replace(reading, problem=_unknown(head.data)) if named else reading
        reading = replace(reading, taken_for=known.title)
        items = list(islice(known.read(Document(place, head, stream, beside)), MOST))
    except RecursionError:
        return replace(reading, problem="its values are nested too deeply; correct the file")
    except UNREADABLE as error:
        return replace(reading, problem=_reason(error))
    found = [item for item in items if isinstance(item, Found)]
    if known.project:
        found = of_one_project(found, _folder_name(place, name))
    kept, dropped = relate(found)
    skipped = [item for item in items if isinstance(item, Skipped)]
    return replace(reading, found=kept, skipped=_few([*dict.fromkeys(skipped), *dropped, *_cut(items)]))


def _cut(items: Sequence[Found | Skipped]) -> Iterator[Skipped]:
    if len(items) == MOST:
        yield Skipped("what follows", f"of one file at most {MOST} entries are read; split it")


def _few(skipped: Sequence[Skipped]) -> tuple[Skipped, ...]:
    """Return the first ones, and the number of the others."""
    if len(skipped) <= SAID:
        return tuple(skipped)
    return *skipped[: SAID - 1], Skipped(f"{len(skipped) - SAID + 1} more", "for such reasons")


def _opened(name: str, stream: BinaryIO) -> tuple[Head, BinaryIO]:
    """Return the head of a file and its stream, unpacked if it is packed with gzip."""
    data = stream.read(HEAD)
    if not data.startswith(MAGIC):
        return head_of(name, data), stream
    plain = unpacked(data, stream)
    return head_of(name.removesuffix(".gz"), plain.read(HEAD)), plain


def _folder_name(place: str, name: str) -> str:
    """Return the name of the folder that a file is in; empty for standard input."""
    return "" if name == STDIN else one_line(Path(place).resolve().parent.name)


def _unknown(head: bytes) -> str:
    if not head.strip():
        return "it is empty; name a file that lists clients"
    return "no format of an inventory is known that looks like this (docs/audit.md); `probe lookup` takes one client"


def _reason(error: Exception) -> str:
    text = one_line(error.strerror or error) if isinstance(error, OSError) else one_line(error)
    return text if isinstance(error, InventoryError) else f"{text or 'it ends too early'}; correct the file"
