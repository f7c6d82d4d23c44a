"""How long real brokers took to elect: for the embedded engine's `--election`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from operator import itemgetter
from statistics import median

from probe.model import Election, EngineKind
from probe.model.results import EVENTS, IDENTITY, RUN_PREFIX
from probe.store.files import Place

_MARKS = tuple(map(str, (EngineKind.FAULT_ON, EngineKind.MOVED, EngineKind.ANNOUNCED)))
_trial = itemgetter(*IDENTITY, "trial")


def elections(results: str, run_id: str) -> Mapping[tuple[str, str], Election]:
    """Return by broker line and scenario the medians of a run: fault to new leader, and from there until all name it.

    Of each trial the first of either counts. ResultsError if a file cannot be read.
    """
    place = Place(results)
    times: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for path in place.files(f"{RUN_PREFIX}{run_id}/{EVENTS}"):
        columns = [*IDENTITY, "trial", "at", "kind"]
        rows = place.read_table(path, columns, [("kind", "in", _MARKS), ("engine", "=", "kafka")]).to_pylist()
        first: dict[tuple[str, ...], dict[str, int]] = defaultdict(dict)
        for row in sorted(rows, key=itemgetter("at")):
            first[row["broker"], row["scenario"], *_trial(row)].setdefault(row["kind"], row["at"])
        for (broker, scenario, *_), seen in first.items():
            if len(seen) == len(_MARKS):
                on, moved, announced = (seen[mark] for mark in _MARKS)
                times[broker, scenario].append((moved - on, announced - moved))
    return {key: _medians(found) for key, found in sorted(times.items())}


def _medians(times: list[tuple[int, int]]) -> Election:
    return Election(*(max(0, round(median(column) / 1000)) for column in zip(*times, strict=True)))
