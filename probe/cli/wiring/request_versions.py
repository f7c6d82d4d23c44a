"""Request versions observed in stored trials; cells that they make impossible are skipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from probe import store
from probe.catalogue.scenarios import DERIVED, default_scenarios
from probe.model import Cell, Outcome
from probe.model.conditions import is_current
from probe.model.results import ResultsError
from probe.model.versions import version_key
from probe.planning.selection import Selection, usual_control
from probe.scenarios.reach import Versions, depends_on_version
from probe.scenarios.steps.partitions import RollBack
from probe.store.presence import has_runs

if TYPE_CHECKING:
    from probe.store import TrialRow


def with_versions(selection: Selection, results: str) -> Selection:
    """Return a selection with the stored request versions of its clients; read only if a scenario depends on them.

    Only scenarios that one of its lines has count: most runs therefore read nothing.
    """
    newest = max(map(version_key, selection.brokers), default=())
    had = (one for one in selection.scenarios if not one.since or newest >= version_key(one.since))
    parts = (part for scenario in had for part in scenario.variants)
    return replace(selection, versions=_stored(results)) if any(map(depends_on_version, parts)) else selection


def _stored(results: str) -> Mapping[Cell, Versions]:
    """Return the highest version of each request, by control cell; empty for unreadable results."""
    found: dict[Cell, dict[str, int]] = {}
    lowering = _lowering()
    try:
        if not has_runs(results):
            return {}
        for row in store.trials(results, warn=_ignore):
            if _is_telling(row) and _base(row.cell.scenario) not in lowering:
                mine = found.setdefault(usual_control(row.cell), {})
                for api, version in row.verdict.facts.api_versions:
                    mine[api] = max(version, mine.get(api, version))
    except ResultsError:
        return {}
    return found


def _is_telling(row: TrialRow) -> bool:
    """Return whether the trial counts: a trial with a failed harness may lack the client's usual requests.

    Under other conditions a client may be offered other versions.
    """
    return row.verdict.outcome is not Outcome.BROKEN and is_current(row.cell, row.conditions)


def _base(scenario: str) -> str:
    """Return the scenario of whose fault this one is."""
    prefix = next((prefix for prefix in DERIVED if scenario.startswith(prefix)), "")
    return scenario.removeprefix(prefix)


def _lowering() -> frozenset[str]:
    """Return the scenarios in which a broker becomes older and clients send older requests than usual."""
    return frozenset(
        name
        for name, item in default_scenarios().items()
        if any(isinstance(step, RollBack) for part in (*item.variants, *item.real) for step in part.steps)
    )


def _ignore(_: str) -> None:
    """Drop a warning, which the run prints when it reads the same files."""
