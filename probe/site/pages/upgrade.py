"""The data of the upgrade page: the grade of every cell, and the trends of `probe advise` as a table (pure)."""

from __future__ import annotations

import json

from markupsafe import Markup

from probe.model import Cell, Outcome
from probe.model.grades import Grade, Trend, trend
from probe.model.outcomes import OUTCOMES
from probe.site.data.cell_index import CellIndex
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.outcome_signs import TREND_SIGNS, tone
from probe.site.data.page_names import digest
from probe.site.data.wording import hint

INFORMS = 1 + max(info.severity for info in OUTCOMES.values())
SILENT = INFORMS + 1
"""States after all severities: the scenario requires nothing, and the outcome is not about the client."""
TONES = ("good", "poor", "bad", "mute")


def data(answers: CellIndex) -> Markup:
    """Return the JSON that upgrade.js reads, safe in a script element."""
    questions: dict[tuple[object, ...], int] = {}
    families: dict[str, dict[str, list[object]]] = {}
    for client in answers.clients:
        family = families.setdefault(client.family, {"versions": [], "cells": []})
        number = len(family["versions"])
        family["versions"].append(client.version)
        for row in answers.of_client(client):
            asked = questions.setdefault((*question(row.cell), row.since), len(questions))
            family["cells"].append([number, asked, *_answer(row)])
    whole = {
        "families": families,
        "questions": list(questions),
        "outcomes": [[info.symbol, info.label, str(outcome)] for outcome, info in OUTCOMES.items()],
        "tones": TONES,
        "trends": trends(),
        "order": order(),
        "signs": {str(name): sign for name, sign in TREND_SIGNS.items()},
    }
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 - JSON in which no tag can begin


def question(cell: Cell) -> tuple[str, ...]:
    """Return the part of a cell's identity that is the same for every version."""
    return (str(cell.role), cell.profile, cell.scenario, str(cell.engine), cell.broker, str(cell.workload))


def _answer(row: MatrixRow) -> list[object]:
    outcome = list(OUTCOMES).index(row.outcome)
    look = TONES.index(tone(row.worst, row.conforms))
    return [outcome, state(row.grade), look, hint(row), digest(*row.cell.words())]


def state(grade: Grade) -> int:
    """Return a grade as a number, which is an index of `trends`."""
    if not grade.judged:
        return SILENT
    return INFORMS if grade.severity is None else grade.severity


def trends() -> list[list[str]]:
    """Return the trend per state before and after; `differs` means `same` if the outcomes are equal."""
    before = [_sample(state, Outcome.LATE) for state in range(SILENT + 1)]
    after = [_sample(state, Outcome.STORMS) for state in range(SILENT + 1)]
    return [[str(trend(old, new)) for new in after] for old in before]


def _sample(state: int, outcome: Outcome) -> Grade:
    """Return a grade with this state, and with this outcome if it is about the client."""
    if state == SILENT:
        return Grade(Outcome.WAITING, None)
    return Grade(outcome, None if state == INFORMS else state)


def order() -> list[str]:
    """Return the trends in the order of the page."""
    first = (Trend.WORSE, Trend.BAD, Trend.BETTER, Trend.DIFFERS, Trend.UNCLEAR)
    return [str(one) for one in (*first, *(other for other in Trend if other not in first))]
