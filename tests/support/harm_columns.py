"""The columns of harm in a row of the matrix, from the verdicts of its trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from probe.model import Cell, Verdict
from probe.model.harm import Harm, gravest, spelled
from probe.model.harm_bounds import trial_harm


def harm_columns(cell: Cell, verdicts: Iterable[Verdict]) -> dict[str, str]:
    """Return the columns of harm, but for those that follow from other rows."""
    harms = [found for one in verdicts if (found := trial_harm(cell, one)) is not None]
    worst = gravest(harms)
    if worst is None:
        return {}
    return {
        "harm": worst.rank.word,
        "harms": spelled(Counter(one.rank for one in harms)),
        "silent": ("yes" if worst.silently else "no") if worst.rank is Harm.STOPS else "",
        "stalls_ms": f"{worst.stalls_ms:.0f}" if worst.rank is Harm.STALLS else "",
        "scope": worst.scope,
    }
