"""Clients that are known to stand still with a refresh of metadata every second: none is awaited (docs/verdicts.md)."""

from __future__ import annotations

from dataclasses import replace

from probe.cli.wiring.evidence import DEFAULT, open_evidence
from probe.evidence.cell_choice import Wanted
from probe.model import Outcome
from probe.model.profile import OWN_DEFAULTS, REFRESHING
from probe.planning.selection import Selection

ANY_AGE_DAYS = 10**6
"""That a client stood still in its version holds for ever."""


def with_standing(selection: Selection, results: str) -> Selection:
    """Return a selection with the cells that stand still in profile `refresh-1s`, by all evidence that is at hand.

    It is read only where clients are observed to the end.
    """
    if all(profile.name != OWN_DEFAULTS for profile in selection.profiles):
        return selection
    wanted = Wanted(
        family={chosen.family.family for chosen in selection.clients},
        profile=[REFRESHING],
        outcome=[str(Outcome.STUCK)],
        engine=[str(selection.engine)],
    )
    with open_evidence(DEFAULT, results, ANY_AGE_DAYS) as found:
        return replace(selection, stand_still=frozenset(found.find(wanted)))
