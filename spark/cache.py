"""The cache of a build in `settled/<digest>/`; with it the next build reads new runs only.

It has the tables of a build and `covers.json`, which lists the runs behind them with the stamps of their files. The
latter is written last; without it the folder is ignored. A later build uses the tables if those runs are unchanged
and all other runs are newer. The digest covers the sources of `spark/` and `probe/model/`, so that a change there
starts a new cache. The folder can be deleted at any time.
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
    """The tables of an earlier build."""

    folder: str
    """Path below the results."""
    runs: Mapping[str, str]
    """The runs that it covers, each with its stamp."""
    problems: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Lines about damaged files that were left out, per run; they are repeated until the file changes."""

    @property
    def last(self) -> str:
        """The newest run that it covers."""
        return max(self.runs)


def find_cache(inputs: Inputs) -> SettledCache | None:
    """Return the usable cache that covers most runs, if any."""
    stamps = {run: inputs.stamp(run) for run in inputs.runs}
    found = (_read(inputs, path) for path in inputs.covers)
    serving = [kept for kept in found if kept is not None and _serves(kept, stamps)]
    return max(serving, key=lambda kept: len(kept.runs), default=None)


def load_cache(inputs: Inputs, kept: SettledCache) -> dict[str, pa.Table]:
    """Read the tables of a cache; OSError or ArrowException if they cannot be read."""
    return {name: load_table(inputs, kept, name) for name in KEPT}


def load_table(inputs: Inputs, kept: SettledCache, name: str) -> pa.Table:
    """Read one table of a cache; OSError or ArrowException if it cannot be read."""
    system, root = open_place(inputs.results)
    with system.open_input_file(f"{root}/{kept.folder}/{name}.parquet") as source:
        return pq.read_table(source)


def save_cache(
    inputs: Inputs, tables: Mapping[str, pa.Table], problems: Mapping[str, tuple[str, ...]], base: SettledCache | None
) -> str:
    """Save the tables of a build for the next one. Return a line if that fails; the build itself is not affected.

    Of the other caches only `base`, on which this one is based, stays: it is usable while the newest run grows.
    """
    stamps = {run: inputs.stamp(run) for run in inputs.runs}
    digest = hashlib.sha256(repr((_code(), sorted(stamps.items()))).encode()).hexdigest()[:16]
    folder = f"{FOLDER}/{digest}"
    content = {"code": _code(), "runs": stamps, "problems": {run: list(lines) for run, lines in problems.items()}}
    try:
        for name in KEPT:
            write_table(inputs.url(f"{folder}/{name}.parquet"), name, tables[name])
        text = json.dumps(content, indent=1, sort_keys=True).encode()
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
    """Read a `covers.json`; None if it is damaged or was written by other code, so that the cache is rebuilt."""
    system, root = open_place(inputs.results)
    try:
        with system.open_input_file(f"{root}/{path}") as source:
            content = json.loads(source.read())
        if content["code"] != _code():
            return None
        problems = {run: tuple(lines) for run, lines in content["problems"].items()}
        return SettledCache(path.removesuffix(f"/{COVERS}"), dict(content["runs"]), problems)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _drop_others(inputs: Inputs, needed: Collection[str]) -> None:
    """Delete the caches of other builds, `covers.json` first."""
    system, root = open_place(inputs.results)
    for folder in (path.removesuffix(f"/{COVERS}") for path in inputs.covers):
        if folder not in needed:
            with suppress(FileNotFoundError):  # another build deleted it first
                system.delete_file(f"{root}/{folder}/{COVERS}")
                system.delete_dir(f"{root}/{folder}")


def _drop(inputs: Inputs, folder: str) -> None:
    """Delete an incomplete cache."""
    system, root = open_place(inputs.results)
    with suppress(OSError):
        system.delete_dir(f"{root}/{folder}")


@cache
def _code() -> str:
    """Return a digest of the sources on which the tables depend."""
    digest = hashlib.sha256()
    for path in sources():
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def sources() -> list[Path]:
    """Return the source files of this package and of the model, which defines the columns, with its tables."""
    root = Path(__file__).parents[1]
    folders = (root / "spark", root / "probe" / "model")
    return sorted(path for folder in folders for kind in ("*.py", "*.tsv", "*.toml") for path in folder.glob(kind))
