"""The trials behind a verdict, in words: the fewest that it rests on, and on which engine. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from probe.cells.audit import Fault
from probe.cells.levels import TRIALS
from probe.cells.loss_words import losing_cell
from probe.model.counts import counted
from probe.model.engines import ENGINES

NAMED = 3
"""Scenarios that are named; of more the others are counted."""


def few_named(scenarios: Sequence[str]) -> str:
    """Return scenarios by name, at most `NAMED` of them: `broker/hang, net/reset, net/slow and 3 more`."""
    more = f" and {len(scenarios) - NAMED} more" if len(scenarios) > NAMED else ""
    return f"{', '.join(scenarios[:NAMED])}{more}"


def support(faults: Collection[Fault]) -> str:
    """Return the fewest trials that show how a client does, and their engine; empty where all have enough.

    For instance `1 trial a scenario on the embedded engine`.
    """
    counts = {len(one.evidence.verdicts): one.evidence.cell.engine for one in faults if one.evidence is not None}
    least = min(counts, default=TRIALS)
    if least >= TRIALS:
        return ""
    few = "" if len(counts) == 1 else "as few as "
    return f"{few}{counted(least, 'trial')} a scenario on {ENGINES[counts[least]].title}"


def trials_behind(bad: Sequence[Fault]) -> str:
    """Return in brackets the trials of what shows a harm most often, where these are few or differ; else nothing."""
    shown = [(one.harm, one) for one in bad if one.harm is not None]
    if not shown:
        return ""
    harm, one = max(shown, key=lambda item: (item[0].of >= TRIALS, item[0].bad / item[0].of, item[0].of))
    if harm.of >= TRIALS and harm.bad == harm.of:
        return ""
    some = f"{harm.bad} of " if harm.is_chance else ""
    engine = losing_cell(one.evidence).cell.engine if one.evidence is not None else one.cell.engine
    return f" (in {some}{counted(harm.of, 'trial')} on {ENGINES[engine].title})"
