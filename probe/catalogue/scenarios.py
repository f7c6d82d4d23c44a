"""All scenarios by name: one per module of `probe.scenarios`, and the generated families."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from types import ModuleType

import probe.scenarios
from probe.errors import CatalogueError
from probe.model import CONTROL, control_first
from probe.model.hints import did_you_mean
from probe.protocol.names import error_name
from probe.scenarios import closings, second_starts
from probe.scenarios.scenario import Scenario

CORE = (CONTROL, "disk/storage-error", "leader/elected", "net/reset")
"""Scenarios of `probe` without arguments."""
CORE_FAULTS = tuple(name for name in CORE if name != CONTROL)
RUN_BY_PATTERN = 137
"""Number of scenarios that `--scenario '*'` runs. A test counts them: loading all takes longer than a look-up."""
INCIDENTS = "incident/"
"""Beginning of the names of scenarios that repeat an incident."""

SECOND_STARTS = ("cluster/outage", "disk/storage-error")
"""Scenarios with a `start-during/` in the default catalogue; that of any other scenario runs on request."""
CLOSINGS = ("broker/kill", "coordinator/gone", "disk/storage-error", "net/blackhole")
"""Scenarios with a `close-during/` in the default catalogue."""
DERIVED: Mapping[str, Callable[[Scenario], Scenario | None]] = {
    second_starts.PREFIX: second_starts.started_during,
    closings.PREFIX: closings.closed_during,
}
"""Families made of other scenarios, by the beginning of their names. What makes one returns None where it cannot."""


PATTERN = ("*", "?", "[")
"""A pattern that begins with one of these does not select scenarios that run on request only."""


@cache
def default_scenarios() -> Mapping[str, Scenario]:
    """Return the default catalogue, ordered by name, with `steady` first."""
    modules = [
        importlib.import_module(f"probe.scenarios.{info.name}")
        for info in pkgutil.iter_modules(probe.scenarios.__path__)
    ]
    found: list[Scenario] = [module.SCENARIO for module in modules if hasattr(module, "SCENARIO")]
    found += [variant for module in modules for variant in getattr(module, "VARIANTS", ())]
    found += [
        made
        for prefix, names in ((second_starts.PREFIX, SECOND_STARTS), (closings.PREFIX, CLOSINGS))
        for base in tuple(found)
        if base.name in names and (made := DERIVED[prefix](base))
    ]
    found.extend(_templates().defaults())
    return {item.name: item for item in sorted(found, key=lambda item: control_first(item.name))}


def select_scenarios(patterns: Sequence[str]) -> tuple[Scenario, ...]:
    """Return the scenarios that match any of the globs; a generated name need not be in the default catalogue.

    Raises CatalogueError for a pattern that matches nothing.
    """
    chosen: dict[str, Scenario] = {}
    for pattern in patterns:
        chosen.update(_by_name(pattern) or _matched(pattern) or _generated(pattern))
    return tuple(chosen.values())


def about(name: str) -> str:
    """Return the summary of a scenario; empty for a name that is no scenario any more, as in old results."""
    try:
        return next((item.summary for item in select_scenarios([name])), "")
    except CatalogueError:
        return ""


def _by_name(name: str) -> dict[str, Scenario]:
    """Return the scenario whose module has its name, or what is derived of it; a look-up need not load them all."""
    if prefix := next((prefix for prefix in DERIVED if name.startswith(prefix)), ""):
        base = _by_name(name.removeprefix(prefix)).values()
        return {one.name: one for one in map(DERIVED[prefix], base) if one is not None}
    module = f"probe.scenarios.{re.sub('[/-]', '_', name)}"
    if not re.fullmatch(r"[a-z0-9/-]+", name) or importlib.util.find_spec(module) is None:
        return {}
    found: Scenario | None = getattr(importlib.import_module(module), "SCENARIO", None)
    return {name: found} if found is not None and found.name == name else {}


def _matched(pattern: str) -> dict[str, Scenario]:
    return {
        name: item
        for name, item in default_scenarios().items()
        if fnmatchcase(name, pattern) and not (item.asked and pattern.startswith(PATTERN))
    }


def _generated(name: str) -> dict[str, Scenario]:
    if any(sign in name for sign in PATTERN):
        raise CatalogueError(f"--scenario {name}: no scenario matches this pattern; {_near(name)}")
    prefix = next((prefix for prefix in DERIVED if name.startswith(prefix)), "")
    base = name.removeprefix(prefix)
    try:
        built = default_scenarios().get(base) or _templates().scenario(base)
        if built is not None and prefix:
            built = DERIVED[prefix](built)
    except ValueError as error:
        raise CatalogueError(f"--scenario {name}: {error}") from None
    if built is not None:
        return {built.name: built}
    hint = did_you_mean(name, default_scenarios(), "`probe scenarios` lists them")
    raise CatalogueError(f"--scenario {name}: no scenario has this name; {hint}")


def _templates() -> ModuleType:
    """Return the generated families of scenarios, which take long to load and are seldom needed."""
    from probe.scenarios import generated_families  # noqa: PLC0415  # see above

    return generated_families


def _near(pattern: str) -> str:
    """Return the hint for a pattern without a match: a full name with an error, or the list of scenarios."""
    from probe.scenarios.error_answers import ANSWERS  # noqa: PLC0415  # for a hint only

    prefix, _, rest = pattern.partition("/")
    api = rest.partition("/")[0]
    if any(item.prefix == prefix for item in _templates().TEMPLATES) and (
        known := [a for a in ANSWERS if a.api == api]
    ):
        name = f"{prefix}/{api}/{error_name(known[0].code)}"
        return f"any error runs by its full name, such as {name}, and `probe scenarios` lists the default ones"
    return "`probe scenarios` lists them"
