"""go.mod (https://go.dev/ref/mod#go-mod-file). A replaced module counts as its replacement."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from probe.inventory.document import Document
from probe.inventory.entries import Found, InventoryError, Place, Skipped
from probe.inventory.packages import client_of, fork, known

WORD = re.compile(r'"[^"]*"|`[^`]*`|[^\s()]+|[()]')
WORKSPACE = "go.work"
PRUNED = (1, 17)
"""Since this `go` line, go.mod lists the versions that are built; earlier ones list only what this module asks for."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """The right side of a `replace`: a module in a version, or a folder without one."""

    path: str
    version: str
    line: int = 0


@dataclass(slots=True)
class Module:
    """The content of a go.mod."""

    path: str = ""
    go: tuple[int, ...] = ()
    required: list[tuple[str, str, int]] = field(default_factory=list)
    """Path, version and line of each required module."""
    replaced: dict[tuple[str, str], Replacement] = field(default_factory=dict)
    """By path and version; version empty = every version."""
    uses: list[tuple[str, int]] = field(default_factory=list)
    """Folder and line of each module of a workspace (go.work)."""

    def replacement(self, path: str, version: str) -> Replacement | None:
        """Return what replaces a module in a version; None if nothing does."""
        return self.replaced.get((path, version)) or self.replaced.get((path, ""))


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that a go.mod requires. What its workspace replaces counts before its own replacements."""
    module = parse(document.text())
    workspace = _workspace(document)
    for path, version, line in module.required:
        above = workspace.replacement(path, version)
        new = above or module.replacement(path, version)
        item = client(path, version, new, place=document.at(line), service=module.path, note=_least(module))
        if isinstance(item, Found) and above is not None:
            item = replace(item, note=", ".join(filter(None, (item.note, f"by {WORKSPACE}"))))
        if item is not None:
            yield item


def client(
    path: str, version: str, new: Replacement | None, *, place: Place, service: str, note: str = ""
) -> Found | Skipped | None:
    """Return the client of a module, or of what replaces it; `note` is about the module itself."""
    if new is None:
        return client_of("golang", path, version, place=place, service=service, note=note)
    if known("golang", new.path):
        note = f"in place of {path} {version}".strip()
        return client_of("golang", new.path, new.version, place=place, service=service, note=note)
    if known("golang", path):
        return fork("golang", new.path, new.version, path, place=place, service=service)
    return client_of("golang", new.path, new.version, place=place, service=service)


def _workspace(document: Document) -> Module:
    """Return the nearest go.work of the walked folder, if it uses the module of a go.mod; else an empty one."""
    folder = PurePosixPath(document.head.name).parent
    for up in range(len(folder.parts) + 1):
        with document.beside(f"{'../' * up}{WORKSPACE}") as other:
            if other is None:
                continue
            try:
                found = parse(other.text())
            except InventoryError as error:
                raise InventoryError(f"its workspace {other.place} cannot be read: {error}") from None
            here = posixpath.dirname(other.head.name)
            used = {posixpath.normpath(posixpath.join(here, path)) for path, _ in found.uses}
            return found if str(folder) in used else Module()
    return Module()


def _least(module: Module) -> str:
    """Say that the build may have a newer version, where go.mod does not list all that is built."""
    if module.go >= PRUNED:
        return ""
    return "the least version that this module asks for: a go.mod before go 1.17 does not list what is built"


def parse(text: str) -> Module:
    """Return what a go.mod or go.work says; statements of other kinds are left out."""
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
        case ["use", path]:
            module.uses.append((path, line))
        case ["go", version]:
            module.go = tuple(int(part) for part in re.findall(r"\d{1,9}", version)[:2])
        case ["require", path, version]:
            module.required.append((path, version, line))
        case ["replace", path, "=>", *new] if new:
            module.replaced[path, ""] = Replacement(new[0], "".join(new[1:2]), line)
        case ["replace", path, version, "=>", *new] if new:
            module.replaced[path, version] = Replacement(new[0], "".join(new[1:2]), line)
        case _:
            pass
