"""Find missing shards of a plan in a results folder, by file names only."""

from __future__ import annotations

import re
import shlex

from probe.model.results import RUN, RUN_PREFIX
from probe.store.files import Place

ROUNDS = 4
"""Shards may be separate runs: the newest runs are searched, this many times the number of shards."""


def missing_shards(results: str) -> str:
    """Return a line that names the missing shards of the newest run; empty if none is missing or it has one shard."""
    place = Place(results)
    newest_first = place.run_ids()[::-1]
    if not newest_first:
        return ""
    run_id = newest_first[0]
    here = _shards(place, run_id)
    count = max((of for _, of in here), default=1)
    together = len(here) > 1  # shards of one run
    there = set(here)
    for other in () if together else newest_first[1 : ROUNDS * count]:
        if len(there) == count:
            break
        there |= {(index, of) for index, of in _shards(place, other) if of == count}
    lost = [f"{index}/{count}" for index in range(1, count + 1) if (index, count) not in there]
    if count == 1 or not lost:
        return ""
    words = ("shards {} are", "their cells") if len(lost) > 1 else ("shard {} is", "its cells")
    how = (
        f"`probe run --resume {run_id} --shard {lost[0]} --results {shlex.quote(place.name)}`"
        if together
        else f"`--shard {lost[0]}`, same selectors,"
    )
    return (
        f"{place.name}: {words[0].format(', '.join(lost))} not stored, unlike the other shards of run {run_id}: "
        f"{words[1]} are missing or keep older rows; {how} brings them"
    )


def _shards(place: Place, run_id: str) -> set[tuple[int, int]]:
    """Return the shards of a run that were started, as (index, count)."""
    names = place.files(f"{RUN_PREFIX}{run_id}/{RUN}", ".json")
    found = (re.search(r"/(\d+)of(\d+)\.json$", name) for name in names)
    return {(int(one[1]), int(one[2])) for one in found if one}
