"""Known results of which only some trials show anything: where a race decides. Standard library only, for look-ups."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from probe.model import Cell, Engine, Role, Workload
from probe.model.engines import DEFAULT_ENGINE
from probe.model.profile import DEFAULT_PROFILE

_ENTRY = "[[known]]"


@cache
def known_races(path: Path) -> Mapping[Cell, str]:
    """Return the cells of known results that claim `bad_in_some`, each with its id in words.

    `probe.catalogue.known_results` checks the file; here a property of an entry is left out.
    """
    _, *texts = path.read_text().split(_ENTRY)
    few = "".join(f"{_ENTRY}{text}" for text in texts if "bad_in_some" in text)  # to read all takes 30 ms
    entries = tomllib.loads(few).get("known", ())
    return {_cell(entry): f"known result {entry['id']}" for entry in entries if entry.get("bad_in_some")}


def _cell(entry: Mapping[str, Any]) -> Cell:
    family, _, version = entry["client"].partition("@")
    return Cell(
        family,
        version,
        Role(entry["role"]),
        entry.get("profile", DEFAULT_PROFILE),
        entry["scenario"],
        Engine(entry.get("engine", DEFAULT_ENGINE)),
        entry.get("broker", "3.9"),
        Workload(entry.get("workload", Workload.CONTINUOUS)),
    )
