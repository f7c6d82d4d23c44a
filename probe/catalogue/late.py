"""A table that is read when it is first looked into: many commands name a client and need no other table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from probe.model.lazy import lazy

K = TypeVar("K")
V = TypeVar("V")


class LateMapping(Mapping[K, V]):
    """The mapping that a function returns, which is called once. What it raises, the first look raises."""

    def __init__(self, read: Callable[[], Mapping[K, V]]) -> None:
        self._read = read

    @lazy
    def _found(self) -> Mapping[K, V]:
        return self._read()

    def __getitem__(self, key: K) -> V:
        return self._found[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
