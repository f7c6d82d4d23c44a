"""Read what clients sent first, of a few stored trials, without their events."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from probe.model import Cell
from probe.model.codec import decode
from probe.model.handshake import Handshake
from probe.model.results import IDENTITY, RUN_PREFIX, TRIALS, ResultsError
from probe.model.rows import MISFITS, cell_of
from probe.store.files import Place
from probe.store.reader import Warn


def handshakes(
    results: str, run_id: str, wanted: Collection[tuple[Cell, int]], warn: Warn
) -> Mapping[Cell, tuple[Handshake, ...]]:
    """Return the handshakes of these trials of a run, by cell; `warn` gets a line for every damaged file."""
    place, chosen = Place(results), frozenset(wanted)
    scenarios = sorted({cell.scenario for cell, _ in chosen})
    found: dict[Cell, tuple[Handshake, ...]] = {}
    for path in place.files(f"{RUN_PREFIX}{run_id}/{TRIALS}") if chosen else ():
        try:
            table = place.read_table(path, [*IDENTITY, "trial", "header"], [("scenario", "in", scenarios)])
            for row in table.to_pylist():
                if row["header"] is not None and (cell_of(row), row["trial"]) in chosen:
                    sent = json.loads(row["header"]).get("handshakes", ())
                    found[cell_of(row)] = decode(tuple[Handshake, ...], sent)  # the whole header takes much longer
        except (ResultsError, *MISFITS) as error:
            warn(str(error))
    return found
