"""The data of the upgrade page: what is known of every cell, and the rules by which comparison.js compares. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from probe.catalogue.families import Family
from probe.cells.aggregate import SettledCell
from probe.cells.comparison import ALIKE, CHANCE, LEVEL, PLAIN, Answer
from probe.cells.harm import QUESTIONS, chance_key, of_chance
from probe.cells.harm import harms as cell_harms
from probe.model import Cell, Client
from probe.model.grades import Grade
from probe.model.harm import Harm
from probe.model.outcomes import OUTCOMES
from probe.site.data.cell_index import CellIndex
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.outcome_signs import ANSWER_SIGNS, BAD_IN_BOTH, row_tone
from probe.site.data.page_names import digest
from probe.site.data.row_levels import RowLevel, row_levels
from probe.site.data.settled_rows import settled
from probe.site.data.shipped_evidence import NOTHING, Shipped
from probe.site.data.wording import hint

INFORMS = 1 + max(info.severity for info in OUTCOMES.values())
SILENT = INFORMS + 1
"""States after all severities: the scenario requires nothing, and the outcome is not about the client."""
TONES = ("good", "poor", "bad", "mute")
PLACES = (Harm.NONE, *reversed(QUESTIONS))
"""The harms in the order of their numbers of trials."""
RULES = {"plain": PLAIN, "many": CHANCE, "level": LEVEL, "alike": ALIKE}
ORDER = (Answer.WORSE, Answer.BETTER, Answer.UNDECIDED, BAD_IN_BOTH, Answer.CHANGED, Answer.UNCLEAR, Answer.SAME)
"""The answers in the order of the page."""


def data(answers: CellIndex, listed: Sequence[Family] = (), shipped: Shipped = NOTHING) -> Markup:
    """Return the JSON that upgrade.js reads, safe in a script element."""
    questions: dict[tuple[object, ...], int] = {}
    families: dict[str, dict[str, list[object]]] = {}
    runs: dict[str, int] = {}
    known = {family.family: family for family in listed}
    chances = of_chance(settled(row) for row in answers.rows if len(row.votes) > 1)
    for client in answers.clients:
        family = families.setdefault(client.family, {"versions": [], "levels": [], "cells": []})
        number = len(family["versions"])
        family["versions"].append(client.version)
        family["levels"].append(_levels(known.get(client.family), client, answers, shipped))
        for row in answers.of_client(client):
            asked = questions.setdefault((*question(row.cell), row.since), len(questions))
            run = runs.setdefault(row.run_id, len(runs)) if row.run_id else None
            one = settled(row)
            rest = [run, harms(one), int(chance_key(one) in chances), row.number("recovery_ms_p50"), row.harm_words]
            family["cells"].append([number, asked, *_answer(row), *rest])
    whole = {
        "families": families,
        "questions": list(questions),
        "outcomes": [[info.symbol, info.label, str(outcome)] for outcome, info in OUTCOMES.items()],
        "tones": TONES,
        "rules": RULES,
        "states": {"informs": INFORMS, "silent": SILENT},
        "order": [str(one) for one in ORDER],
        "signs": {str(name): sign for name, sign in ANSWER_SIGNS.items()},
    }
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 - JSON in which no tag can begin


def _levels(
    family: Family | None, client: Client, answers: CellIndex, shipped: Shipped
) -> dict[str, dict[str, list[str]]]:
    """Return what is said of each role, per release line, of how many scenarios, and its source outside these results.

    Only what is said of the same scenarios is compared.
    """
    rows = answers.of_client(client)
    lines = sorted({row.cell.broker for row in rows})
    found = {line: row_levels(family, client, rows, line, shipped) for line in lines}
    return {line: {str(one.level.role): _of_role(one) for one in levels} for line, levels in found.items() if levels}


def _of_role(one: RowLevel) -> list[str]:
    level = one.level
    return [level.words, f"{level.measured} {level.known} {level.of}", one.measured]


def question(cell: Cell) -> tuple[str, ...]:
    """Return the part of a cell's identity that is the same for every version."""
    return (str(cell.role), cell.profile, cell.scenario, str(cell.engine), cell.broker, str(cell.workload))


def _answer(row: MatrixRow) -> list[object]:
    outcome = list(OUTCOMES).index(row.outcome)
    look = TONES.index(row_tone(row))
    return [outcome, state(row.grade), look, hint(row), digest(*row.cell.words())]


def state(grade: Grade) -> int:
    """Return a grade as a number: its severity, or one of the two states after all severities."""
    if not grade.judged:
        return SILENT
    return INFORMS if grade.severity is None else grade.severity


def harms(one: SettledCell) -> list[int] | None:
    """Return the numbers of trials by harm; None where nothing is required of the client, or nothing is known."""
    counts = Counter(cell_harms(one))
    return [counts[harm] for harm in PLACES] if counts else None
