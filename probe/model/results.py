"""How results lie in files (DESIGN 9): names and flat columns only; who reads and writes them is elsewhere.

`probe.store` writes, `spark` reads: this page is what they share, standard library only.
"""

from __future__ import annotations

import errno
import os
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
"""Key of the schema's number in the metadata of a Parquet file; without one it is 0."""
SCHEMA_VERSION = 1
"""Additive changes of columns keep the number; anything else raises it."""
REFUSED = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO})
_PAIRS = tuple(name for name, kind in FACTS.items() if kind is Type.VERSIONS)


class ResultsError(ProbeError):
    """Results cannot be read or written; the text is one line that names the file, the reason and the way out."""

    exit_code = 3


def reason_of(error: Exception) -> str:
    """Say in one line why; the system's own words where it refused to write."""
    if isinstance(error, OSError) and error.errno in REFUSED:
        return os.strerror(error.errno)
    return " ".join(str(error).split())


def is_data(name: str, suffix: str = ".parquet") -> bool:
    """Tell a finished file from what is being written: names that start with `.` or `_` are not there yet."""
    return name.endswith(suffix) and not name.startswith((".", "_"))


def fact_columns(facts: Facts) -> dict[str, Any]:
    """Flatten facts into one plain value per column; pairs become `{"api", "version"}`."""
    row: dict[str, Any] = {name: _plain(getattr(facts, name)) for name in FACTS}
    return row | {name: [{"api": api, "version": version} for api, version in row[name]] for name in _PAIRS}


def facts_of(row: Mapping[str, Any]) -> Facts:
    """Build facts from their columns; columns that are missing or null take the default."""
    data = {name: row[name] for name in FACTS if row.get(name) is not None}
    pairs = {name: [(item["api"], item["version"]) for item in data[name]] for name in _PAIRS if name in data}
    return decode(Facts, data | pairs)


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    return list(value) if isinstance(value, tuple) else value
