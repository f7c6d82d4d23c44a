"""The table of harms (docs/harm.md), and the harm of a trial by it. Pure.

`probe.model.harm_sql` writes the same table as SQL.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from probe.model.cell import Outcome, Role
from probe.model.columns import Facts
from probe.model.harm import Harm, HarmBounds, TrialHarm
from probe.model.outcomes import HARD, SAY_NOTHING
from probe.model.roles import WRITERS
from probe.model.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Above:
    """A fact, less another one, lies above 0, or above the bound. A fact that does not apply is 0, text is above 0."""

    fact: str
    less: str = ""
    bound: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A row of the table of harms. It holds where each of its fields does."""

    harm: Harm
    outcomes: frozenset[Outcome] = frozenset(Outcome) - SAY_NOTHING
    conforms: frozenset[bool | None] = frozenset({True, False, None})
    roles: frozenset[Role] = frozenset(Role)
    if_errors_count: bool = False
    """It holds only where an error that reaches the application is harm."""
    any_of: tuple[Above, ...] = ()
    """One of these holds; empty = none is asked for."""
    none_of: tuple[Above, ...] = ()
    """None of these holds."""


_VIOLATES = frozenset({Outcome.VIOLATES})
_SURFACES = frozenset({Outcome.SURFACES})
ERRORS_OF = (Above("errors_surfaced"), Above("failed_ops"))
"""An error reached the application (`Facts.has_errors`)."""
EVERYTHING = (Above("bystander_errors"), Above("bystander_own_gap_ms", bound=True))
"""Partitions without a fault had errors, or stood still beyond the bound."""
SILENT_OF = frozenset({Outcome.STUCK})
"""Outcomes of a standstill in a live process, which is silent where no error reached the application."""
_ENDS = Rule(
    harm=Harm.STOPS,
    outcomes=HARD - _VIOLATES,
    conforms=frozenset({False, None}),
)
"""Work ends for good."""
RULES = (
    Rule(harm=Harm.LOSES, roles=frozenset(WRITERS), any_of=(Above("lost"), Above("unresolved"), Above("phantom"))),
    # a position that went back repeats records, and skips none
    Rule(harm=Harm.LOSES, outcomes=_VIOLATES, any_of=(Above("lost"), Above("position_jump", less="duplicated"))),
    # a broken promise that no fact counts: operations in another cluster, records of an aborted transaction
    Rule(harm=Harm.LOSES, outcomes=_VIOLATES, none_of=(Above("duplicated"), Above("reordered"))),
    Rule(harm=Harm.REPEATS, outcomes=_VIOLATES),
    _ENDS,
    Rule(harm=Harm.STALLS, any_of=(Above("recovery_ms", less="kept_ms", bound=True),)),
    Rule(harm=Harm.BURDENS, any_of=(Above("storm"),)),
    Rule(
        harm=Harm.ERRORS,
        outcomes=frozenset(Outcome) - SAY_NOTHING - _SURFACES,
        conforms=frozenset({True, False}),
        if_errors_count=True,
        any_of=ERRORS_OF,
    ),
    Rule(harm=Harm.ERRORS, outcomes=_SURFACES, conforms=frozenset({False}), if_errors_count=True, any_of=ERRORS_OF),
)
"""The harms, of which the first that holds counts; `none` if none does. Spark and DuckDB read the same table
(`probe.model.harm_sql`)."""


def harm_of(verdict: Verdict, bounds: HarmBounds) -> TrialHarm | None:
    """Return the harm of a trial; None for an outcome that says nothing about the client."""
    if verdict.outcome in SAY_NOTHING:
        return None
    facts = verdict.facts
    stood_ms = facts.own_recovery_ms or 0.0
    asked = _rules(verdict.outcome, verdict.conforms, bounds.role, bounds.errors_count)
    rank = next((rule.harm for rule in asked if _holds(rule, facts, bounds.bound_ms)), Harm.NONE)
    return TrialHarm(
        rank=rank,
        silently=rank is Harm.STOPS and verdict.outcome in SILENT_OF and not facts.has_errors,
        stalls_ms=stood_ms if rank is Harm.STALLS else 0.0,
        everything=any(_is_above(facts, one, bounds.bound_ms) for one in EVERYTHING),
        after_heal=facts.after_heal,
    )


def ends_work(verdict: Verdict) -> bool:
    """Return whether a client's work ends for good in a trial, whatever graver harm it has besides."""
    return verdict.outcome in _ENDS.outcomes and verdict.conforms in _ENDS.conforms


@cache
def _rules(outcome: Outcome, conforms: bool | None, role: Role, errors_count: bool) -> tuple[Rule, ...]:
    """Return the rules that facts decide for such a trial: thousands of trials of a look-up share some twenty kinds."""
    return tuple(
        rule
        for rule in RULES
        if outcome in rule.outcomes
        and conforms in rule.conforms
        and role in rule.roles
        and (errors_count or not rule.if_errors_count)
    )


def _holds(rule: Rule, facts: Facts, bound_ms: int) -> bool:
    if rule.any_of and not any(_is_above(facts, one, bound_ms) for one in rule.any_of):
        return False
    return not any(_is_above(facts, one, bound_ms) for one in rule.none_of)


def _is_above(facts: Facts, one: Above, bound_ms: int) -> bool:
    value = getattr(facts, one.fact)
    if isinstance(value, str):
        return bool(value)
    return (value or 0) - ((getattr(facts, one.less) or 0) if one.less else 0) > (bound_ms if one.bound else 0)
