"""Tables that are read when they are first looked into: many commands name one client and need nothing of others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from probe.model.lazy_attribute import lazy

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


class LateEntries(Mapping[K, V]):
    """A mapping with known keys whose values are read one by one. What reading one raises, its first look raises."""

    def __init__(self, keys: Iterable[K], read: Callable[[K], V]) -> None:
        self._keys = dict.fromkeys(keys)
        self._read = read
        self._found: dict[K, V] = {}

    def __getitem__(self, key: K) -> V:
        if key not in self._found:
            if key not in self._keys:
                raise KeyError(key)
            self._found[key] = self._read(key)
        return self._found[key]

    def __contains__(self, key: object) -> bool:
        return key in self._keys  # Mapping's own way reads the value

    def __iter__(self) -> Iterator[K]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)
