"""Several files of one kind, read as one in time order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush, heapreplace
from typing import Any, TypeVar

from probe.diagnose.input.files import InputFile

Item = TypeVar("Item", bound=tuple[Any, ...])
"""The first member is a time."""


class Beginning:
    """The first bytes of a file, read like a file."""

    def __init__(self, file: InputFile) -> None:
        self.name, self.format, self.damage = file.name, file.format, ""
        self._left = file.head

    def read(self, count: int) -> bytes:
        """Return at most this number of bytes, none at the end."""
        data, self._left = self._left[:count], self._left[count:]
        return data


Readable = InputFile | Beginning
Read = Callable[[Readable], Iterator[Item]]
"""Yields what a file holds, in about the order of time."""


def merged(files: Sequence[InputFile], read: Read[Item]) -> Iterator[Item]:
    """Yield what all files hold. A file is opened when its time comes, so rotated files are open one by one."""
    if len(files) == 1:
        yield from read(files[0])
        return
    first = {id(file): next(read(Beginning(file)), (0,))[0] for file in files}
    waiting = sorted(files, key=lambda file: first[id(file)], reverse=True)
    open_files: list[tuple[Any, int, Item, Iterator[Item]]] = []
    while waiting or open_files:
        while waiting and (not open_files or first[id(waiting[-1])] <= open_files[0][0]):
            items = read(waiting.pop())
            if (item := next(items, None)) is not None:
                heappush(open_files, (item[0], len(waiting), item, items))
        if open_files:
            _, number, item, items = open_files[0]
            yield item
            if (item := next(items, None)) is not None:
                heapreplace(open_files, (item[0], number, item, items))
            else:
                heappop(open_files)
