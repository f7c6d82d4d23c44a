"""The description of a run: `run/<shard>.json`."""

from __future__ import annotations

import os
import platform
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from probe.model import Engine
from probe.model.conditions import current
from probe.model.results import ResultsError
from probe.model.run_ids import FORM, iso

KINDS: Mapping[str, type] = {"run_id": str, "shard": str, "seed": int, "started": str, "resumed": list, "clients": dict}
"""The keys without which a run is neither shown nor resumed."""
PACKAGES = ("kafka-metadata-probe", "grpcio", "pyarrow", "pyspark", "uvloop")


def new_run_id() -> str:
    """Return a run id that sorts by time and is a legal file name everywhere: `20261121T084315Z-3f9a`."""
    return f"{datetime.now(UTC):{FORM}}-{secrets.token_hex(2)}"


def now() -> str:
    """Return the present time (UTC) in the format of the run files."""
    return iso(datetime.now(UTC))


def conditions_now() -> dict[str, int]:
    """Return the number of the conditions of the trials that this program runs, per engine."""
    return {str(engine): current(engine) for engine in Engine}


def describe(
    run_id: str,
    shard: str,
    command: Sequence[str],
    seed: int,
    versions: Mapping[str, str],
    digests: Mapping[str, str],
    selectors: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the description of a new run; `finished` and `clients` are set while the run goes on."""
    return {
        **({} if selectors is None else {"selectors": dict(selectors)}),
        "schema": 1,
        "run_id": run_id,
        "shard": shard,
        "command": list(command),
        "seed": seed,
        "conditions": conditions_now(),
        "started": now(),
        "finished": None,
        "resumed": [],
        "versions": {**_packages(), "python": platform.python_version(), **versions},
        "digests": dict(digests),
        "clients": {},
        "machine": {"system": platform.system(), "arch": platform.machine(), "cpus": os.cpu_count() or 1},
    }


def checked_description(about: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the content of the file `name`. ResultsError if it describes no run, with the key that is wrong."""
    for key, kind in KINDS.items():
        if not isinstance(about.get(key), kind):
            wrong = f"`{key}` is missing" if key not in about else f"`{key}` is no {kind.__name__}"
            raise ResultsError(f"{name} cannot be read: {wrong}; delete the file and resume its run")
    return about


def _packages() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # an optional group is not installed
            continue
    return found


def lacks_description(run_id: str) -> str:
    """Return the line about a run whose description was removed, and with it its selectors, seed and conditions."""
    return f"run {run_id} has no run/*.json any more; its trials are still read, so begin a new run without --resume"
