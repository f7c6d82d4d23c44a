"""Which of two measurements of a cell evidence has: the newer one, or the older one that it confirms. Pure."""

from __future__ import annotations

from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harms_of
from probe.cells.chance import ENOUGH
from probe.cells.comparison import PLAIN
from probe.model.harm import Harm


def says_the_same(held: SettledCell, fresh: SettledCell) -> bool:
    """Return whether outcome, worst trial, conformity, error codes, API versions and losses are the same.

    Only these decide about a client; times and counts differ in each run.
    """
    return _result(held) == _result(fresh) and _wire(held) == _wire(fresh)


def _result(item: SettledCell) -> tuple[object, ...]:
    return item.outcome, item.worst, item.conforms, any(one.rank is Harm.LOSES for one in harms_of(item))


def _wire(item: SettledCell) -> tuple[object, ...]:
    facts = [one.facts for one in item.verdicts]
    codes = frozenset(code for one in facts for code in one.fault_codes)
    return codes, frozenset(pair for one in facts for pair in one.api_versions)


def is_kept(held: SettledCell, fresh: SettledCell) -> bool:
    """Return whether the line of the older trials stays, as one that the newer ones confirm.

    Trials enough to decide a comparison are kept as they are: both of its sides have to be of one run
    (docs/comparisons.md). A line has the conditions of its trials, so those of other conditions confirm none.
    """
    decides = fresh.run_id != held.run_id and len(fresh.verdicts) >= max(PLAIN, len(held.verdicts))
    return held.is_comparable(fresh) and not decides and says_the_same(held, fresh)


def replaces(held: SettledCell | None, fresh: SettledCell) -> bool:
    """Return whether a cell of further runs takes the place of what evidence has of it.

    1. Trials that say the same confirm the older ones, which stay as they are.
    2. Fewer trials replace no more of them where these differ, or are enough to decide a comparison: the share, or the
       decision, would be lost.
    3. Trials under newer conditions replace older ones with another outcome, or too few of them where chance decides.
       Else the older ones stay: the library's other versions can be compared with them alone.
    4. Fewer than four trials (`PLAIN`) that pass take back no failure of older conditions or rules: it may be chance.

    Older trials that later rules may judge otherwise (`doubt`) are replaced but for the fourth case.
    """
    if held is None:
        return True
    if fresh.rank <= held.rank or _takes_back(held, fresh):
        return False
    if held.doubt or not held.judged:
        return True
    if is_kept(held, fresh):
        return False
    if not held.is_comparable(fresh):
        return _result(held) != _result(fresh) or len(fresh.verdicts) >= ENOUGH > len(held.verdicts)
    counts = held.disagrees or len(held.verdicts) >= PLAIN
    return not counts or len(fresh.verdicts) >= len(held.verdicts)


def _takes_back(held: SettledCell, fresh: SettledCell) -> bool:
    is_other = bool(held.doubt) or not held.is_comparable(fresh)
    return is_other and bool(held.grade.severity) and not fresh.grade.severity and len(fresh.verdicts) < PLAIN
