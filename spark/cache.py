"""What a build keeps for the next one: `settled/<digest>/`, so that a new run costs what the new run costs.

The tables of a build, and in `covers.json` (written last: without it the folder is nothing) the runs that they rest
on, each with the stamp of its files. They serve a later build if those runs are unchanged and all others are newer.
A change of `spark/` or `probe/model/` starts anew: the digest covers their sources. The folder can be deleted at any
time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from probe.model.results import ResultsError
from spark.inputs import COVERS, FOLDER, Inputs, open_place
from spark.output import write_aside, write_table
from spark.tables import KEPT


@dataclass(frozen=True, slots=True)
class SettledCache:
    """Tables of an earlier build."""

    folder: str
    """Below the results."""
    runs: Mapping[str, str]
    """The runs it covers, each with its stamp."""
    problems: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Lines about damaged files that were left out, by run; they are said again until the file changes."""

    @property
    def last(self) -> str:
        """Return the newest run covered."""
        return max(self.runs)


def find_cache(inputs: Inputs) -> SettledCache | None:
    """Return what spares most reading, if anything serves."""
    stamps = {run: inputs.stamp(run) for run in inputs.runs}
    found = (_read(inputs, path) for path in inputs.covers)
    serving = [kept for kept in found if kept is not None and _serves(kept, stamps)]
    return max(serving, key=lambda kept: len(kept.runs), default=None)


def load_cache(inputs: Inputs, kept: SettledCache) -> dict[str, pa.Table]:
    """Read the tables that were kept; OSError or ArrowException if they cannot be read."""
    system, root = open_place(inputs.results)
    tables = {}
    for name in KEPT:
        with system.open_input_file(f"{root}/{kept.folder}/{name}.parquet") as source:
            tables[name] = pq.read_table(source)
    return tables


def save_cache(
    inputs: Inputs, tables: Mapping[str, pa.Table], problems: Mapping[str, tuple[str, ...]], base: SettledCache | None
) -> str:
    """Keep a build for the next one; return a line if that cannot be done (no harm to this one).

    Of the others only `base`, which it grew from, stays: it serves while the newest run still grows.
    """
    stamps = {run: inputs.stamp(run) for run in inputs.runs}
    digest = hashlib.sha256(repr((_code(), sorted(stamps.items()))).encode()).hexdigest()[:16]
    folder = f"{FOLDER}/{digest}"
    said = {"code": _code(), "runs": stamps, "problems": {run: list(lines) for run, lines in problems.items()}}
    try:
        for name in KEPT:
            write_table(inputs.url(f"{folder}/{name}.parquet"), name, tables[name])
        text = json.dumps(said, indent=1, sort_keys=True).encode()
        write_aside(inputs.url(f"{folder}/{COVERS}"), lambda sink: sink.write(text))
        _drop_others(inputs, {folder} if base is None else {folder, base.folder})
    except (ResultsError, OSError) as error:
        _drop(inputs, folder)
        return f"{' '.join(str(error).split())}; the next build will read every run again"
    return ""


def _serves(kept: SettledCache, stamps: Mapping[str, str]) -> bool:
    unchanged = all(stamps.get(run) == stamp for run, stamp in kept.runs.items())
    return bool(kept.runs) and unchanged and all(run in kept.runs or run > kept.last for run in stamps)


def _read(inputs: Inputs, path: str) -> SettledCache | None:
    """Read a `covers.json`; None where it is damaged or was written by other code: it is rebuilt then."""
    system, root = open_place(inputs.results)
    try:
        with system.open_input_file(f"{root}/{path}") as source:
            said = json.loads(source.read())
        if said["code"] != _code():
            return None
        problems = {run: tuple(lines) for run, lines in said["problems"].items()}
        return SettledCache(path.removesuffix(f"/{COVERS}"), dict(said["runs"]), problems)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _drop_others(inputs: Inputs, needed: Collection[str]) -> None:
    """Delete what other builds kept, first the file that makes a folder count."""
    system, root = open_place(inputs.results)
    for folder in (path.removesuffix(f"/{COVERS}") for path in inputs.covers):
        if folder not in needed:
            with suppress(FileNotFoundError):  # another build was quicker
                system.delete_file(f"{root}/{folder}/{COVERS}")
                system.delete_dir(f"{root}/{folder}")


def _drop(inputs: Inputs, folder: str) -> None:
    """Delete what could not be kept whole."""
    system, root = open_place(inputs.results)
    with suppress(OSError):
        system.delete_dir(f"{root}/{folder}")


@cache
def _code() -> str:
    """Return a digest of the sources that decide what a build says."""
    digest = hashlib.sha256()
    for path in sources():
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def sources() -> list[Path]:
    """Return the files of this package and of the model, which has the columns."""
    root = Path(__file__).parents[1]
    return sorted(path for folder in ("spark", "probe/model") for path in (root / folder).glob("*.py"))
