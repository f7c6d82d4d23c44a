"""Renders the baseline as docs/baseline.md: `python -m probe.catalogue.baseline_page`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from probe.catalogue.baseline import Baseline, Entry, NotScored, Scored, Standing, baseline
from probe.model import Role
from probe.model.roles import UNLEVELLED

PAGE = Path(__file__).parents[2] / "docs" / "baseline.md"
HEAD = """# {name}

Generated from `probe/catalogue/data/baseline_{year}.toml`; do not edit. `python -m probe.catalogue.baseline_page`
updates it. `probe run --baseline` plays these scenarios, each in the roles in which it is scored.

The list decides the level of a client, per role. It is frozen: a scenario that is added later is run and shown, and
not scored, until a set of another year. Where a role names a harm, only that harm counts; otherwise all do. An admin
client has no level: a person repeats a failed call, so that only `stops` is said.
"""
CONDITIONS = """## Conditions of admission

1. **Occurs**: a routine operation, or two independent public reports.
2. **Both engines** agree in at least 97 % of the cells that both played whether the client stops or loses records.
   Records that were lost with acks below `all` on real brokers alone are no disagreement: the fake cannot show them,
   and `loses` is measured on real brokers. *Open*: no cell was played on both.
3. **Reached**: two independent implementations have no graver harm than `errors` on the embedded engine.
4. **Steady**: 20 trials of a reference version agree about `stops` and `loses`. *Open*: no version has as many.
5. **The client decides** what happens, and not the operator.

The reasons of conditions 1 and 5 stand with each scenario; figures are those of the evidence of conditions 5.
"""


def render() -> str:
    """Return the whole page."""
    found = baseline()
    parts = [HEAD.format(name=found.name, year=found.year), _list(found), CONDITIONS, *map(_entry, found.entries)]
    return "\n".join([*parts, _others(found), ""])


def _list(found: Baseline) -> str:
    roles = found.roles
    counts = " | ".join(str(len(found.of(role))) for role in roles)
    head = [f"| scenario | {' | '.join(roles)} | when |", "|---" * (len(roles) + 2) + "|"]
    rows = [
        f"| `{one.scenario}` | {' | '.join(_mark(one, role) for role in roles)} | {one.why} |" for one in found.entries
    ]
    return "\n".join(["## The list\n", *head, *rows, f"| **scored** | {counts} | |", ""])


def _mark(entry: Entry, role: Role) -> str:
    one = next((one for one in entry.roles if one.role is role), None)
    return "" if one is None else ", ".join(one.counts) or "x"


def _entry(entry: Entry) -> str:
    return "\n".join(
        [
            f"### {entry.scenario}\n",
            f"Occurs: {entry.occurs}.",
            f"The client decides: {entry.decides}.\n",
            "| role | both engines | reached by | steady |\n|---|---|---|---|",
            *(_row(one) for one in entry.roles),
            "",
        ]
    )


def _row(one: Scored) -> str:
    steady = "open" if one.steady is Standing.OPEN else ", ".join(one.repeated)
    role = f"{one.role} (no level)" if one.role in UNLEVELLED else str(one.role)
    return f"| {role} | {_engines(one)} | {', '.join(one.references)} | {steady} |"


def _engines(one: Scored) -> str:
    if one.engines is Standing.OPEN:
        return "open"
    lost = f", {one.real_only} lose on real brokers alone" if one.real_only else ""
    unmet = " (not met)" if one.engines is Standing.UNMET else ""
    return f"{one.alike} of {one.pairs} agree{lost}{unmet}"


def _others(found: Baseline) -> str:
    return "\n".join(["## Not scored\n", "| scenarios | why |", "|---|---|", *_reasons(found.not_scored)])


def _reasons(rows: tuple[NotScored, ...]) -> Iterator[str]:
    for row in rows:
        names = ", ".join(f"`{name}`" for name in row.scenarios)
        roles = f" ({', '.join(row.roles)})" if row.roles else ""
        yield f"| {names}{roles} | {row.reason} |"


if __name__ == "__main__":
    PAGE.write_text(render())
    sys.stdout.write(f"{PAGE.name} written\n")
