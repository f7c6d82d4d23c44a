"""go.mod (https://go.dev/ref/mod#go-mod-file). A replaced module counts as its replacement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from probe.inventory.document import Document
from probe.inventory.found import Found, Place, Skipped
from probe.inventory.packages import client_of, fork, known

WORD = re.compile(r'"[^"]*"|`[^`]*`|[^\s()]+|[()]')
PRUNED = (1, 17)
"""Since this `go` line, go.mod lists the versions that are built; earlier ones list only what this module asks for."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """The right side of a `replace`: a module in a version, or a folder without one."""

    path: str
    version: str


@dataclass(slots=True)
class Module:
    """What a go.mod says."""

    path: str = ""
    go: tuple[int, ...] = ()
    required: list[tuple[str, str, int]] = field(default_factory=list)
    """Path, version and line of each required module."""
    replaced: dict[tuple[str, str], Replacement] = field(default_factory=dict)
    """By path and version; version empty = every version."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that a go.mod requires."""
    module = parse(document.text())
    for path, version, line in module.required:
        item = _client(module, path, version, document.at(line))
        if item is not None:
            yield item


def _client(module: Module, path: str, version: str, place: Place) -> Found | Skipped | None:
    new = module.replaced.get((path, version)) or module.replaced.get((path, ""))
    if new is None:
        return client_of("golang", path, version, place=place, service=module.path, note=_least(module))
    if known("golang", new.path):
        note = f"in place of {path} {version}"
        return client_of("golang", new.path, new.version, place=place, service=module.path, note=note)
    if known("golang", path):
        return fork("golang", new.path, new.version, path, place=place, service=module.path)
    return client_of("golang", new.path, new.version, place=place, service=module.path)


def _least(module: Module) -> str:
    """Say that the build may have a newer version, where go.mod does not list all that is built."""
    if module.go >= PRUNED:
        return ""
    return "the least version that this module asks for: a go.mod before go 1.17 does not list what is built"


def parse(text: str) -> Module:
    """Return what a go.mod says; statements of other kinds are left out."""
    module, block = Module(), ""
    for number, line in enumerate(text.splitlines(), 1):
        words = [word.strip('"`') for word in WORD.findall(line.split("//")[0])]
        if not words:
            continue
        if words[0] == ")":
            block = ""
        elif words[1:2] == ["("]:
            block = words[0]
        else:
            _statement(module, [block, *words] if block else words, number)
    return module


def _statement(module: Module, words: list[str], line: int) -> None:
    match words:
        case ["module", path]:
            module.path = path
        case ["go", version]:
            module.go = tuple(int(part) for part in re.findall(r"\d{1,9}", version)[:2])
        case ["require", path, version]:
            module.required.append((path, version, line))
        case ["replace", path, "=>", *new] if new:
            module.replaced[path, ""] = Replacement(new[0], "".join(new[1:2]))
        case ["replace", path, version, "=>", *new] if new:
            module.replaced[path, version] = Replacement(new[0], "".join(new[1:2]))
        case _:
            pass
