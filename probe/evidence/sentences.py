"""The sentences of verdicts that follow from outcome, facts and scenario, which evidence as text leaves out.

A verdict's sentence is made by the rule that decided, from what the history showed. Nine of ten name nothing that the
facts lack; the others (what a promise was, how a process ended) are stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from probe.catalogue.scenarios import select_scenarios
from probe.errors import CatalogueError
from probe.model import Cell, Engine, Expectation, Facts, Outcome, Role
from probe.verdict.findings import Findings
from probe.verdict.judgement import sentence
from probe.verdict.table import RULES, Rule


def sentences(cell: Cell, outcome: Outcome, facts: Facts) -> Iterator[tuple[int, str]]:
    """Yield the rows of the table with this outcome, and what each says of the facts; none if the scenario is gone.

    The expectation is that of the scenario, without the client's own limits, which are in no evidence.
    """
    play = _play(cell.scenario, cell.role, cell.engine)
    if play is not None:
        found = Findings(cell=cell, play=play, facts=facts, rescuer=facts.rescued_by)
        yield from ((rule.row, sentence(rule, found)) for rule in _rules(outcome))


@cache
def _rules(outcome: Outcome) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES if rule.outcome is outcome)


@cache
def _play(scenario: str, role: Role, engine: Engine) -> Expectation | None:
    try:
        variant = select_scenarios([scenario])[0].variant(role, engine)
    except CatalogueError:
        return None
    return variant.expectation if variant else None
