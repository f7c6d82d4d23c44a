"""The layout of results in files: names and flat columns only.

It is shared by `probe.store`, which writes, and `spark`, which reads. Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from probe.errors import ProbeError
from probe.model import columns
from probe.model.codec import decode
from probe.model.columns import FACTS, Facts
from probe.model.schema import Type

RUN_PREFIX = "run_id="
RUN, TRIALS, EVENTS, VERDICTS = "run", "trials", "events", "verdicts"
IDENTITY = columns.IDENTITY
SCHEMA_KEY = b"probe.schema"
"""Key of the schema's number in the metadata of a Parquet file. A file without it has number 0."""
SCHEMA_VERSION = 2
"""Additive changes of columns keep the number. Any other change raises it: a program that knows a smaller number would
read what it does not understand. 2: the workload is part of a cell's identity."""
_PAIRS = tuple(name for name, kind in FACTS.items() if kind is Type.VERSIONS)


class ResultsError(ProbeError):
    """Results cannot be read or written. The text names the file, the reason and the way out in one line."""

    exit_code = 3


def is_data(name: str, suffix: str = ".parquet") -> bool:
    """Return whether a name is that of a finished file. Names that start with `.` or `_` are still being written."""
    return name.endswith(suffix) and not name.startswith((".", "_"))


def run_of(path: str) -> str:
    """Return the id of the run to whose folder a path below the results belongs; empty if it belongs to none."""
    folder = path.partition("/")[0]
    return folder.removeprefix(RUN_PREFIX) if folder.startswith(RUN_PREFIX) else ""


def fact_columns(facts: Facts) -> dict[str, Any]:
    """Convert facts to one plain value per column. Pairs become `{"api", "version"}`."""
    row: dict[str, Any] = {name: _plain(getattr(facts, name)) for name in FACTS}
    return row | {name: [{"api": api, "version": version} for api, version in row[name]] for name in _PAIRS}


def facts_of(row: Mapping[str, Any]) -> Facts:
    """Build facts from their columns. Missing or null columns get the default."""
    data = {name: row[name] for name in FACTS if row.get(name) is not None}
    pairs = {name: [(item["api"], item["version"]) for item in data[name]] for name in _PAIRS if name in data}
    return decode(Facts, data | pairs)


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    return list(value) if isinstance(value, tuple) else value
