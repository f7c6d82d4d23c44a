"""JSON of `probe lookup` (docs/schema/lookup.json)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from probe.cells.audit import Fault
from probe.cells.badges import badge
from probe.cells.citations import command, said
from probe.cells.cli_hints import run_command
from probe.cells.fault_words import harm_columns, remarks
from probe.cells.levels import RoleLevel
from probe.cli.answers.lookup import Known, by_gravity


def as_json(about: Mapping[str, str], faults: Sequence[Fault], known: Known, levels: Sequence[RoleLevel] = ()) -> str:
    """Return the findings as JSON (docs/schema/lookup.json)."""
    answers = [_answer(item, known) for item in sorted(faults, key=by_gravity)]
    return json.dumps({**about, "levels": levels_json(levels), "answers": answers}, indent=1)


def levels_json(levels: Sequence[RoleLevel]) -> list[dict[str, Any]]:
    """Return what is said of each role, for JSON."""
    return [
        {
            "role": one.role,
            "level": one.words,
            "least": one.low,
            "most": one.high,
            "measured": one.measured,
            "reacts": one.reacts,
            "known": one.known,
            "of": one.of,
            "badge": badge(one),
        }
        for one in levels
    ]


def _answer(fault: Fault, known: Known) -> dict[str, Any]:
    seen = fault.evidence
    return {
        **fault.cell.columns(),
        "finding": fault.finding,
        **said(seen),
        "reason": "" if seen is None else seen.reason,
        "remark": "" if seen is None else "; ".join(remarks(seen)),
        "passes_in": "" if seen is None else known.passing.get(seen.cell, ""),
        "helped_by": "" if seen is None else known.helping.get(seen.cell, ""),
        **harm_columns(known.remedied(fault)),
        "stand_in": fault.stand_in,
        "command": run_command([fault.cell], known.results)
        if seen is None
        else command(fault.cell, seen, known.results, can_run=known.can_run),
        "others": [] if seen is None else [said(item) for item in seen.beside],
    }
