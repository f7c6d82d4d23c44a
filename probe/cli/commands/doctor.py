"""`probe doctor`: installed and missing tools, the engines that can run, and how to get the rest."""

from __future__ import annotations

import importlib.util
import platform
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from probe.catalogue.families import Family
from probe.cli.console.streams import OUT
from probe.cli.laboratory import absent_packages
from probe.cli.wiring.catalogue import families, is_installed
from probe.drivers.sources.npm import node_of
from probe.drivers.sources.npm_native import compiler_of
from probe.engines.kafka.disks.choice import choose
from probe.errors import GateError
from probe.toolchain.tools import BROWSERS, ToolError, cache_root, find_tool


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    name: str
    good: bool
    text: str
    needed: bool = True


REAL = ("java", "confluent-kafka", "kazoo")
"""Requirements of real brokers."""


def doctor() -> None:
    """Check that everything needed is installed; exit code 1 if the embedded engine cannot run."""
    found = [*_tools(), *_packages(), *_clients()]
    for item in found:
        sign = "ok      " if item.good else ("MISSING " if item.needed else "absent  ")
        OUT.print(f"{sign} {item.name}: {item.text}", markup=False)
    missing = [item.name for item in found if item.needed and not item.good]
    if missing:
        raise GateError(f"missing: {', '.join(missing)}; `python3 run.py setup` in a checkout installs them")
    absent = [item.name for item in found if item.name in REAL and not item.good]
    real = f"cannot yet: {', '.join(absent)} missing, see above" if absent else "can, too"
    OUT.print(f"the embedded engine can run; real brokers (--engine kafka) {real}", markup=False)


def _tools() -> Iterator[Finding]:
    yield Finding("python", True, platform.python_version())
    yield Finding("cache", True, f"{cache_root()}, {shutil.disk_usage(cache_root()).free >> 30} GiB free")
    for name in ("go", "java"):
        yield _tool(name, partial(_path, name), needed=True)
    for name in ("node", "npm", "cargo", "gcc", "make"):
        yield _tool(name, partial(_path, name), needed=False)
    yield _tool("browser", _browser, needed=False)


def _path(name: str) -> str:
    return str(find_tool(name))


def _browser() -> str:
    for name in BROWSERS:
        try:
            return str(find_tool(name))
        except ToolError:
            continue
    raise ToolError("not found; only the tests of the site need it, and `python3 run.py test` installs it")


def _tool(name: str, find: Callable[[], str], *, needed: bool) -> Finding:
    try:
        return Finding(name, True, find(), needed)
    except ToolError as error:
        return Finding(name, False, str(error), needed)


def _packages() -> Iterator[Finding]:
    absent = absent_packages()
    text = f"not installed, {', '.join(absent)} missing; look-ups do without it" if absent else "installed"
    yield Finding("laboratory", not absent, text)
    for name, module in (("pyspark", "pyspark"), *zip(REAL[1:], ("confluent_kafka", "kazoo"), strict=True)):
        there = importlib.util.find_spec(module) is not None
        needed = name not in REAL
        yield Finding(name, there, "installed" if there else "run `python3 run.py setup`", needed)
    yield _tool("disk faults on real brokers", lambda: f"by `{choose().name}`", needed=False)


def _clients() -> Iterator[Finding]:
    for family in families().values():
        yield Finding(family.family, True, _installed(family), needed=False)
        if family.source.nodes and (text := node_of(family)):
            yield Finding(f"node for {family.family}", " is missing: " not in text, text, needed=False)
        if family.source.build:
            yield Finding(f"compiler for {family.family}", *compiler_of(family), needed=False)


def _installed(family: Family) -> str:
    there = [item.version for item in family.versions if is_installed(family, item)]
    rest = len(family.versions) - len(there)
    return f"{len(there)} of {len(family.versions)} listed versions are in the cache" + (
        "; the others are downloaded when a run needs them" if rest else ""
    )
