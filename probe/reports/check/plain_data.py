"""`probe check` as JSON (docs/schema/check.json)."""

from __future__ import annotations

import json
from typing import Any

from probe.cells.cell_names import cell_name
from probe.cells.change_words import middle_ms, sentence
from probe.cells.comparison import SHOWN, Answer, Compared
from probe.model.run_ids import iso
from probe.reports.check.result import CheckResult


def as_json(check: CheckResult) -> str:
    """Return a check as JSON: every cell that was played."""
    whole = {
        "headline": check.headline,
        "build": str(check.build),
        "release": str(check.release),
        "made": iso(check.moment),
        "counts": {answer.name.lower(): sum(one.answer is answer for one in check.found) for answer in Answer},
        "stale": [str(one) for one in check.accepted.stale],
        "cells": [_cell(check, one) for one in check.found],
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _cell(check: CheckResult, one: Compared) -> dict[str, Any]:
    step = one.step
    return {
        "name": cell_name(step.after.cell),
        **step.after.cell.columns(),
        "answer": one.answer.name.lower(),
        "towards": one.towards.name.lower() if one.answer is Answer.UNDECIDED else "",
        "harm": one.harm.word if one.harm else "",
        "sentence": sentence(one) if one.answer in SHOWN else "",
        "trials": one.trials,
        "chance": one.chance,
        "accepted": check.reason_for(one),
        "before": {
            "outcomes": step.before.outcomes,
            "recovery_ms": middle_ms(step.before),
            "run_id": step.before.run_id,
        },
        "after": {"outcomes": step.after.outcomes, "recovery_ms": middle_ms(step.after), "run_id": step.after.run_id},
        "command": check.command(one),
    }
