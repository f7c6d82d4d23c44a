"""Every release of a package that a registry serves, with its date and whether it was withdrawn.

Each function asks one registry through its ordinary client. A date is empty where the registry tells none: Maven's
metadata has none, and a mirror of npm may have those of its own copies.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from probe.errors import ProvisionError
from probe.model.versions import version_key
from probe.toolchain import cargo, maven_registry, npm, pip
from probe.toolchain.commands import run_command
from probe.toolchain.golang import complaint, go
from probe.toolchain.tools import find_tool

RELEASE = re.compile(r"\d+(\.\d+){1,3}(\.(RELEASE|Final))?")
"""A release; milestones, candidates and development versions have other forms."""
PATCHES = 10
"""Patch numbers from 0 that are asked for in each minor line of a Go module."""
BEYOND = 3
"""Patch numbers that are asked for beyond the greatest one that the registry lists in a line."""
NEXT = 2
"""Minor lines that are asked for beyond the last known one."""
BATCH = 60
"""Versions of a Go module in one question."""
LOCK_S = 60
LOCKED = """[project]
name = "one"
version = "0"
requires-python = ">=3.11"
dependencies = ["{name}=={version}"]
[tool.uv]
package = false
[[tool.uv.dependency-metadata]]
name = "{name}"
version = "{version}"
requires-dist = []
"""
"""A project that depends on one release, none of whose dependencies or build code is asked for."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release as its registry has it."""

    version: str
    released: str = ""
    """ISO date; empty = the registry tells none."""
    withdrawn: str = ""
    """`retracted`, `yanked` or `deprecated`, with the registry's reason; empty = it is not."""


def of_registry(kind: str, name: str, oldest: str, known: Sequence[str] = ()) -> list[Release]:
    """Return the releases of a package from a version on, ascending.

    `kind` is that of a client's source (`module`, `wheel`, `jar`, `npm`, `crate`); `known` are releases that exist,
    which tell how far the numbers of a Go module go. ProvisionError if the registry does
    not answer.
    """
    found = [one for one in LISTS[kind](name, oldest, known) if RELEASE.fullmatch(one.version)]
    return sorted((one for one in found if _since(one.version, oldest)), key=lambda one: version_key(one.version))


def _since(version: str, oldest: str) -> bool:
    return version_key(version) >= version_key(oldest)


def of_module(name: str, oldest: str, known: Sequence[str]) -> Iterator[Release]:
    """Yield the releases of a Go module: what the proxy lists, and what it serves by exact number only."""
    listed = [*_listed(name), *known]
    asked = sorted({*listed, *numbers([*listed, oldest], oldest)}, key=version_key)
    for wanted in (asked[place : place + BATCH] for place in range(0, len(asked), BATCH)):
        done = go("list", "-mod=mod", "-m", "-e", "-retracted", "-json", *(f"{name}@v{one}" for one in wanted))
        if done.returncode and not done.stdout:
            raise ProvisionError(f"{name}: {complaint(done)}")
        for one in _objects(done.stdout):
            if "Error" not in one:
                yield Release(one["Version"].removeprefix("v"), one.get("Time", "")[:10], _retracted(one))


def _listed(name: str) -> list[str]:
    done = go("list", "-mod=mod", "-m", "-retracted", "-versions", "-json", name)
    if done.returncode:
        return []  # some modules are served by exact number only
    return [one.removeprefix("v") for one in json.loads(done.stdout).get("Versions", ())]


def numbers(known: Iterable[str], oldest: str) -> list[str]:
    """Return the release numbers that may exist beside known ones, of the same major version, from the oldest on.

    >>> numbers(["1.1.0", "1.0.12"], "1.0.9")[:8]
    ['1.0.9', '1.0.10', '1.0.11', '1.0.12', '1.0.13', '1.0.14', '1.0.15', '1.1.0']
    """
    parts = [tuple(map(int, one.split("."))) for one in known if re.fullmatch(r"\d+\.\d+\.\d+", one)]
    first = tuple(map(int, oldest.split(".")))
    found = []
    for major in sorted({one[0] for one in parts}):
        lines = [one[1] for one in parts if one[0] == major]
        for minor in range(first[1] if major == first[0] else 0, max(lines) + 1 + NEXT):
            last = max((one[2] for one in parts if one[:2] == (major, minor)), default=-1)
            found += [(major, minor, patch) for patch in range(max(PATCHES, last + BEYOND + 1))]
    return [".".join(map(str, one)) for one in found if one >= first]


def _objects(text: str) -> Iterator[Mapping[str, str]]:
    """Yield the JSON objects that stand one after the other in a text."""
    decoder, place = json.JSONDecoder(), 0
    while (rest := text[place:].lstrip()) and (start := len(text) - len(rest)) < len(text):
        found, place = decoder.raw_decode(text, start)
        yield found


def _retracted(one: Mapping[str, object]) -> str:
    reasons = one.get("Retracted")
    return f"retracted: {'; '.join(map(str, reasons))}" if isinstance(reasons, list) else ""


def of_wheel(name: str, oldest: str, _: Sequence[str]) -> Iterator[Release]:
    """Yield the releases of a Python package; dates as uv locks them, and its warning of a yanked one."""
    for version in _python_versions(name):
        if RELEASE.fullmatch(version) and _since(version, oldest):
            yield _locked(name, version)


def _python_versions(name: str) -> list[str]:
    done = run_command([*pip.command(), "index", "versions", name, *pip.QUIET], pip.DEADLINE_S)
    found = re.search(r"^Available versions: (.*)$", done.stdout, re.MULTILINE)
    if done.returncode or not found:
        raise ProvisionError(f"{name}: pip did not list its versions")
    return found[1].split(", ")


def _locked(name: str, version: str) -> Release:
    with tempfile.TemporaryDirectory(prefix="lock-") as scratch:
        (Path(scratch) / "pyproject.toml").write_text(LOCKED.format(name=name, version=version))
        done = run_command([str(find_tool("uv")), "lock"], LOCK_S, cwd=scratch)
        lock = Path(scratch) / "uv.lock"
        times = re.findall(r'upload-time = "([^"]+)"', lock.read_text()) if lock.is_file() else []
    yanked = re.search(r"is yanked(?: \(reason: \"(.*)\"\))?", done.stderr)
    return Release(version, min(times, default="")[:10], f"yanked: {yanked[1] or 'no reason'}" if yanked else "")


def of_npm(name: str, oldest: str, _: Sequence[str]) -> Iterator[Release]:
    """Yield the releases of an npm package, and which of them are deprecated."""
    why = _deprecated(name)
    for version in npm.versions(name):
        if RELEASE.fullmatch(version) and _since(version, oldest):
            yield Release(version, "", f"deprecated: {why[version]}" if why.get(version) else "")


def _deprecated(name: str) -> dict[str, str]:
    told = npm.view(f"{name}@>=0", "version", "deprecated")
    rows = told if isinstance(told, list) else [told]
    return {one["version"]: one.get("deprecated", "") for one in rows if isinstance(one, dict)}


def of_jar(name: str, _: str, __: Sequence[str]) -> Iterator[Release]:
    """Yield the releases of a Maven artifact."""
    yield from (Release(one) for one in maven_registry.versions(*name.split(":")))


def of_crate(name: str, _: str, __: Sequence[str]) -> Iterator[Release]:
    """Yield the releases of a crate, from the index that cargo fetches."""
    with tempfile.TemporaryDirectory(prefix="cargo-home-") as home:
        cargo.fetch_index(name, {**os.environ, "CARGO_HOME": home})
        text = "".join(path.read_bytes().decode(errors="replace") for path in Path(home).rglob(f".cache/**/{name}"))
    for row in re.findall(r"\{\"name\".*?\}(?=\x00|$)", text, re.DOTALL):
        one = json.loads(row)
        yield Release(one["vers"], one.get("pubtime", "")[:10], "yanked: no reason" if one["yanked"] else "")


LISTS: Mapping[str, Callable[[str, str, Sequence[str]], Iterator[Release]]] = {
    "module": of_module,
    "wheel": of_wheel,
    "npm": of_npm,
    "jar": of_jar,
    "crate": of_crate,
}
"""The registry of each kind of source."""


def dated(found: Sequence[Release], known: Mapping[str, str]) -> list[Release]:
    """Return releases with the dates that are known of them from elsewhere, where the registry tells none."""
    return [Release(one.version, one.released or known.get(one.version, ""), one.withdrawn) for one in found]
