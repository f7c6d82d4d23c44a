"""The selectors of a run in its description, so that `--resume RUN_ID` alone continues with them."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from probe.cli.wiring.run_selection import RunSelection
from probe.errors import ProbeError
from probe.model import Election, Engine, Role, Workload
from probe.model.rack import Rack
from probe.model.security import Security
from probe.model.sweep import Sweep
from probe.planning.selection import LongWatches
from probe.store import run_info
from probe.store.run_description import lacks_description

LISTS = ("clients", "scenarios", "profiles", "properties", "brokers", "workloads")


def selected(asked: RunSelection, watch_ms: int | None) -> dict[str, Any]:
    """Return the selectors of a command line as JSON; the description has seed and shard in other places."""
    return {
        **{name: list(getattr(asked, name)) for name in LISTS},
        "roles": [str(role) for role in asked.roles],
        "engine": str(asked.engine),
        "trials": asked.trials,
        "election": None if asked.election is None else str(asked.election),
        "watch_ms": watch_ms,
        "long_watches": str(asked.long_watches),
        **({"baseline": True} if asked.baseline else {}),
        **({} if asked.security is None else {"security": str(asked.security)}),
        **({} if asked.rack is None else {"rack": str(asked.rack)}),
        **({} if asked.over is None else {"over": str(asked.over)}),
    }


def names_nothing(asked: RunSelection) -> bool:
    """Return whether no selector was given."""
    return selected(asked, None) == selected(RunSelection(), None)


def as_before(results: str, run_id: str, asked: RunSelection) -> tuple[RunSelection, int | None]:
    """Return the selectors of a stored run, for the given shard, and its `--watch` in ms.

    ResultsError if there is no such run, ProbeError if it has no selectors that can be read.
    """
    shards = run_info(results, run_id).shards
    if not shards:
        raise ProbeError(lacks_description(run_id))
    stored = next((shard["selectors"] for shard in shards if shard.get("selectors")), None)
    if stored is None:
        raise ProbeError(f"run {run_id} has no stored selectors; give them again together with --resume")
    try:
        return _read(stored, asked), stored.get("watch_ms")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        words = f"run {run_id} has selectors that cannot be read ({reprlib.repr(error)})"
        raise ProbeError(f"{words}; give them again together with --resume") from None


def _read(stored: Mapping[str, Any], asked: RunSelection) -> RunSelection:
    whole = {"workloads": [Workload.CONTINUOUS], **stored}  # a run before there were others names none
    lists: dict[str, Any] = {name: tuple(whole[name]) for name in LISTS}
    return replace(
        asked,
        **lists,
        roles=tuple(map(Role, stored["roles"])),
        engine=Engine(stored["engine"]),
        trials=stored["trials"],
        election=_election(stored),
        security=Security.parse(stored["security"]) if stored.get("security") else None,
        rack=Rack.parse(stored["rack"]) if stored.get("rack") else None,
        long_watches=LongWatches(stored.get("long_watches", LongWatches.ALL)),
        baseline=bool(stored.get("baseline")),
        over=Sweep.parse(stored["over"]) if stored.get("over") else None,
    )


def _election(stored: Mapping[str, Any]) -> Election | None:
    """Read the election; older runs have whole milliseconds."""
    text = stored.get("election", stored.get("election_ms"))
    return None if text is None else Election.parse(str(text))
