"""Skipped cells of a run, grouped by reason. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from probe.model import Client
from probe.planning.plan import Plan, Skip, make_plan
from probe.planning.selection import Selection

NAMED = 3
"""Names per reason; the others are counted."""
REASONS = 12
"""Reasons per run; the others are counted."""

MORE = "`probe plan` with the same selectors lists all skipped cells"


def skipped(plan: Plan, selection: Selection) -> list[str]:
    """Return lines for a run: each client without any run cell, then all other skips by reason.

    A client whose cells are in another shard is run there, and is not named.
    """
    whole = plan if selection.shard == (1, 1) else make_plan(replace(selection, shard=(1, 1)))
    played = {item.cell.client for item in whole.cells}
    lines = [
        f"not run  {client}: {_several(skip.reason for skip in plan.skips if skip.cell.client == client)}"
        for client in _clients(plan.skips)
        if client not in played
    ]
    others = [(str(skip.cell), skip.reason) for skip in plan.skips if skip.cell.client in played]
    grouped = list(by_reason([*others, *without_role(selection)]))
    lines += [f"skipped  {names}: {reason}" for names, reason in grouped[:REASONS]]
    if (left := len(grouped) - REASONS) > 0:
        lines.append(f"skipped  for {left} more reasons")
    if any(" more" in line for line in lines):
        lines.append(MORE)
    return lines


def _clients(skips: Iterable[Skip]) -> list[Client]:
    return list(dict.fromkeys(skip.cell.client for skip in skips))


def without_role(selection: Selection) -> Iterator[tuple[str, str]]:
    """Yield the scenarios that none of the selected roles can play, with the reason."""
    for scenario in selection.scenarios:
        if all(selection.variant(scenario, role) is None for role in selection.roles):
            has = [str(role) for role in scenario.roles if selection.variant(scenario, role) is not None]
            if not has:
                yield scenario.name, f"it does not run on the {selection.engine} engine"
                continue
            yield scenario.name, f"no role {' or '.join(selection.roles)} there; its roles are {', '.join(has)}"


def by_reason(named: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Group pairs of a name and a reason; yield the names of each reason as one text, most names first."""
    names: dict[str, list[str]] = {}
    for name, reason in named:
        names.setdefault(reason, []).append(name)
    for reason, mine in sorted(names.items(), key=lambda item: -len(item[1])):
        yield _few(list(dict.fromkeys(mine))), reason


def _few(names: list[str]) -> str:
    left = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {left} more" if left > 0 else "")


def _several(reasons: Iterable[str]) -> str:
    found = list(dict.fromkeys(reasons))
    left = len(found) - NAMED
    return "; ".join([*found[:NAMED], *([f"{left} more reasons"] if left > 0 else [])])
