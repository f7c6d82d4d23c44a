"""The harm of trials (`probe.model.harm_rules`) as SQL that Spark and DuckDB understand. Pure text.

A trial is given by a prefix of its columns, such as `trial.`, a cell by another one. What depends on the cell alone,
its bounds, is an expression of its own, so that it is computed once for all trials of a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from probe.model import harm_bounds
from probe.model.cell import CONTROL, Role
from probe.model.columns import FACTS
from probe.model.harm import ANSWERED_MS, SCOPED, SILENT, SILENT_MS, Harm
from probe.model.harm_rules import ERRORS_OF, EVERYTHING, RULES, SILENT_OF, Above, Rule
from probe.model.outcomes import SAY_NOTHING
from probe.model.profile import NO_RETRIES
from probe.model.refusals import START
from probe.model.schema import Type
from probe.model.words import Symptom

BOUND, COUNT = "bound_ms", "errors_count"
"""Names of the columns with the bounds of a cell, as the expressions of a trial expect them."""
SCOPED_RANKS = f"({', '.join(str(int(one)) for one in sorted(SCOPED))})"
"""The ranks that have a scope, as a list of SQL."""
_JUDGED = {True: "yes", False: "no", None: ""}


def bound_ms(cell: str, session_ms: str) -> str:
    """Return the expression for the longest standstill of a cell that is no harm, in milliseconds.

    `session_ms` is the expression for the session time-out of its group (`probe.model.session_timeouts`).
    """
    member = _scenarios(cell, lambda row: row.kind is Symptom.MEMBERSHIP)
    silent = _scenarios(cell, lambda row: row.kind in SILENT - {Symptom.MEMBERSHIP})
    return f"CASE WHEN {member} THEN {SILENT_MS} + {session_ms} WHEN {silent} THEN {SILENT_MS} ELSE {ANSWERED_MS} END"


def errors_count(cell: str) -> str:
    """Return the expression for whether an error is harm in a cell."""
    return f"(NOT {_scenarios(cell, lambda row: not row.errors_count)} AND {profile_name(cell)} <> '{NO_RETRIES}')"


def is_about_client(trial: str, cell: str) -> str:
    """Return the expression for whether a trial has a harm."""
    return f"({trial}outcome NOT IN {listed(SAY_NOTHING)} OR {_is_refused(trial, cell)})"


def rank(trial: str, cell: str) -> str:
    """Return the expression for the rank of a trial's harm."""
    cases = " ".join(f"WHEN {_holds(rule, trial, cell)} THEN {int(rule.harm)}" for rule in RULES)
    return f"CASE WHEN {_is_refused(trial, cell)} THEN {int(Harm.STOPS)} {cases} ELSE {int(Harm.NONE)} END"


def is_silent(trial: str, cell: str) -> str:
    """Return the expression for whether nobody hears of a standstill, where the harm is `stops`."""
    told = _any(ERRORS_OF, trial)
    return f"({trial}outcome IN {listed(SILENT_OF)} AND NOT {told} AND NOT {_is_refused(trial, cell)})"


def stalls_ms(trial: str) -> str:
    """Return the expression for the time of a standstill, where the harm is `stalls`."""
    return f"({trial}recovery_ms - coalesce({trial}kept_ms, 0))"


def is_everywhere(trial: str, cell: str) -> str:
    """Return the expression for whether partitions without a fault suffer, too."""
    return f"({_any(EVERYTHING, trial)} AND NOT {_is_refused(trial, cell)})"


def word(number: str) -> str:
    """Return the expression for the word of a rank."""
    return f"CASE {number} {' '.join(f'WHEN {int(harm)} THEN {harm.word!r}' for harm in Harm)} END"


def _holds(rule: Rule, trial: str, cell: str) -> str:
    parts = [f"{trial}outcome IN {listed(rule.outcomes)}"]
    if rule.conforms != frozenset(_JUDGED):
        judged = f"CASE WHEN {trial}conforms THEN 'yes' WHEN NOT {trial}conforms THEN 'no' ELSE '' END"
        parts.append(f"{judged} IN {listed(_JUDGED[one] for one in rule.conforms)}")
    if rule.roles != frozenset(Role):
        parts.append(f"{cell}role IN {listed(rule.roles)}")
    if rule.if_errors_count:
        parts.append(COUNT)
    if rule.any_of:
        parts.append(_any(rule.any_of, trial))
    if rule.none_of:
        parts.append(f"NOT {_any(rule.none_of, trial)}")
    return f"({' AND '.join(parts)})"


def _any(some: Iterable[Above], trial: str) -> str:
    return f"({' OR '.join(_above(one, trial) for one in some)})"


def _above(one: Above, trial: str) -> str:
    if FACTS[one.fact] is Type.STRING:
        return f"coalesce({trial}{one.fact}, '') <> ''"
    less = f" - coalesce({trial}{one.less}, 0)" if one.less else ""
    return f"coalesce({trial}{one.fact}, 0){less} > {BOUND if one.bound else 0}"


def _is_refused(trial: str, cell: str) -> str:
    return f"({cell}scenario = '{CONTROL}' AND coalesce({trial}reason, '') LIKE '{START}%: _%')"


def _scenarios(cell: str, test: Callable[[harm_bounds.Row], bool]) -> str:
    """Return the expression for whether a cell's scenario and role have such a row in the table."""
    found = [f"{scenario} {role}" for (scenario, role), row in harm_bounds.rows().items() if test(row)]
    return f"concat({cell}scenario, ' ', {cell}role) IN {listed(found)}"


def profile_name(cell: str) -> str:
    """Return the expression for the name of a cell's profile, in which pluses are doubled."""
    return f"regexp_extract({cell}profile, '^([^+]|[+][+])*', 0)"


def listed(words: Iterable[str]) -> str:
    """Return the words as a list of SQL."""
    return f"({', '.join(map(repr, sorted(map(str, words))))})"
